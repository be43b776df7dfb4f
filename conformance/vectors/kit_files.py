"""The kit's own vectors: the files of the package `vectors`."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from wireproof.conformance.oracle.codec import shared_settings
from wireproof.conformance.vectors.model import AREAS, VectorError, VectorFile
from wireproof.conformance.vectors.parser import own_settings, parse


def _root() -> Traversable:
    return resources.files("wireproof.vectors")


@functools.cache
def load_file(dialect: str, area: str) -> VectorFile | None:
    """The vectors of one area of one dialect; None when the set has none."""
    entry = _root() / dialect / f"{area}.json"
    if not entry.is_file():
        return None

    def earlier_file(other: str) -> VectorFile | None:
        return load_file(dialect, other) if other in AREAS[: AREAS.index(area)] else None

    file = parse(entry.read_bytes(), f"vectors/{dialect}/{area}.json", shared_settings(dialect), earlier_file)
    if (file.dialect, file.area) != (dialect, area):
        raise VectorError(f"vectors/{dialect}/{area}.json says that it is {file.dialect}/{file.area}")
    return file


@functools.cache
def dialects() -> tuple[str, ...]:
    """The dialects that have vectors."""
    return tuple(sorted(entry.name for entry in _root().iterdir() if _is_dialect(entry)))


def _is_dialect(entry: Traversable) -> bool:
    return entry.is_dir() and any((entry / f"{area}.json").is_file() for area in AREAS)


def file_settings(dialect: str) -> dict[str, Any]:
    """The settings of all files of a dialect. Vectors are not read for it. Raises VectorError when two disagree."""
    merged = dict(shared_settings(dialect))
    for area in AREAS:
        entry = _root() / dialect / f"{area}.json"
        for key, value in own_settings(entry.read_bytes()).items() if entry.is_file() else ():
            if merged.setdefault(key, value) != value:
                raise VectorError(f"vectors/{dialect}: two files disagree on the setting {key!r}")
    return merged


@functools.cache
def digest() -> str:
    """The vector set's version: twelve hex digits over the content of all its data files. What implementations said of
    them (`attested/`) is no part of it."""
    total = hashlib.sha256()
    for name, content in sorted(_contents(_root(), "")):
        if name.startswith("attested/"):
            continue
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()[:12]


def _contents(folder: Traversable, prefix: str) -> Iterable[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _contents(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".json", ".jsonl")):
            yield prefix + entry.name, entry.read_bytes()
