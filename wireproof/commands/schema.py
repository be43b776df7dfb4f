"""`wireproof schema`: message schemas, imported, lifted into the draft's form, and compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from wireproof import catalog_import
from wireproof.cli_options import overwrite_option
from wireproof.conformance.files import read_bytes
from wireproof.conformance.generation import random_values
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.writing import Folder
from wireproof.console import say
from wireproof.reference import catalog, encode
from wireproof.reference.dialects import DIALECTS, Dialect
from wireproof.reference.dialects.kip_482 import schemas
from wireproof.reference.dialects.kip_482.lift import KINDS, lift
from wireproof.reference.errors import SchemaError
from wireproof.reference.evolution import Change
from wireproof.reference.primitives import Primitive
from wireproof.reference.schema import Schema
from wireproof.reference.schema.plan import Array, Node, Struct, plan


@click.group()
def schema() -> None:
    """Message schemas: import those of another Kafka version, compare them, convert them to kip-482-v1."""


@schema.command(name="import", short_help="Make a catalogue from the schemas in a kafka-clients jar or a folder.")
@click.argument("source", metavar="JAR-OR-FOLDER", type=click.Path(exists=True, path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@overwrite_option
def import_(source: Path, folder: Path, overwrite: bool) -> None:
    """Make a catalogue in DIR from the message schemas in a kafka-clients jar, or in a folder of *.json files.

    Schemas are read as Kafka's own generator reads them, with comments, and checked: names, ranges of versions, keys,
    tags, defaults, structures that contain themselves. Keys that change no byte are left out. Nothing is written when a
    schema is refused.

    With --catalog=DIR pytest asks the messages and versions that this Kafka and the vectors' Kafka share, and every
    command uses its schemas, fuzz too.

    \b
    Examples:
        wireproof schema import kafka-clients-3.9.0.jar kafka-3.9
        pytest --impl=my_codec --catalog=kafka-3.9
        wireproof explain --catalog=kafka-3.9 MetadataRequest --version 0 0000000100026162
        wireproof fuzz run differential --catalog=kafka-3.9 --impl=my_codec

    \b
    Exit codes: 0 done, 1 a schema is refused, 2 a usage error.
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    try:
        files, live = catalog_import.make(source, folder, overwrite=overwrite)
    except SchemaError as error:
        raise click.ClickException(error.text) from None
    say(f"{folder}: {files} schemas, {live} messages with versions, from {catalog_import.made_by(source)}")


# --- lift -------------------------------------------------------------------------------------------------------------


@schema.command(name="lift", short_help="Convert messages of the current catalogue to schemas of kip-482-v1.")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.argument("messages", metavar="[MESSAGE]...", nargs=-1)
@overwrite_option
def lift_(folder: Path, messages: tuple[str, ...], overwrite: bool) -> None:
    """Write requests and responses of the current catalogue into DIR, as schemas of kip-482-v1: all, or those given.

    Each gets one more version, the first with optional fields: today's tagged fields are optional fields there. All its
    versions have the classic encodings; versions that were classic keep their bytes.

    \b
    Examples:
        wireproof schema lift lifted
        wireproof schema lift lifted MetadataRequest MetadataResponse
        wireproof explain --dialect kip-482-v1 --schema lifted/HeartbeatRequest.json \\
            HeartbeatRequest --version 5 0000016700000001000164ffff

    \b
    Exit codes: 0 done, 1 a schema is refused, 2 a usage error.
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    current = catalog.current()
    try:
        wanted = [_message(current, name) for name in messages or current.messages]
        made = {one.name: schemas.to_json(lift(one)) for one in wanted if messages or one.kind in KINDS}
        contents = {f"{name}.json": f"{json.dumps(raw, indent=2)}\n".encode() for name, raw in made.items()}
        Folder(folder).write_all(contents, overwrite=overwrite)
    except SchemaError as error:
        raise click.ClickException(error.text) from None
    say(f"{folder}: {len(made)} {'message' if len(made) == 1 else 'messages'}, lifted from {current.made_by}")


def _message(current: catalog.Catalog, name: str) -> Schema:
    message = current.load(name) if name in current.messages else None
    if message is None:
        raise click.UsageError(f"the catalogue ({current.made_by}) has no message {name!r} with a version")
    return message


# --- show -------------------------------------------------------------------------------------------------------------


@schema.command(short_help="Print a message's fields in one version, as a wrapper sees them.")
@click.argument("message")
@click.option("--version", type=int, required=True, metavar="N", help="The version of the message.")
def show(message: str, version: int) -> None:
    """Print the fields of MESSAGE in one version, as a wrapper gets and gives them: names, types on the wire, tags,
    defaults of missing keys. Then its simplest value, as JSON, and the bytes of that.

    \b
    Examples:
        wireproof schema show MetadataRequest --version 12
        wireproof schema show FetchResponse --version 4 --catalog=kafka-2.8

    \b
    Exit codes: 0 it is printed, 2 a usage error.
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    current = catalog.current()
    loaded = _message(current, message)
    if version not in loaded.versions:
        raise click.UsageError(f"{message} has the versions {loaded.versions} ({current.made_by}), not {version}")
    planned = plan(loaded, version)
    form = "flexible" if planned.flexible else "not flexible"
    say(f"{message} version {version}, {form} ({current.made_by})")
    for line in _fields(planned, "  "):
        say(line)
    value = random_values.simplest(message, dialect="kafka", version=version)
    say(f"value  {json.dumps(to_json(value))}")
    say(f"bytes  {encode(message, value, dialect='kafka', version=version).hex(' ') or '(none)'}")


def _fields(node: Struct, indent: str) -> Iterator[str]:
    for field in node.fields:
        tag = "" if field.tag is None else f", tag {field.tag}"
        default = "" if isinstance(field.default, (dict, list)) else f", default {json.dumps(to_json(field.default))}"
        yield f"{indent}{field.name}: {_type(field.node)}{tag}{default}"
        inner = field.node
        while isinstance(inner, Array):
            inner = inner.element
        if isinstance(inner, Struct):
            yield from _fields(inner, f"{indent}  ")
    if node.flexible:
        yield f"{indent}_tags: unknown tags, a list of [tag, bytes]; may be missing"


def _type(node: Node) -> str:
    match node:
        case Array(element, compact, nullable):
            return f"{'COMPACT_' if compact else ''}{'NULLABLE_' if nullable else ''}ARRAY of {_type(element)}"
        case Struct(name, marker=marker):
            return f"{name}{'' if marker == 'none' else ' or null'}, a structure"
        case Primitive(name):
            return name
    return type(node).__name__


# --- diff -------------------------------------------------------------------------------------------------------------


@schema.command(short_help="List the changes between schemas, and those that break compatibility.")
@click.option("--dialect", default="kafka", show_default=True, metavar="NAME", help="The dialect of the schemas.")
@click.argument("releases", metavar="OLD... NEW", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def diff(releases: tuple[Path, ...], dialect: str) -> None:
    """List the changes in NEW, and those that break compatibility with any of the OLD releases, the oldest first.

    A release is a file with a message's schema, or a folder of such files; files with the same name are compared. The
    whole history counts, not only its last step: a tag that any release has used keeps its meaning for ever.

    In the dialect kip-35-v7 a release is a ledger of ProtocolVersions, as JSON or in the proposal's own text form.

    \b
    Examples:
        wireproof schema diff kafka-3.9/FetchResponse.json kafka-4.4/FetchResponse.json
        wireproof schema diff kafka-3.9 kafka-4.3 kafka-4.4
        wireproof schema diff --dialect kip-482-v1 v1.json v2.json v3.json
        wireproof schema diff --dialect kip-35-v7 ledger-0.9.txt ledger-0.10.txt

    \b
    Exit codes: 0 compatible, 1 something breaks or a schema is refused, 2 a usage error.
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    if len(releases) < 2:
        raise click.UsageError("two releases are needed, OLD and NEW")
    if dialect not in DIALECTS:
        raise click.UsageError(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    *old, new = (_release(path, DIALECTS[dialect]) for path in releases)
    if all(path.is_file() for path in releases):  # one message, whatever it was called
        old = [dict(zip(new, release.values(), strict=False)) for release in old]
    broken = 0
    for name, raw in new.items():
        history = [release[name] for release in old if name in release]
        if not history:
            say(f"{name}: new")
            continue
        try:
            comparison = DIALECTS[dialect].compare(history, raw)
        except SchemaError as error:
            raise click.ClickException(f"{name}: {error.text}") from None
        except NotImplementedError as error:
            raise click.UsageError(str(error)) from None
        broken += len(comparison.breaks)
        _tell(name, comparison.changes)
    for name in sorted(old[-1].keys() - new.keys()):
        say(f"{name}: gone")
    say(f"{broken} {'change breaks' if broken == 1 else 'changes break'} compatibility" if broken else "compatible")
    raise SystemExit(1 if broken else 0)


def _release(path: Path, dialect: Dialect) -> dict[str, Any]:
    """Message → its schema's JSON. Raises click exceptions."""
    files = sorted(one for one in path.glob("*.json") if one.name != "index.json") if path.is_dir() else [path]
    messages: dict[str, Any] = {}
    for file in files:
        try:
            raw = dialect.read_schema(read_bytes(file))
        except SchemaError as error:
            raise click.ClickException(f"{file}: {error.detail}") from None
        except OSError as error:
            raise click.UsageError(f"{file} cannot be read: {error.strerror}") from None
        name = raw.get("name") if isinstance(raw, Mapping) else None
        message = name if isinstance(name, str) else file.stem
        if message in messages:
            raise click.ClickException(f"{file}: another file of {path} also has a message called {message}")
        messages[message] = raw
    if not messages:
        raise click.UsageError(f"{path}: there is no *.json in it")
    return messages


def _tell(name: str, changes: Sequence[Change]) -> None:
    for change in sorted(changes, key=lambda change: change.kind is None):
        kind = "compatible" if change.kind is None else str(change.kind)
        contested = f" ({change.ruling} ‡: another reading calls it a break)" if change.ruling else ""
        say(f"{name}: {kind}: {change.path}: {change.detail}{contested}")
