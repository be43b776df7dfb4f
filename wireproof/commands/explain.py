"""`wireproof explain`: an annotated hex dump of one input."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.text import Text

import reference
from conformance.report.hexview import Mark, hex_dump
from conformance.report.labels import rows_of
from conformance.report.text import brief, safe, wrap
from conformance.values import to_json
from wireproof.output import show, width


@click.command(epilog="Exit codes: 0 the bytes decode, 1 they are refused, 2 a usage error.")
@click.argument("type_name", metavar="TYPE")
@click.argument("digits", metavar="HEX...", nargs=-1, required=True)
@click.option("--dialect", default="kafka", show_default=True, metavar="NAME", help="The dialect that TYPE is of.")
@click.option("--version", type=int, metavar="N", help="The version, for messages, headers and response frames.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object in place of the dump.")
def explain(type_name: str, digits: tuple[str, ...], dialect: str, version: int | None, as_json: bool) -> None:
    """Say what each byte of HEX is, read as TYPE, and mark the byte at which it is refused.

    TYPE is a type of the dialect: VARINT, COMPACT_NULLABLE_STRING, ARRAY<INT32>, TAG_BUFFER, RequestFrame, a message
    such as ApiVersionsResponse (with --version), ResponseFrame:ApiVersions.

    HEX are hex digits; blanks, new lines, colons and 0x are passed over. A single - reads them from standard input,
    @FILE reads the raw bytes of a file.

    \b
    Examples:
        wireproof explain VARINT 'ff ff ff ff 0f'
        wireproof explain 'ARRAY<STRING>' 000000020001610001ff
        wireproof explain ApiVersionsRequest --version 3 026102310000
        wireproof explain RequestFrame @captured.bin
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    data = read_bytes(digits)
    check_type(type_name, dialect, version)
    explanation = reference.explain(type_name, data, dialect=dialect, version=version)
    if as_json:
        click.echo(json.dumps(_as_json(type_name, dialect, version, data, explanation), ensure_ascii=False))
    else:
        _dump(type_name, version, data, explanation)
    sys.exit(1 if explanation.error is not None else 0)


def _dump(type_name: str, version: int | None, data: bytes, explanation: reference.Explanation) -> None:
    named = type_name if version is None else f"{type_name} version {version}"
    out = Text().append(safe(named), "bold").append(f", {len(data)} {'byte' if len(data) == 1 else 'bytes'}\n\n")
    error = explanation.error
    marks = []
    if error is not None and error.offset is not None:
        marks.append(Mark(error.offset, f"{error.reason}: {error.detail}"))
    out.append_text(hex_dump(rows_of(explanation.spans, data), width=width(), marks=marks)).append("\n\n")
    if error is None:
        out.append("value    ", "bold green").append(_hanging(brief(explanation.value, 8 * width())))
    else:
        out.append("refused  ", "bold red").append(_hanging(safe(str(error))))
    show(out)


def _hanging(text: str) -> str:
    """Wrapped beside the word that stands before it."""
    return f"\n{'':9}".join(wrap(text, width() - 9))


def _as_json(
    type_name: str, dialect: str, version: int | None, data: bytes, explanation: reference.Explanation
) -> dict[str, Any]:
    error = explanation.error
    return {
        "type": type_name,
        "dialect": dialect,
        "version": version,
        "data": data.hex(),
        "spans": [
            {"path": one.path, "start": one.start, "end": one.end, "what": one.what, "value": to_json(one.value)}
            for one in explanation.spans
        ],
        "value": None if error else to_json(explanation.value),
        "error": error and {"reason": error.reason, "offset": error.offset, "path": error.path, "detail": error.detail},
    }


def read_bytes(arguments: tuple[str, ...]) -> bytes:
    """The bytes that the arguments give: digits, `-` or `@FILE`. Raises click.UsageError."""
    if len(arguments) == 1 and arguments[0].startswith("@"):
        path = Path(arguments[0][1:])
        try:
            return path.read_bytes()
        except OSError as error:
            raise click.UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    text = sys.stdin.read() if arguments == ("-",) else " ".join(arguments)
    return _digits(text)


def _digits(text: str) -> bytes:
    """Hex digits with anything between them that people write there."""
    found: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        if text[position : position + 2] in ("0x", "0X", "\\x") and len(found) % 2 == 0:
            position += 2
            continue
        if char in "0123456789abcdefABCDEF":
            found.append(char)
        elif not (char.isspace() or char in ":,"):
            shown = safe(text[max(0, position - 8) : position + 9])
            raise click.UsageError(
                f"character {position + 1} of HEX, '{safe(char)}', is no hex digit (near '{shown}'); "
                "blanks, colons and 0x may stand between the digits, a file is given as @FILE"
            )
        position += 1
    if len(found) % 2:
        near = "".join(found[-5:])
        raise click.UsageError(
            f"HEX has {len(found)} digits, an odd number: digit {len(found)}, the last one of …{near}, "
            "stands alone; two digits make a byte"
        )
    return bytes.fromhex("".join(found))


def check_type(type_name: str, dialect: str, version: int | None) -> None:
    """Is there such a type, and is the version one of its own? Raises click.UsageError with what is near."""
    known = reference.types
    if dialect not in known:
        raise click.UsageError(f"there is no dialect {dialect!r}; there are {', '.join(known)}")
    types = known[dialect]
    name = "ARRAY" if type_name.endswith(">") else type_name
    if name not in types or type_name == "ARRAY":
        raise click.UsageError(_unknown(type_name, dialect, sorted(types)))
    span = types[name]
    if span is None:
        try:
            reference.explain(type_name, b"", dialect=dialect)
        except NotImplementedError:
            raise click.UsageError(_unknown(type_name, dialect, sorted(types))) from None
        if version is not None:
            raise click.UsageError(f"{type_name} has no versions; leave --version out")
    elif version is None:
        raise click.UsageError(f"{type_name} has versions: say which with --version, {span[0]} to {span[1]}")


def _unknown(type_name: str, dialect: str, names: list[str]) -> str:
    if "<" in type_name or type_name == "ARRAY":
        return (
            f"{type_name!r} is no array type of {dialect}: ARRAY, NULLABLE_ARRAY, COMPACT_ARRAY or "
            "COMPACT_NULLABLE_ARRAY stands before <T>, and T is a primitive or an array, as in ARRAY<STRING>"
        )
    by_upper = {name.upper(): name for name in names}
    near = [by_upper[one] for one in difflib.get_close_matches(type_name.upper(), by_upper, n=4, cutoff=0.6)]
    meant = f"; near it are {', '.join(near)}" if near else f"; its types are {', '.join(names)}"
    return f"the dialect {dialect} has no type {type_name!r}{meant}"
