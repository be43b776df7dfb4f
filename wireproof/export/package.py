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
import os
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
from wireproof.conformance.writing import Folder, digested
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
#: Where a manifest stands, without and with a language.
_MANIFESTS = (_MANIFEST, f"{_DATA}/{_MANIFEST}")


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
    own = frozenset({LANGUAGES[form].own})
    manifest = json.loads(made.files[_MANIFEST])
    manifest["tests"] = {path: _digest(content) for path, content in templates.items()}
    data[f"{_DATA}/{_MANIFEST}"] = _json(manifest)
    return replace(made, files=dict(sorted((data | templates).items())), own=own)


def _content(file: plain_data.File) -> bytes:
    """A file: its header, then its lines."""
    header = _about() | {"dialect": file.dialect, "file": file.name}
    return "".join(f"{line}\n" for line in (json.dumps(header), *file.lines)).encode()


def _about() -> dict[str, Any]:
    return {_MARK: plain_data.FORMAT, "kit": version("wireproof"), "vectors": vectors.digest(), "licence": _LICENCE}


def _manifest(files: dict[str, bytes], lines: dict[str, int], left_out: Iterable[str]) -> dict[str, Any]:
    return _about() | {
        "files": {
            path: {"sha256": _digest(content), "cases": lines.get(path)} for path, content in sorted(files.items())
        },
        "left_out": [*left_out],
    }


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def write(made: Export, folder: Path, *, overwrite: bool = False) -> tuple[str, ...]:
    """Write into a new folder, or in place of an earlier export. Returns the files of the earlier export that have no
    place in this one, but stay, because they were changed.

    The manifest comes first, with the digests of the earlier files beside those of the new ones, so that an export that
    failed can be repeated. Raises ExportError, before anything is written if it is for what stands there. `overwrite`:
    replace files that no export wrote, or that were changed since.
    """
    try:
        out = Folder(folder)
        earlier = _earlier(out)
        (manifest,) = (path for path in made.files if path in _MANIFESTS)
        yours = {path for path in made.own if os.path.lexists(folder / path)}
        begun = json.loads(made.files[manifest]) | {"earlier": {path: sorted(known) for path, known in earlier.items()}}
        files = {manifest: _json(begun)}
        files |= {path: content for path, content in made.files.items() if path not in {manifest, *yours}}
        ours = {path: digested(*earlier.get(path, ())) for path in files}
        out.write_all(files, ours, overwrite=overwrite)
        gone = sorted(earlier.keys() - made.files.keys())
        changed = tuple(path for path in gone if not out.delete(path, digested(*earlier[path])))
        out.write(manifest, made.files[manifest], digested(_digest(files[manifest])))
    except OSError as error:
        raise ExportError(f"{error.filename or folder}: {error.strerror or error}") from None
    return changed


def _earlier(out: Folder) -> dict[str, set[str]]:
    """The files of an earlier export in a folder, as path → SHA-256; several after an export that failed. Raises
    ExportError if the folder has files, and none of them is the manifest of an export."""
    found: dict[str, set[str]] = {}
    for path in _MANIFESTS:
        content = out.read(path)
        manifest = None if content is None else _parsed(content)
        if content is None or manifest is None:
            continue
        _check_format(out.path, manifest[_MARK])
        found.setdefault(path, set()).add(_digest(content))
        with contextlib.suppress(TypeError, KeyError, AttributeError):  # it was changed
            above = path.removesuffix(_MANIFEST)
            known = {f"{above}{name}": [one["sha256"]] for name, one in manifest["files"].items()}
            for name, digest in manifest.get("tests", {}).items():
                known.setdefault(name, []).append(digest)
            for name, digests in manifest.get("earlier", {}).items():
                known.setdefault(name, []).extend(digests)
            for name, digests in known.items():
                found.setdefault(name, set()).update(digests)
    if not found and out.has_files():
        raise ExportError(f"{out.path}: the folder holds other things. Give a new folder, or one of an earlier export.")
    return found


def _parsed(content: bytes) -> dict[str, Any] | None:
    """The content of a manifest; None if it is none."""
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) and _MARK in manifest else None


def _check_format(folder: Path, form: Any) -> None:
    if form != plain_data.FORMAT:
        raise ExportError(
            f"{folder}: the export there is of format {brief(form, 40)}, and this version of Wireproof writes format "
            f"{plain_data.FORMAT}. Give a new folder."
        )


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
