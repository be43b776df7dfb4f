"""Seeds: the inputs that a campaign begins with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from conformance import seeded
from conformance.own import own
from conformance.vectors import load
from fuzz.inputs import LONGEST, Forms
from fuzz.session import digest
from fuzz.targets import Kind
from reference.errors import WireError

#: Buffers from which values are drawn, where that is how a target makes its inputs: so many of each form, so long.
_BUFFERS = 2
_BUFFER = 256


def seeds(kind: Kind, dialect: str, forms: Forms) -> Iterator[bytes]:
    """The inputs to begin with, of these forms."""
    random = Random(0)  # noqa: S311 (no secret hangs on it)
    if kind.draws:
        for form in forms.values():
            for _ in range(_BUFFERS):
                yield form.input(random.randbytes(_BUFFER))
        return
    for form in forms.values():
        assert form.type is not None
        try:
            value = seeded.simplest(form.type, dialect=dialect, version=form.version)
            yield form.input(own().encode(form.type, value, dialect=dialect, version=form.version))
        except (NotImplementedError, WireError):
            continue
    yield from _of_vectors(dialect, forms)


def _of_vectors(dialect: str, forms: Forms) -> Iterator[bytes]:
    for vector in load([dialect]):
        form = forms.get(f"{vector.type}/{'-' if vector.version is None else vector.version}".encode())
        if form is not None and vector.pieces and len(vector.data) < LONGEST:
            yield form.input(vector.data)


def write(found: Iterator[bytes], folder: Path) -> int:
    """Seeds as files of a folder, named as libFuzzer names them. How many there are."""
    names = set()
    for raw in found:
        name = digest(raw)
        if name not in names:
            names.add(name)
            (folder / name).write_bytes(raw)
    return len(names)

