"""Makes a catalogue: reads the message schemas in a kafka-clients jar or a folder, checks them, and drops all keys that
change no byte."""

from __future__ import annotations

import contextlib
import json
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wireproof.conformance.files import MIB, opened, read_bytes, size_text
from wireproof.conformance.writing import Folder
from wireproof.reference import schema
from wireproof.reference.errors import SchemaError
from wireproof.reference.schema import Schema

#: Where a kafka-clients jar keeps its message schemas.
_IN_JAR = re.compile(r"common/message/([A-Za-z0-9]+)\.json")
_NAME_VERSION = re.compile(r"(kafka-clients-[0-9][\w.+-]*)\.jar")
#: What says nothing of bytes.
_PROSE = frozenset(
    {"about", "deprecatedVersions", "entityType", "latestVersionUnstable", "listeners", "mapKey", "zeroCopy"}
)
#: The order in which a message's facts are written.
_FIRST = ("name", "type", "apiKey", "validVersions", "flexibleVersions", "commonStructs")
#: A schema larger than this is none; and so much is read of all schemas of a catalogue together.
_LARGEST, _LARGEST_OF_ALL = 4 * MIB, 64 * MIB
#: What zipfile and the decompressors raise for a jar that is encrypted, damaged, or compressed in a way of its own.
_BAD_JAR = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
)
#: The catalogue's own file: no message can have its name, in letters of either case.
_INDEX = "index"
_FILE = f"{_INDEX}.json"


def read(source: Path) -> Iterator[tuple[str, bytes]]:
    """(file name, content) of every schema in a jar or folder. Raises SchemaError."""
    taken = 0
    for name, content in _in_folder(source) if source.is_dir() else _in_jar(source):
        taken += len(content)
        if taken > _LARGEST_OF_ALL:
            raise SchemaError(f"{source}: its schemas are more than {size_text(_LARGEST_OF_ALL)} together")
        yield name, content


def _in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(path for path in folder.glob("*.json") if path.name != _FILE and path.is_file()):
        try:
            yield path.name, read_bytes(path, _LARGEST)
        except OSError as error:
            raise SchemaError(f"{path}: {error.strerror or error}") from None


def _in_jar(path: Path) -> Iterator[tuple[str, bytes]]:
    with contextlib.ExitStack() as opening:
        try:
            jar = opening.enter_context(zipfile.ZipFile(opening.enter_context(opened(path))))
        except (OSError, *_BAD_JAR) as error:
            raise SchemaError(f"{path}: {error}; a kafka-clients jar or a folder of schemas is expected") from None
        entries = [(match[1], entry) for entry in jar.infolist() if (match := _IN_JAR.fullmatch(entry.filename))]
        for name, entry in sorted(entries, key=lambda pair: pair[0]):
            if entry.file_size > _LARGEST:
                raise SchemaError(f"{path}: {entry.filename} has more than {size_text(_LARGEST)}: that is no schema")
            try:
                content = jar.read(entry)
            except (OSError, *_BAD_JAR) as error:
                raise SchemaError(f"{path}: {entry.filename} cannot be taken out of the jar: {error}") from None
            yield f"{name}.json", content


def made_by(source: Path) -> str:
    """What a source calls itself: kafka-clients and its version, else its name."""
    match = _NAME_VERSION.fullmatch(source.name)
    return match[1].replace("kafka-clients-", "kafka-clients ") if match else source.name


def facts(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without its prose, in one order of keys."""
    kept = {key: _facts(value) for key, value in raw.items() if key not in _PROSE}
    return {key: kept[key] for key in _FIRST if key in kept} | kept


def _facts(value: Any) -> Any:
    match value:
        case dict():
            return {key: _facts(item) for key, item in value.items() if key not in _PROSE}
        case list():
            return [_facts(item) for item in value]
    return value


def make(source: Path, folder: Path, *, overwrite: bool = False) -> tuple[int, int]:
    """Write the catalogue of a source into a folder; (files, live messages). The index comes last: a folder without one
    is no catalogue. Raises SchemaError before it writes, and OSError. `overwrite`: replace other files."""
    schemas: dict[str, tuple[dict[str, Any], Schema]] = {}
    files: dict[str, str] = {_INDEX: _FILE}  # by the message's name in small letters: some disks know no others
    for file, content in read(source):
        parsed = schema.parse(content, file)
        other = files.setdefault(parsed.name.casefold(), file)
        if parsed.name.casefold() == _INDEX:
            raise SchemaError(f"a message cannot be called {parsed.name}: index.json lists the messages", file)
        if parsed.name in schemas or other != file:
            raise SchemaError(f"{other} has a message of the name {parsed.name} too", file)
        schemas[parsed.name] = (facts(schema.load_json(content)), parsed)
    if not schemas:
        raise SchemaError(f"{source}: there is no message schema in it (common/message/*.json in a jar)")
    index = _index(made_by(source), [parsed for _, parsed in schemas.values()])
    texts = {f"{name}.json": f"{_text(raw)}\n" for name, (raw, _) in schemas.items()} | {_FILE: _index_text(index)}
    contents = {name: text.encode() for name, text in texts.items()}
    out = Folder(folder)
    out.check_all(contents, overwrite=overwrite)
    if out.read(_FILE) != contents[_FILE]:
        out.delete(_FILE, lambda _: True)
    out.write_all(contents, overwrite=overwrite)
    return len(schemas), len(index["messages"])


def _index(source: str, schemas: list[Schema]) -> dict[str, Any]:
    live = [catalog for catalog in schemas if catalog.versions]
    apis: dict[int, str] = {}
    for catalog in live:
        if catalog.kind == "request" and catalog.api_key is not None:
            name = catalog.name.removesuffix("Request")
            other = apis.setdefault(catalog.api_key, name)
            if other != name:
                raise SchemaError(f"{other} and {name} share the api key {catalog.api_key}")
    return {
        "made_by": source,
        "apis": {str(key): name for key, name in sorted(apis.items())},
        "messages": {
            catalog.name: [catalog.versions.low, catalog.versions.high]
            for catalog in sorted(live, key=lambda one: one.name)
        },
    }


def _index_text(index: Mapping[str, Any]) -> str:
    """The index with one entry a line."""
    parts = []
    for key, value in index.items():
        if isinstance(value, dict):
            inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(item)}" for name, item in value.items())
            parts.append(f"{json.dumps(key)}: {{\n{inner}\n}}")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ",\n".join(parts) + "}\n"


def _text(raw: Mapping[str, Any], indent: int = 0) -> str:
    """A schema's JSON with one field a line, so that two catalogues can be compared."""
    parts = []
    for key, value in raw.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner = ",\n".join(" " * (indent + 2) + _text(item, indent + 2) for item in value)
            parts.append(f"{json.dumps(key)}: [\n{inner}\n{' ' * indent}]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ", ".join(parts) + "}"
