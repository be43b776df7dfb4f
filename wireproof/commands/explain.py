"""`wireproof explain`: an annotated hex dump of one input, or of the frames in a capture; or a page of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from wireproof import reference
from wireproof.conformance.judging.rulings import deciding_rulings
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.report.background import ruling_text
from wireproof.conformance.report.hexview import Mark, hex_dump
from wireproof.conformance.report.labels import rows_of
from wireproof.conformance.report.outline import is_structure, outline_rows
from wireproof.conformance.report.text import brief, safe, wrap
from wireproof.conformance.values.encoding import to_json
from wireproof.console import say, say_json, show, width
from wireproof.explain.capture import Capture, CapturedFrame, NotToldError
from wireproof.explain.control_records import control_lines
from wireproof.explain.hex_input import input_bytes
from wireproof.explain.types import check_type, types_of, use_registers, use_schemas
from wireproof.html.options import check_free, html_options
from wireproof.html.parts import Part
from wireproof.reference.errors import DecodeError

#: The width of the word before a paragraph below a dump.
_MARGIN = 9
#: An argument of only these characters is HEX, and no TYPE.
_HEX = re.compile(r"(?:0[xX]|\\x|[0-9a-fA-F\s:,])*")


@click.command(epilog="Exit codes: 0 the bytes decode, 1 they are refused, 2 a usage error.")
@click.argument("arguments", metavar="[TYPE] HEX...", nargs=-1, required=True)
@click.option(
    "--request", "request", metavar="HEX|@FILE", help="The requests that the responses in HEX answer; without TYPE."
)
@click.option("--dialect", default="kafka", show_default=True, metavar="NAME", help="The dialect of HEX.")
@click.option("--version", type=int, metavar="N", help="The version of TYPE: a message, header or response frame.")
@click.option(
    "--register",
    "registers",
    metavar="FILE",
    multiple=True,
    help="A register with names for header keys, in dialects that have such keys (repeatable).",
)
@click.option(
    "--schema",
    "schemas",
    metavar="FILE",
    multiple=True,
    help="A message's schema, in a dialect whose messages are made from schemas.",
)
@click.option(
    "--inflate-mb",
    type=click.IntRange(1, 1024),
    default=32,
    show_default=True,
    help="Refuse a batch or wrapper of TYPE that inflates to more MiB (resource-limit).",
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object instead of the dump.")
@html_options
def explain(
    arguments: tuple[str, ...],
    request: str | None,
    dialect: str,
    version: int | None,
    registers: tuple[str, ...],
    schemas: tuple[str, ...],
    inflate_mb: int,
    as_json: bool,
    html: Path | None,
    overwrite: bool,
) -> None:
    """Show the meaning of each byte of HEX, and mark the byte at which it is refused.

    TYPE is a type of the dialect: VARINT, COMPACT_NULLABLE_STRING, ARRAY<INT32>, TAG_BUFFER, RequestFrame, a message
    such as ApiVersionsResponse (with --version), ResponseFrame:ApiVersions.

    Without TYPE, HEX is what one side of a connection sent, beginning with a whole frame. Requests contain their type,
    so each one is explained; a single one may come without its size. Responses do not: --request gives their requests,
    and each response is read as the answer to the request with the same correlation id.

    HEX is hex digits; blanks, new lines, colons and 0x are ignored. The output of xxd and tcpdump -X is read too (in
    quotes); offsets, text and the headers of IP and TCP are left out. A single - reads HEX from standard input, @FILE
    reads the raw bytes of a file. The limits: 16 MiB of bytes, 5000 frames, and names for the first 50000 fields of
    a TYPE or frame. The rulings behind a refusal are found for up to 256 KiB.

    The messages of kip-482-v1 are made from schemas: --schema reads yours, instead of those of the kit's vectors.

    --json writes type, dialect, version, data, spans, value, error and rulings; without TYPE dialect, data and frames,
    each with start, end, type, version, sized (whether its size stands before it), why (the reason for this type),
    spans, value, error and rulings. All offsets count from the beginning of data.

    --html writes a page instead, of up to 1 MiB of bytes: a byte shows its field and its rule, a field shows its bytes.

    \b
    Examples:
        wireproof explain VARINT 'ff ff ff ff 0f'
        wireproof explain 'ARRAY<STRING>' 000000020001610001ff
        wireproof explain ApiVersionsRequest --version 3 0261023100
        wireproof explain ResponseFrame:Metadata --version 12 @answer.bin
        wireproof explain 0000000c 0012 0000 00000007 0002 6d65
        wireproof explain @to-broker.bin
        wireproof explain --request @to-broker.bin @from-broker.bin
        wireproof explain --dialect kip-82-int-keys --register keys.csv HEADERS 001000100000000161
        wireproof explain --dialect kip-482-v1 --schema Mine.json Mine --version 3 00
        wireproof explain @to-broker.bin --html capture.html
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    if html is not None:
        if as_json:
            raise click.UsageError("--json and --html are two forms of output: choose one")
        check_free(html, overwrite=overwrite)
    output = Output(as_json, html, overwrite)
    if schemas:
        use_schemas(schemas, dialect)
    type_name, digits = split_type(arguments, dialect)
    if registers:
        use_registers(registers, dialect)
    if type_name is None:
        refused = _explain_frames(digits, request, dialect, version, output)
    elif request is None:
        refused = _explain_typed(type_name, digits, dialect, version, inflate_mb, output)
    else:
        raise click.UsageError("with --request the type follows from the request: leave TYPE out")
    sys.exit(1 if refused else 0)


@dataclass(frozen=True, slots=True)
class Output:
    """The form of the output: a dump, JSON, or a page in the file `html`."""

    as_json: bool = False
    html: Path | None = None
    overwrite: bool = False

    def page(self, dialect: str, data: bytes, parts: Iterable[Part]) -> None:
        """Write the page."""
        from wireproof.html.explained import write_page  # its packages cost more than a dump needs

        assert self.html is not None
        write_page(self.html, dialect, data, parts, overwrite=self.overwrite)
        say(f"page: {self.html}")


def split_type(arguments: tuple[str, ...], dialect: str) -> tuple[str | None, tuple[str, ...]]:
    """TYPE (None where it is left out) and the arguments with HEX. Raises click.UsageError."""
    first, *rest = arguments
    is_hex = not first[:1].isalpha() or _HEX.fullmatch(first)
    if is_hex and first not in types_of(dialect):
        return None, arguments
    if not rest:
        raise click.UsageError(f"Missing argument 'HEX...': {first!r} is taken for TYPE")
    return first, tuple(rest)


def _explain_typed(
    type_name: str,
    digits: tuple[str, ...],
    dialect: str,
    version: int | None,
    inflate_mb: int,
    output: Output,
) -> bool:
    """Write the explanation of the bytes as this type. Returns whether they are refused."""
    data = input_bytes(digits)
    check_type(type_name, dialect, version)
    codec = reference_codec().under(reference.Rules(inflate_limit=inflate_mb << 20))
    explanation = codec.explain(type_name, data, dialect=dialect, version=version)
    error = explanation.error
    rulings = () if error is None else deciding_rulings(type_name, data, dialect, version, error, explanation.spans)
    if output.as_json:
        named = {"type": type_name, "dialect": dialect, "version": version, "data": data.hex()}
        say_json({**named, **_facts(explanation, rulings)})
        return error is not None
    named_so = type_name if version is None else f"{type_name} version {version}"
    if output.html is not None:
        output.page(dialect, data, [Part(named_so, "", 0, len(data), explanation, rulings)])
        return error is not None
    out = Text().append(safe(named_so), "bold").append(f", {len(data)} {'byte' if len(data) == 1 else 'bytes'}\n\n")
    if is_structure(explanation.spans):
        out.append_text(_outline(explanation, data, 0, _notes(type_name, version, explanation, dialect)))
        out.append_text(_end(explanation, rulings, dialect, "to the last byte"))
    else:
        out.append_text(hex_dump(rows_of(explanation.spans, data), width=width(), marks=_marks(error))).append("\n\n")
        out.append_text(_end(explanation, rulings, dialect, None))
    if error is not None and error.reason is reference.Reason.RESOURCE_LIMIT:
        out.append(f"\n{'limit':<{_MARGIN}}", "bold").append(_hanging("--inflate-mb reads more"))
    for line in () if error else control_lines(dialect, type_name, explanation.value):
        out.append(f"\n{'control':<{_MARGIN}}", "bold").append(_hanging(safe(line)))
    show(out)
    return error is not None


def _explain_frames(
    digits: tuple[str, ...], request: str | None, dialect: str, version: int | None, output: Output
) -> bool:
    """Write the explanation of the frames. Returns whether one of them is refused, or cannot be read."""
    if version is not None:
        raise click.UsageError("--version needs a TYPE, such as ResponseFrame:Metadata")
    types, spoken = types_of(dialect), reference_codec().dialect(dialect)
    if not any(map(spoken.request_type, spoken.apis())):
        raise click.UsageError(f"the dialect {dialect} has no frames: say TYPE, {', '.join(sorted(types))}")
    capture = Capture(input_bytes(digits), dialect)
    try:
        if request is None:
            frames = capture.requests()
        else:
            asked = Capture(input_bytes((request,)), dialect)
            frames = capture.responses(asked)
    except NotToldError as error:
        raise click.UsageError(str(error)) from None
    if output.as_json:
        say_json({"dialect": dialect, "data": capture.data.hex(), "frames": [_frame_facts(one) for one in frames]})
    elif output.html is not None:
        output.page(dialect, capture.data, map(_part, frames))
    else:
        for number, frame in enumerate(frames, 1):
            if frames[1:]:
                place = f"frame {number} of {len(frames)}, bytes {frame.start} to {frame.end - 1}"
                show(Text(f"\n{place}" if number > 1 else place, "bold"))
            show(_frame(frame, capture.data, dialect))
        if frames[1:]:
            show(Text("\n").append_text(_summary(frames)))
    return not all(map(_is_good, frames))


def _is_good(frame: CapturedFrame) -> bool:
    return frame.type is not None and frame.explanation.error is None


# --- Output -----------------------------------------------------------------------------------------------------------


def _frame(frame: CapturedFrame, data: bytes, dialect: str) -> Text:
    explanation = frame.explanation
    out = Text()
    for line in wrap(safe(f"{_name(frame)}: {frame.why}"), width()):
        out.append(f"{line}\n", "bold")
    notes = _notes(frame.type or "", frame.version, explanation, dialect)
    out.append("\n").append_text(_outline(explanation, data[: frame.end], frame.start, notes))
    if frame.type is not None:
        out.append_text(_end(explanation, frame.rulings, dialect, "to the last byte"))
    out.rstrip()
    return out


def _part(frame: CapturedFrame) -> Part:
    read = frame.type is not None
    return Part(_name(frame), frame.why, frame.start, frame.end, frame.explanation, frame.rulings, read)


def _name(frame: CapturedFrame) -> str:
    named = "not read" if frame.type is None else f"read as {frame.type}"
    return named if frame.version is None else f"{named} version {frame.version}"


def _summary(frames: Sequence[CapturedFrame]) -> Text:
    good = sum(map(_is_good, frames))
    unread = sum(frame.type is None for frame in frames)
    counts = {"accepted": good, "refused": len(frames) - good - unread, "not read": unread}
    return Text(f"{len(frames)} frames: " + ", ".join(f"{count} {what}" for what, count in counts.items() if count))


def _outline(explanation: reference.Explanation, data: bytes, start: int, notes: Mapping[str, str]) -> Text:
    value = {} if explanation.error else {"value": explanation.value}
    rows = outline_rows(explanation.spans, data, start=start, notes=notes, **value)
    return hex_dump(rows, width=width(), marks=_marks(explanation.error)).append("\n\n")


def _marks(error: DecodeError | None) -> list[Mark]:
    if error is None or error.offset is None:
        return []
    return [Mark(error.offset, f"{error.reason}: {error.detail}")]


def _end(explanation: reference.Explanation, rulings: Iterable[str], dialect: str, good: str | None) -> Text:
    """The last lines: `good`, or the value where that is None; or the refusal and its rulings."""
    out = Text()
    if explanation.error is None:
        word, said = ("value", brief(explanation.value, 8 * width())) if good is None else ("accepted", good)
        return out.append(f"{word:<{_MARGIN}}", "bold green").append(_hanging(said))
    out.append(f"{'refused':<{_MARGIN}}", "bold red").append(_hanging(safe(str(explanation.error))))
    for identifier in rulings:
        ruling_shown = ruling_text(identifier, reference.rulings(dialect).get(identifier), width() - _MARGIN)
        out.append(f"\n{'ruling':<{_MARGIN}}", "bold")
        for number, line in enumerate(ruling_shown.split("\n")):
            out.append(f"\n{'':{_MARGIN}}" if number else "").append_text(line)
    return out


def _hanging(text: str) -> str:
    """Text wrapped, with a hanging indent."""
    return f"\n{'':{_MARGIN}}".join(wrap(text, width() - _MARGIN))


def _notes(type_name: str, version: int | None, explanation: reference.Explanation, dialect: str) -> dict[str, str]:
    """Names and versions of a frame's header and body, as far as they follow from the bytes read."""
    read = {span.path: span.value for span in explanation.spans}
    tagged = any(path.startswith("header._tags") for path in read)
    if type_name == "RequestFrame":
        api = reference_codec().dialect(dialect).apis().get(read.get("header.RequestApiKey", -1))
        header = f"RequestHeader version {2 if tagged else 1 if 'header.ClientId' in read else 0}"
        message = f"{api}Request version {read.get('header.RequestApiVersion')}"
    else:
        header = f"ResponseHeader version {1 if tagged else 0}"
        message = f"{type_name.rpartition(':')[2]}Response version {version}"
    begun = explanation.error is None or not explanation.error.path.startswith(("header", "size"))
    return {"header": header, "body": message} if begun else {"body": message}


def _facts(explanation: reference.Explanation, rulings: Iterable[str]) -> dict[str, Any]:
    error = explanation.error
    return {
        "spans": [
            {"path": one.path, "start": one.start, "end": one.end, "what": one.what, "value": to_json(one.value)}
            for one in explanation.spans
        ],
        "value": None if error else to_json(explanation.value),
        "error": error and {"reason": error.reason, "offset": error.offset, "path": error.path, "detail": error.detail},
        "rulings": list(rulings),
    }


def _frame_facts(frame: CapturedFrame) -> dict[str, Any]:
    named = {name: getattr(frame, name) for name in ("start", "end", "type", "version", "sized", "why")}
    return {**named, **_facts(frame.explanation, frame.rulings)}
