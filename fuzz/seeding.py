"""Seeds: the inputs that a campaign begins with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

from conformance import seeded
from conformance.model import Op
from conformance.reference_codec import reference_codec
from conformance.seeds import Seed
from conformance.seeds import seeds as kit_seeds
from fuzz.inputs import LONGEST, Forms
from fuzz.session import digest
from fuzz.targets import Kind
from reference.errors import WireError

#: Buffers from which values are drawn, where that is how a target makes its inputs: so many of each form, so long.
_BUFFERS = 2
_BUFFER = 256
#: Of an input so many bytes may stand before its own.
_LONGEST = LONGEST - 128


def seeds(kind: Kind, dialect: str, forms: Forms) -> Iterator[bytes]:
    """The inputs to begin with, of these forms."""
    random = Random(0)  # noqa: S311 (no secret hangs on it)
    if kind.draws:
        for form in forms.values():
            for _ in range(_BUFFERS):
                yield form.input(random.randbytes(_BUFFER))
        return
    for form in forms.values():
        if form.type is not None:
            with contextlib.suppress(NotImplementedError, WireError):  # a type without values
                value = seeded.simplest(form.type, dialect=dialect, version=form.version)
                yield form.input(reference_codec().encode(form.type, value, dialect=dialect, version=form.version))
    for seed in kit_seeds(dialect):
        found = forms.get(_head(seed))
        if found is not None and len(seed.data) < _LONGEST and (seed.op in found.ops) and seed.op is not Op.ENCODE:
            yield found.input(seed.data)


def _head(seed: Seed) -> bytes:
    if seed.type is None:
        return str(seed.op).encode()
    return f"{seed.type}/{'-' if seed.version is None else seed.version}".encode()


def write(found: Iterator[bytes], folder: Path) -> int:
    """Seeds as files of a folder, named as libFuzzer names them. How many there are."""
    names = set()
    for raw in found:
        name = digest(raw)
        if name not in names:
            names.add(name)
            (folder / name).write_bytes(raw)
    return len(names)
