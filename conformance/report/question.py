"""The question of a failure, laid out for a person: one block per op, with its bytes named piece by piece."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from wireproof.conformance.client_run import ClientRun, RunEvent
from wireproof.conformance.model import Case, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.report.hexview import BAD, DIM, GOOD, Mark, Row, hex_dump
from wireproof.conformance.report.labels import explained, label_rows, named_pieces, rows_of
from wireproof.conformance.report.text import brief, middle, safe, wrap
from wireproof.conformance.script import Load, Reached, Receive, Rest, Send, Transcript
from wireproof.conformance.vectors import Vector
from wireproof.reference.cursor import Span
from wireproof.reference.errors import DecodeError
from wireproof.reference.records.produce import OPTIONS

#: The types to try for the bytes of a broker that should have sent nothing.
_FALLBACKS: Sequence[tuple[str | None, int | None]] = (("ResponseFrame:ApiVersions", 0),)
#: The maximum number of rows of a dump.
ROWS = 20
#: Data up to this length is also shown as one row of digits, to be copied.
_COPIED = 40


def subject(case: Case) -> str:
    """`decode TAG_BUFFER`, `encode ApiVersionsResponse version 3`, `serve`."""
    parts = [str(case.op), case.type or "", "" if case.version is None else f"version {case.version}"]
    return " ".join(part for part in parts if part)


def data_rows(vector: Vector, case: Case) -> list[Row]:
    """The rows of the question's bytes."""
    type_name = reference_codec().dialect(case.dialect).records_field if case.op is Op.CONSUME else case.type
    return label_rows(named_pieces(vector.pieces, case), case.args["data"], type_name, case.dialect, case.version)


def question(vector: Vector, case: Case, marks: Sequence[Mark], width: int) -> Text:
    """The question, with marks at the bytes that matter."""
    args = case.args
    match case.op:
        case Op.DECODE | Op.RECODE | Op.LOOKUP | Op.CONVERT | Op.CONSUME:
            return _about_bytes(vector, case, marks, width)
        case Op.PRODUCE:
            return titled(_production(args), brief(args["records"], 4 * width), width)
        case Op.ENCODE:
            return titled(f"encode as {_typed(case)}", brief(args["value"], 4 * width), width)
        case Op.SERVE:
            return _serve(case, width)
        case Op.INTERPRET if "script" in args:
            said = Text("do, as a client, what its command says, with a broker that is the usual one but for this")
            return said.append_text(_lines(args["script"].told(), "", width))
        case Op.INTERPRET:
            return _interpret(case, width)
        case Op.NEGOTIATE:
            return _negotiate(case, width)
    out = titled("old schema", brief(args["old"], 4 * width), width)
    return out.append("\n").append_text(titled("new schema", brief(args["new"], 4 * width), width))


def _typed(case: Case) -> str:
    return f"{case.type}" if case.version is None else f"{case.type} version {case.version}"


def titled(title: str, text: str, width: int, style: str = "bold") -> Text:
    """`title: text` if that fits on a line, else the text below the title."""
    if len(title) + 2 + len(text) <= width:
        return Text(f"{safe(title)}: ").append(text, style)
    out = paragraphs(f"{safe(title)}:", "", width)
    for line in wrap(text, width - 4):
        out.append(f"\n    {line}", style)
    return out


_VERBS = {
    Op.DECODE: "decode",
    Op.RECODE: "decode and encode again",
    Op.LOOKUP: "look up",
    Op.CONVERT: "convert",
    Op.CONSUME: "deliver the records in",
}


#: Ops that are asked something beside bytes: a key, a format, a position.
ASKED_BESIDE_BYTES = (Op.LOOKUP, Op.CONVERT, Op.CONSUME)


def of_bytes(case: Case) -> str:
    """A question about bytes in a line, without the bytes."""
    size = len(case.args["data"])
    key = f" all values of the key {brief(case.args['key'], 40)} in" if case.op is Op.LOOKUP else ""
    target = f", to {brief(case.args['to'], 40)}" if case.op is Op.CONVERT else ""
    kind = _consumption(case) if case.op is Op.CONSUME else f" as {_typed(case)}"
    return f"{_VERBS[case.op]}{key} {size} {'byte' if size == 1 else 'bytes'}{kind}{target}"


def _about_bytes(vector: Vector, case: Case, marks: Sequence[Mark], width: int) -> Text:
    data, title = case.args["data"], of_bytes(case)
    out = titled(title, data.hex(), width) if 0 < len(data) <= _COPIED else paragraphs(safe(title), "", width)
    out.append("\n")
    rows = data_rows(vector, case)
    if rows or marks:
        out.append_text(hex_dump(rows, width=width, marks=marks, limit=ROWS))
    out.rstrip()
    return out


def _consumption(case: Case) -> str:
    """What a consumer is asked, beside the bytes."""
    args = case.args
    listed = [f"producer {one['producer_id']} from offset {one['first_offset']}" for one in args["aborted"]]
    aborted = f", aborted: {middle(', '.join(listed), 200)}" if listed else ""
    return f" of a partition from position {args['position']} on, {args['isolation']}{aborted}"


def _production(args: Mapping[str, Any]) -> str:
    """What a producer is to write, without the records."""
    options = ", ".join(f"{name} {value}" for name, value in args["options"].items() if value != OPTIONS[name])
    return f"produce in magic {args['magic']}, codec {args['codec']}{f', {options}' if options else ''}"


def _serve(case: Case, width: int) -> Text:
    if "script" in case.args:
        return Text("answer, as a broker, this conversation; here with the versions that it announces").append_text(
            _lines(case.args["script"].told(), "", width)
        )
    chunks: Sequence[bytes] = case.args["chunks"]
    count = "one piece" if len(chunks) == 1 else f"{len(chunks)} pieces"
    out = Text(f"answer, as a broker, these bytes on a new connection, in {count}\n")
    rows, marks = frames(b"".join(chunks), case.dialect, _request_types(case.dialect))
    out.append_text(hex_dump(rows, width=width, marks=marks, limit=ROWS))
    if len(chunks) > 1:
        ends = list(itertools.accumulate(len(chunk) for chunk in chunks[:-1]))
        shown = ", ".join(str(end) for end in ends[:12]) + (" …" if len(ends) > 12 else "")
        out.append(f"\nthe pieces begin at byte 0, {shown}", DIM)
    return out


def _lines(lines: Iterable[str], style: str, width: int) -> Text:
    """Lines, each of which is cut where it is too long."""
    out = Text()
    for line in lines:
        out.append(f"\n    {middle(safe(line), 2 * width)}", style)
    return out


def conversation(held: Transcript, width: int) -> Text:
    """The frames of a conversation, and what else happened; the last ones, if there are many."""
    lines = [*_told(held)]
    left_out = len(lines) - ROWS
    shown = ([f"… ({left_out} lines before)"] if left_out > 0 else []) + lines[-ROWS:]
    return Text(
        "the seconds since the beginning, the connection, and > what was sent to the broker, < what came"
    ).append_text(_lines(shown, BAD, width))


def _told(held: Transcript) -> Iterator[str]:
    for action, event in held.events:
        match action, event:
            case Send(on, data, secret), _:
                yield f"{event.at:.3f} {on} > {'a token' if secret else byte_line(data)}"
            case Load(count), _:
                yield f"{event.at:.3f} {count:,} other clients have come"
            case Reached(), (_, data, at):
                yield f"{at:.3f} reached the broker behind it: {byte_line(data) if data else 'nothing'}"
            case Receive(on), (("closed" | "silent") as kind, data, at):
                yield f"{at:.3f} {on} {kind}{f', after {byte_line(data)}' if data else ''}"
            case ((Receive(on) | Rest(on)), (_, data, at)) if data:
                yield f"{at:.3f} {on} < {byte_line(data)}"


def client_run(run: ClientRun, width: int) -> Text:
    """The frames of a client and the answers to them, and how it ended; the last ones, if there are many."""
    lines = [*map(_event_line, run.events), f"{run.seconds:.3f} it ended with exit code {run.code}"]
    left_out = len(lines) - ROWS
    shown = ([f"… ({left_out} lines before)"] if left_out > 0 else []) + lines[-ROWS:]
    second = " (to node 1: the second broker)" if any(event.node for event in run.events) else ""
    return Text(
        f"the seconds since its start, the connection{second}, and > what it sent, < what the broker answered"
    ).append_text(_lines(shown, BAD, width))


def _event_line(event: RunEvent) -> str:
    begins = f"{event.at:.3f} {event.connection}{f' to node {event.node}' if event.node else ''}"
    match event.kind:
        case "request":
            api, version = (int.from_bytes(event.data[at : at + 2], signed=True) for at in (0, 2))
            name = reference_codec().dialect("kafka").apis().get(api, f"api {api}")
            return f"{begins} > {name} {version}: {byte_line(event.data)}"
        case "answer":
            return f"{begins} < {'by the script: ' if event.scripted else ''}{byte_line(event.data)}"
        case "token":
            return f"{begins} > a token of the login, which is not recorded"
    return f"{begins} {event.kind}"


Typed = tuple[str | None, int | None]


def frames(data: bytes, dialect: str, tried: Sequence[Typed]) -> tuple[list[Row], list[Mark]]:
    """The frames of a connection, with a mark at each fault. For each frame the reference uses the type and version of
    `tried` that fits best.
    """
    rows: list[Row] = []
    marks: list[Mark] = []
    start = 0
    while start < len(data):
        size = int.from_bytes(data[start : start + 4], "big", signed=True)
        end = start + 4 + size
        if size < 0 or end > len(data):
            end = len(data)
        frame = data[start:end]
        spans, error = _best(frame, dialect, tried)
        named = rows_of(spans, frame) if spans else _bare_frame(frame)
        rows += [row if row.offset is None else dataclasses.replace(row, offset=row.offset + start) for row in named]
        if error is not None and error.offset is not None:
            marks.append(Mark(start + error.offset, f"{error.reason}: {error.detail}", "yellow"))
        start = end
    return rows, marks


def _best(frame: bytes, dialect: str, tried: Sequence[Typed]) -> tuple[tuple[Span, ...], DecodeError | None]:
    """The reading without a fault, else the one that comes furthest."""
    explanations = [explained(type_name, frame, dialect, version) for type_name, version in tried]
    explanations = [one for one in explanations if one[0]]
    if not explanations:
        return (), None
    spans, _, error = max(explanations, key=lambda one: (one[2] is None, one[0][-1].end))
    return spans, error


def _bare_frame(frame: bytes) -> list[Row]:
    """A frame that cannot be read: its size, and the rest."""
    rows = [Row(0, frame[:4], "size" if len(frame) >= 4 else "the beginning of a size")]
    if len(frame) > 4:
        rows.append(Row(4, frame[4:], "the frame's content"))
    return rows


def _interpret(case: Case, width: int) -> Text:
    request: bytes = case.args["request"]
    response: bytes | None = case.args["response"]
    out = Text("interpret, as a client, a response. It had sent\n")
    rows, marks = frames(request, case.dialect, _request_types(case.dialect))
    out.append_text(hex_dump(rows, width=width, marks=marks, limit=ROWS))
    if response is None:
        return out.append("\nand the connection was closed without an answer")
    out.append("\nand received\n")
    rows, marks = frames(response, case.dialect, _response_types(request, response, case.dialect))
    return out.append_text(hex_dump(rows, width=width, marks=marks, limit=ROWS)) if rows else out.append("nothing")


def _request_types(dialect: str) -> list[Typed]:
    """The types of a dialect's requests."""
    described = reference_codec().dialect(dialect)
    types = dict.fromkeys(described.request_type(key) for key in described.apis())
    return [(type_name, None) for type_name in types if type_name is not None]


def _response_types(request: bytes, response: bytes, dialect: str) -> list[Typed]:
    """The types of the response to this request."""
    if len(request) < 8:
        return []
    key, version = (int.from_bytes(request[at : at + 2], "big", signed=True) for at in (4, 6))
    answer_type = reference_codec().dialect(dialect).answer_type(key, version, response[4:])
    return [] if answer_type is None else [answer_type[:2]]


def _negotiate(case: Case, width: int) -> Text:
    args = case.args
    said = f"the client has {span(args['client'])}, the broker {span(args['broker'])}"
    return paragraphs(f"choose the version of api {args['api_key']}: {said}", "", width)


def span(pair: Sequence[int] | None) -> str:
    """A (min, max) pair in words."""
    if pair is None:
        return "does not list it"
    low, high = pair
    return f"{low} to {high}" + (" (an empty range)" if low > high else "")


def expectation(vector: Vector, case: Case, width: int) -> Text:
    """The demand, as a block."""
    if vector.reject is None:
        text = _expected_answer(vector, case, width)
        return text.append(f"\nor a refusal ({vector.or_reject})", DIM) if vector.or_reject is not None else text
    said = f"a refusal: {vector.reject.reason}"
    if vector.reject.offset is not None:
        said += f" at byte {vector.reject.offset}"
        name = piece_at(data_rows(vector, case), vector.reject.offset) if "data" in case.args else ""
        said += f', "{safe(name)}"' if name else ""
    return paragraphs(said, GOOD, width)


def _expected_answer(vector: Vector, case: Case, width: int) -> Text:
    expected = vector.expected
    match case.op:
        case Op.DECODE:
            said = brief(vector.value, 4 * width)
        case Op.ENCODE | Op.RECODE | Op.CONVERT:
            said = byte_line(vector.canonical_data)
        case Op.SERVE if "script" in case.args:
            said = "the answers that stand there"
        case Op.SERVE:
            patterns, closes = expected
            return _patterns(patterns, closes, width)
        case Op.NEGOTIATE:
            said = "no version: they have none in common" if expected is None else str(expected)
        case Op.EVOLVE:
            said = ", ".join(f"{one.get('kind')} at {one.get('path')}" for one in expected) or "nothing breaks"
        case Op.INTERPRET if "script" in case.args:
            steps = [*expected["next"], *expected["waits"], *expected["ends"]]
            said = "good frames" + (f", and {', '.join(step.replace('-', ' ') for step in steps)}" if steps else "")
        case Op.LOOKUP | Op.INTERPRET | Op.CONSUME | Op.PRODUCE:
            said = brief(expected, 4 * width)
    return paragraphs(safe(said), GOOD, width)


def byte_line(data: bytes) -> str:
    """Bytes on one line; long ones are cut, with their length."""
    if not data:
        return "no bytes"
    return data.hex(" ") if len(data) <= 16 else f"{data[:10].hex(' ')} … {data[-4:].hex(' ')} ({len(data)} bytes)"


def paragraphs(text: str, style: str, width: int) -> Text:
    """One-line text, wrapped."""
    return Text("\n".join(wrap(text, width)), style)


def _patterns(patterns: Sequence[Any], closes: bool, width: int) -> Text:
    out = Text()
    if not patterns:
        out.append("no bytes\n", GOOD)
    for pattern in patterns:
        if "hex" in pattern:
            out.append(f"{byte_line(bytes.fromhex(pattern['hex']))}\n", GOOD)
            continue
        version = pattern.get("version")
        named = f"{safe(str(pattern.get('type')))}{'' if version is None else f' version {version}'}"
        out.append(f"{named}{', in any order' if pattern.get('order') == 'any' else ''}, with\n", GOOD)
        for line in wrap(brief(pattern.get("value"), 4 * width), width - 4):
            out.append(f"    {line}\n", GOOD)
    return out.append(f"and the connection {'is closed' if closes else 'stays open'}", GOOD)


def answer(case: Case, value: Any, patterns: Sequence[Any], width: int) -> Text:
    """An implementation's answer. `patterns` name the frames that a broker has to send."""
    match case.op:
        case Op.SERVE if isinstance(value, Transcript):
            return conversation(value, width)
        case Op.INTERPRET if isinstance(value, ClientRun):
            return client_run(value, width)
        case Op.DECODE | Op.LOOKUP | Op.CONSUME:
            return paragraphs(brief(value, 4 * width), BAD, width)
        case Op.ENCODE | Op.RECODE | Op.CONVERT | Op.PRODUCE:
            return paragraphs(byte_line(value) if isinstance(value, bytes) else brief(value), BAD, width)
        case Op.SERVE if isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[0], bytes):
            sent, closed = value
            out = Text()
            if sent:
                tried = [(one.get("type"), one.get("version")) for one in patterns] or _FALLBACKS
                rows, marks = frames(sent, case.dialect, tried)
                out.append_text(hex_dump(rows, width=width, marks=marks, limit=ROWS)).append("\n")
            else:
                out.append("no bytes\n", BAD)
            return out.append(f"and the connection {'is closed' if closed else 'stays open'}", BAD)
        case Op.NEGOTIATE if value is None:
            return Text("no version", BAD)
        case Op.EVOLVE if value == []:
            return Text("nothing breaks", BAD)
    return paragraphs(brief(value, 2 * width), BAD, width)


def piece_at(rows: Sequence[Row], offset: int) -> str:
    """The label of the piece with this byte; "" for a byte after all pieces."""
    for row in rows:
        if row.offset is not None and row.offset <= offset < row.offset + len(row.data):
            return row.label
    return ""
