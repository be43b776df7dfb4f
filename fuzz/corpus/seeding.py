"""Seeds: the inputs that a campaign begins with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from wireproof.conformance.generation import further_ops
from wireproof.conformance.generation.arguments import arguments_of
from wireproof.conformance.model import TYPED_OPS, Op
from wireproof.conformance.writing import Folder
from wireproof.fuzz.corpus.vector_seeds import Seed, dictionary
from wireproof.fuzz.corpus.vector_seeds import seeds as kit_seeds
from wireproof.fuzz.targets import inputs
from wireproof.fuzz.targets.inputs import LONGEST, Forms, digest
from wireproof.fuzz.targets.kinds import Kind
from wireproof.reference.errors import EncodeError

#: For targets that draw values: the size of the random buffer of each form.
_BUFFER = 256
#: Seeds must be shorter than this, so that there is room for the head of the input.
_LONGEST = LONGEST - 128


def seeds(kind: Kind, dialect: str, forms: Forms) -> Iterator[bytes]:
    """The first inputs of a campaign with these forms."""
    random = Random(0)  # noqa: S311 (not used for secrets)
    if kind.draws:
        for form in forms.values():
            yield form.input(random.randbytes(_BUFFER))
        return
    for form in forms.values():
        if not form.value and (data := inputs.simplest(form)) is not None:
            yield form.input(data)
    if kind.values:
        yield from (raw for raw in inputs.values(dialect) if raw.partition(b"\n")[0] in forms)
    types = {form.type for form in forms.values()}
    # The bytes of a type are seeds whatever is asked about it.
    ops = (TYPED_OPS | further_ops.OPS) - {Op.ENCODE} if kind.typed else frozenset(kind.ops)
    for seed in kit_seeds(dialect, types.pop() if len(types) == 1 else None, ops=ops):
        form_of_seed = forms.get(_head(seed))
        if form_of_seed is not None and len(seed.data) < _LONGEST:
            with contextlib.suppress(EncodeError):  # records that no batch can hold
                yield form_of_seed.input(_data(seed))


def _data(seed: Seed) -> bytes:
    """The bytes of a seed, without what is asked about them beside."""
    return further_ops.as_bytes(seed.op, arguments_of(seed.op, seed.data)) if seed.op in further_ops.OPS else seed.data


def _head(seed: Seed) -> bytes:
    if seed.op in (Op.CONSUME, Op.PRODUCE):
        return f"{further_ops.RECORDS}/-".encode()
    if seed.type is None:
        return str(seed.op).encode()
    return f"{seed.type}/{'-' if seed.version is None else seed.version}".encode()


def words(kind: Kind, dialect: str) -> list[bytes]:
    """Words for libFuzzer's dictionary. Empty for targets whose inputs are not bytes of the protocol."""
    return [] if kind.draws or Op.EVOLVE in kind.ops else dictionary(dialect)


def dictionary_file(words: Iterable[bytes]) -> bytes:
    """A dictionary file for libFuzzer: one quoted word on each line."""
    lines = ('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in words)
    return "".join(lines).encode("ascii")


def write(raws: Iterator[bytes], folder: Path) -> int:
    """Write seeds as files, with the same names as libFuzzer gives. Returns the number of files."""
    files = Folder(folder)
    names = set()
    for raw in raws:
        name = digest(raw)
        if name not in names:
            names.add(name)
            files.write(name, raw)
    return len(names)
