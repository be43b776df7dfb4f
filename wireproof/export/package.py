"""Writes an export: into a folder, or into an archive that is the same byte for byte on each machine.

manifest.json               the format, the versions, and each file with its digest and number of cases
case.schema.json            JSON Schema of a line
<dialect>/<area>.jsonl      a vector on each line
<dialect>/ledger.jsonl      a case of the message ledger on each line
<dialect>/settings.json     what `configure` gets, if some vectors need it
<dialect>/frames.json       the layouts of the frames that a broker has to send
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import wireproof
from wireproof.conformance import vectors
from wireproof.conformance.connection.protocol.shapes import plain
from wireproof.conformance.report.text import brief
from wireproof.conformance.values.encoding import to_json
from wireproof.errors import WireproofError
from wireproof.export import plain_data
from wireproof.export.frame_layouts import layouts

_MARK = "wireproof-export"
_MANIFEST = "manifest.json"
_SCHEMA = Path(wireproof.__file__).with_name("case.schema.json")
_TEMPLATES = Path(wireproof.__file__).with_name("templates") / "export"
_LICENCE = "Apache-2.0"
#: The folder of the data in the export for a language.
_DATA = "vectors"


@dataclass(frozen=True, slots=True)
class Export:
    """The files of an export by path, the number of its cases, and the ids of what was left out. `own`: the paths of
    files that belong to the user once they are there."""

    files: dict[str, bytes]
    cases: int
    left_out: tuple[str, ...]
    own: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Language:
    """A language with test files of its own. `own`: as in Export."""

    name: str
    own: str


#: By the name of the format.
LANGUAGES = {
    "c": Language("C99, a program of its own", "implementation.c"),
    "go": Language("Go's own test command", "implementation_test.go"),
    "java": Language("Java, for JUnit 5", "src/test/java/wireproof/exported/MyImplementation.java"),
    "rust": Language("Rust, for `cargo test`", "implementation.rs"),
    "typescript": Language("TypeScript and JavaScript, for Node.js's test runner", "implementation.mjs"),
}
#: In a language's files it stands for the versions of the kit and of the vector set.
_VERSIONS = b"@versions@"


class ExportError(WireproofError):
    """An export that cannot be made or written; the text says why and what to do."""


def export(
    dialects: Iterable[str] = (),
    areas: Iterable[str] = (),
    types: Iterable[str] = (),
    largest: int = plain_data.LARGEST,
) -> Export:
    """Make an export. Raises ExportError for an empty selection and a name that does not exist."""
    dialects, areas, types = tuple(dialects), tuple(areas), tuple(types)
    for names, there, what in ((dialects, vectors.dialects(), "dialect"), (areas, vectors.AREAS, "area")):
        for name in names:
            if name not in there:
                raise ExportError(f"there is no {what} {name!r}; there are {', '.join(there)}")
    found = [*plain_data.files(dialects, areas, types, largest)]
    without = [name for name in types if not any(name in one.types for one in found)]
    if without:
        raise ExportError(f"no vector is about the type {', '.join(without)} in what was chosen")
    if not found:
        raise ExportError("there is no vector in what was chosen")
    files = {f"{one.dialect}/{one.name}.jsonl": _content(one) for one in found}
    lines = {path: len(one.lines) for path, one in zip(files, found, strict=True)}
    for dialect in dict.fromkeys(one.dialect for one in found):
        settings = vectors.settings(dialect)
        if settings:
            files[f"{dialect}/settings.json"] = _json(to_json(plain(settings)))
        frames = {} if types else layouts(vectors.load([dialect], areas or None))  # `serve` has no type
        if frames:
            files[f"{dialect}/frames.json"] = (json.dumps(frames, separators=(",", ":")) + "\n").encode()
    files["case.schema.json"] = _SCHEMA.read_bytes()
    left_out = tuple(identifier for one in found for identifier in one.left_out)
    return with_manifest(Export(files, sum(lines.values()), left_out), lines)


def with_manifest(made: Export, cases: dict[str, int]) -> Export:
    """The same with its manifest, in the order of paths. `cases`: the number of cases by path."""
    files = {path: content for path, content in made.files.items() if path != _MANIFEST}
    files[_MANIFEST] = _json(_manifest(files, cases, made.left_out))
    return replace(made, files=dict(sorted(files.items())))


def for_language(made: Export, form: str) -> Export:
    """The same with the test files of a language, the data in the folder `vectors`."""
    data = {f"{_DATA}/{path}": content for path, content in made.files.items()}
    versions = f"Wireproof {version('wireproof')}, vector set {vectors.digest()}".encode()
    folder = _TEMPLATES / form
    templates = {
        path.relative_to(folder).as_posix(): path.read_bytes().replace(_VERSIONS, versions)
        for path in folder.rglob("*")
        if path.is_file()
    }
    return replace(made, files=dict(sorted((data | templates).items())), own=frozenset({LANGUAGES[form].own}))


def _content(file: plain_data.File) -> bytes:
    """A file: its header, then its lines."""
    header = _about() | {"dialect": file.dialect, "file": file.name}
    return "".join(f"{line}\n" for line in (json.dumps(header), *file.lines)).encode()


def _about() -> dict[str, Any]:
    return {_MARK: plain_data.FORMAT, "kit": version("wireproof"), "vectors": vectors.digest(), "licence": _LICENCE}


def _manifest(files: dict[str, bytes], lines: dict[str, int], left_out: Iterable[str]) -> dict[str, Any]:
    return _about() | {
        "files": {
            path: {"sha256": hashlib.sha256(content).hexdigest(), "cases": lines.get(path)}
            for path, content in sorted(files.items())
        },
        "left_out": [*left_out],
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def write(made: Export, folder: Path) -> None:
    """Write into a new folder, or in place of an earlier export. Raises ExportError for a folder with other things."""
    earlier = _earlier(folder)
    try:
        for path, content in made.files.items():
            place = folder / path
            if path not in made.own or not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
        for path in earlier - made.files.keys():
            (folder / path).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # it holds other files
                (folder / path).parent.rmdir()
    except OSError as error:
        raise ExportError(f"{error.filename or folder}: {error.strerror or error}") from None


def _earlier(folder: Path) -> set[str]:
    """The data files of an earlier export in a folder."""
    try:
        if not folder.is_dir() or not any(folder.iterdir()):
            return set()
        found = _earlier_manifest(folder)
    except (OSError, ValueError, TypeError, KeyError):
        found = None
    if found is None:
        raise ExportError(f"{folder}: the folder holds other things. Give a new folder, or one of an earlier export.")
    form, paths = found
    if form != plain_data.FORMAT:
        shown = brief(form, 40)
        raise ExportError(
            f"{folder}: the export there is of format {shown}, and this version of Wireproof writes format "
            f"{plain_data.FORMAT}. Give a new folder."
        )
    return paths


def _earlier_manifest(folder: Path) -> tuple[Any, set[str]] | None:
    """The format of an earlier export and the paths of its data files; None if there is none."""
    for prefix in ("", f"{_DATA}/"):
        if (folder / prefix / _MANIFEST).is_file():
            manifest = json.loads((folder / prefix / _MANIFEST).read_bytes())
            if _MARK in manifest:
                return manifest[_MARK], {f"{prefix}{path}" for path in manifest["files"] if _is_inside(path)}
    return None


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts and "\0" not in path


def archive(made: Export) -> bytes:
    """The export as a gzipped tar file, without times, owners and anything else that varies."""
    name = f"vectors-{vectors.digest()}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, content in made.files.items():
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)
