"""Making a catalogue: message schemas out of a kafka-clients jar or a folder, reduced to facts and checked."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reference import schema
from reference.errors import SchemaError
from reference.schema import Schema

#: Where a kafka-clients jar keeps its message schemas.
_IN_JAR = re.compile(r"common/message/([A-Za-z0-9]+)\.json")
_NAME_VERSION = re.compile(r"(kafka-clients-[0-9][\w.+-]*)\.jar")
#: What says nothing of bytes.
_PROSE = frozenset(
    {"about", "deprecatedVersions", "entityType", "latestVersionUnstable", "listeners", "mapKey", "zeroCopy"}
)
#: The order in which a message's facts are written.
_FIRST = ("name", "type", "apiKey", "validVersions", "flexibleVersions", "commonStructs")
#: A schema larger than this is none.
_LARGEST = 4 << 20


def read(source: Path) -> Iterator[tuple[str, bytes]]:
    """(file name, content) of every schema in a jar or folder. Raises SchemaError."""
    if source.is_dir():
        found = sorted(path for path in source.glob("*.json") if path.name != "index.json")
        yield from ((path.name, path.read_bytes()) for path in found)
        return
    try:
        with zipfile.ZipFile(source) as jar:
            for entry in sorted(jar.infolist(), key=lambda entry: entry.filename):
                match = _IN_JAR.fullmatch(entry.filename)
                if match and entry.file_size <= _LARGEST:
                    yield f"{match[1]}.json", jar.read(entry)
    except (OSError, zipfile.BadZipFile) as error:
        raise SchemaError(f"{source}: {error}; a kafka-clients jar or a folder of schemas is expected") from None


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


def make(source: Path, folder: Path) -> tuple[int, int]:
    """Write the catalogue of a source into a folder; (files, live messages). Raises SchemaError before it writes."""
    schemas: dict[str, tuple[dict[str, Any], Schema]] = {}
    for name, content in read(source):
        parsed = schema.parse(content, name)
        schemas[parsed.name] = (facts(schema.load_json(content)), parsed)
    if not schemas:
        raise SchemaError(f"{source}: there is no message schema in it (common/message/*.json in a jar)")
    index = _index(made_by(source), [parsed for _, parsed in schemas.values()])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (raw, _) in schemas.items():
        (folder / f"{name}.json").write_text(_text(raw) + "\n", "utf-8")
    (folder / "index.json").write_text(_index_text(index), "utf-8")
    return len(schemas), len(index["messages"])


def _index(source: str, schemas: list[Schema]) -> dict[str, Any]:
    live = [found for found in schemas if found.versions]
    apis: dict[int, str] = {}
    for found in live:
        if found.kind == "request" and found.api_key is not None:
            name = found.name.removesuffix("Request")
            other = apis.setdefault(found.api_key, name)
            if other != name:
                raise SchemaError(f"{other} and {name} share the api key {found.api_key}")
    return {
        "made_by": source,
        "apis": {str(key): name for key, name in sorted(apis.items())},
        "messages": {
            found.name: [found.versions.low, found.versions.high] for found in sorted(live, key=lambda one: one.name)
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
