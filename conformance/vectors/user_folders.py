"""Users' own vectors, beside the kit's: folders of files in the same format, checked as strictly.

The files are in the folder itself, or in subfolders named after dialects. The ids of these vectors begin with the
folder's name, where the kit's begin with the dialect: `NAME/<area>/<vector>#<op>`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from wireproof import reference
from wireproof.conformance.decoding import DecodingError, decode_json
from wireproof.conformance.files import read_bytes
from wireproof.conformance.oracle.codec import shared_settings
from wireproof.conformance.vectors.kit_files import file_settings
from wireproof.conformance.vectors.model import Vector, VectorError, VectorFile
from wireproof.conformance.vectors.parser import parse
from wireproof.reference.dialects.base import UnknownType
from wireproof.reference.errors import Reason

#: The form of a folder's name, with which ids begin.
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: The first word of the kit's own ids, beside its dialects.
_TAKEN = "gen"


@dataclass(frozen=True, slots=True)
class Added:
    """A folder: the first part of its ids, its place, and its files."""

    name: str
    folder: Path
    files: tuple[VectorFile, ...]


_there: tuple[Added, ...] = ()


def use_folders(folders: Iterable[Path]) -> None:
    """From now on, ask the vectors of exactly these folders beside the kit's. Raises VectorError for a folder that
    can't be read or has a wrong format; then nothing changes."""
    global _there
    all_added: list[Added] = []
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        added = _read(folder)
        for other in all_added:
            if other.name == added.name:
                raise VectorError(f"{folder}: its ids would be those of {other.folder}, whose name is the same")
        all_added.append(added)
    _agree(all_added)
    _there = tuple(all_added)


def added() -> Sequence[Added]:
    """The folders in use."""
    return _there


def added_files(dialects: Iterable[str] | None = None, areas: Iterable[str] | None = None) -> Iterator[VectorFile]:
    """The files of added folders with these dialects and areas (None: all)."""
    for one in _there:
        for file in one.files:
            if (dialects is None or file.dialect in dialects) and (areas is None or file.area in areas):
                yield file


def added_folder(identifier: str) -> Path | None:
    """The folder of the vector that an id names; None for one of the kit's."""
    name = identifier.partition("/")[0]
    return next((one.folder for one in _there if one.name == name), None)


def added_vector(path: str) -> Vector | None:
    """The vector of a path, NAME/<area>/<vector>; None where no folder has it."""
    name = path.partition("/")[0]
    files = (file for one in _there if one.name == name for file in one.files)
    return next((vector for file in files for vector in file.vectors if vector.path == path), None)


def _read(folder: Path) -> Added:
    name = folder.name
    if not folder.is_dir():
        raise VectorError(f"{folder}: no such folder; one with vectors files, *.json, is expected")
    if not _NAME.fullmatch(name):
        raise VectorError(f"{folder}: its name begins the ids of its vectors, so it is lower-case words with hyphens")
    if name == _TAKEN or name in reference.dialects:
        raise VectorError(f"{folder}: the ids of the kit's own begin with {name!r}; call the folder otherwise")
    try:
        places = [folder, *(folder / dialect for dialect in reference.dialects)]
        paths = [path for place in places for path in sorted(place.glob("*.json"))]
    except OSError as error:
        raise VectorError(f"{folder}: it cannot be read: {error.strerror or error}") from None
    if not paths:
        raise VectorError(f"{folder}: there is no vectors file, *.json, in it")
    files = tuple(_read_file(path, name) for path in paths)
    seen: dict[str, Path] = {}
    for path, file in zip(paths, files, strict=True):
        for vector in file.vectors:
            if vector.path in seen:
                raise VectorError(f"{path}: the id {vector.path} stands in {seen[vector.path]} too")
            seen[vector.path] = path
    return Added(name, folder, files)


def _read_file(path: Path, name: str) -> VectorFile:
    try:
        content = read_bytes(path)
    except OSError as error:
        raise VectorError(f"{path}: it cannot be read: {error.strerror or error}") from None
    dialect = _dialect(content)
    if dialect is not None and dialect not in reference.dialects:
        raise VectorError(f"{path}: there is no dialect {dialect!r}; there are {', '.join(reference.dialects)}")
    file = parse(content, str(path), {} if dialect is None else shared_settings(dialect), check=TypeCheck())
    vectors = tuple(msgspec.structs.replace(vector, folder=name) for vector in file.vectors)
    return VectorFile(file.dialect, file.area, file.settings, vectors)


class TypeCheck:
    """The check of a file's types and versions. No implementation would be asked about one that is misspelt."""

    def __init__(self) -> None:
        self._codec: reference.Reference | None = None

    def __call__(self, vector: Vector, settings: Mapping[str, Any]) -> None:
        """Raises VectorError for a vector whose type the dialect does not have, or not in this version."""
        if vector.type is None:
            return
        if self._codec is None:
            self._codec = reference.Reference()
            self._codec.configure(settings, dialect=vector.dialect)
        try:
            self._codec.decode(vector.type, b"", dialect=vector.dialect, version=vector.version)
        except UnknownType as error:
            names = [name for name in self._codec.dialect(vector.dialect).types if name != "*"]
            near = difflib.get_close_matches(vector.type, names, n=3)
            hint = f"; near it are {', '.join(near)}" if near else ""
            raise VectorError(f"type: {error}{hint}") from None
        except reference.WireError as error:
            wanted = None if vector.reject is None else vector.reject.reason
            if error.reason == Reason.UNSUPPORTED_VERSION != wanted:
                raise VectorError(f"version: {error.detail}") from None
        except NotImplementedError:  # a type that is not decoded at all
            return


class _Head(msgspec.Struct):
    dialect: str


_head = msgspec.json.Decoder(_Head)


def _dialect(content: bytes) -> str | None:
    """The dialect that a file names; None without one, which `parse` then reports."""
    try:
        return decode_json(_head, content).dialect
    except DecodingError:
        return None


def _agree(all_added: Sequence[Added]) -> None:
    """Refuse folders that disagree on a setting: an implementation is configured once for a dialect."""
    for dialect in reference.dialects:
        said: dict[str, tuple[Any, str]] = {
            key: (value, "the kit's vectors") for key, value in file_settings(dialect).items()
        }
        for one in all_added:
            for file in one.files:
                settings: Mapping[str, Any] = file.settings if file.dialect == dialect else {}
                for key, value in settings.items():
                    first, place = said.setdefault(key, (value, str(one.folder)))
                    if first != value:
                        raise VectorError(
                            f"{one.folder}, {file.dialect}/{file.area}: the setting {key!r} is another one in {place}"
                        )
