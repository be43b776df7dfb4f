"""The line protocol: cases and observations to JSON lines and back, strict both ways.

A question: `{"seq":7,"op":"decode","dialect":"kafka","type":"INT32","data":"00000007"}`. Answers: see `observation`.
"""

from __future__ import annotations

import binascii
import contextlib
import functools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

import msgspec

from wireproof.conformance.connection import description as describing
from wireproof.conformance.connection.protocol.shapes import ShapeError, brief, shape
from wireproof.conformance.connection.protocol.simple_value import SimpleValue
from wireproof.conformance.decoding import DecodingError, NotUtf8Error, decode_json
from wireproof.conformance.model import TYPED_OPS, Case, Description, Observation, Op, Status, argument_names
from wireproof.conformance.values.encoding import ValueFormatError, from_json, to_json
from wireproof.errors import WireproofError

_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder()


class LineError(WireproofError):
    """A line that breaks the protocol. `seq`: the number of the question that it answers, if that can be read."""

    def __init__(self, text: str, seq: int | None = None) -> None:
        super().__init__(text)
        self.seq = seq


def dumps(message: Mapping[str, Any]) -> bytes:
    """A message as a line, with its line feed."""
    try:
        return _encode(message) + b"\n"
    except UnicodeEncodeError:  # lone surrogates: some decoders make them from broken UTF-8
        return json.dumps(msgspec.to_builtins(message)).encode() + b"\n"


def loads(line: bytes) -> Any:
    """The content of a line. Raises LineError when it is not JSON."""
    try:
        return decode_json(_decoder, line)
    except NotUtf8Error as error:
        raise LineError(str(error), _seq_of(line)) from None
    except DecodingError as error:
        if b"\\u" not in line:
            raise LineError(f"not JSON ({str(error).removeprefix('JSON is malformed: ')})") from None
    try:  # lone surrogates again
        # As text: of bytes it would also take UTF-16, and a byte order mark.
        return json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise LineError(f"not JSON ({error})") from None


def _seq_of(line: bytes) -> int | None:
    """The `seq` of a line with bytes that are no UTF-8; None if the rest is no JSON object with one."""
    with contextlib.suppress(LineError):
        message = loads(line.decode("utf-8", "replace").encode())
        return _seq(message)
    return None


def _seq(message: Any) -> int | None:
    seq = message.get("seq") if isinstance(message, dict) else None
    return seq if type(seq) is int else None


class _TwiceError(Exception):
    """A name that stands twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    object_ = dict(pairs)
    if len(object_) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return object_


def _check_names(line: bytes, message: Any) -> None:
    """Raises LineError if a name stands twice in an object of the line: then it is not clear what was answered.
    `message`: what was read from the line. Of two values JSON readers keep one and say nothing."""
    with contextlib.suppress(UnicodeEncodeError):
        if _encode(message) == line.strip():  # as most programs write it; it has each name once
            return
    try:
        json.loads(line, object_pairs_hook=_once)
    except _TwiceError as error:
        raise LineError(f"an object has the name {brief(str(error))} twice", _seq(message)) from None
    except RecursionError:
        raise LineError("nested too deeply", _seq(message)) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


# Arguments: the Python values of a case to JSON and back.


def _hex_or_null(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


def _same(value: Any) -> Any:
    return value


_TO_JSON: Mapping[str, Callable[[Any], Any]] = {
    "bootstrap": _same,
    "data": bytes.hex,
    "value": to_json,
    "key": to_json,
    "to": _same,
    "position": to_json,
    "isolation": _same,
    "aborted": to_json,
    "records": to_json,
    "magic": _same,
    "codec": _same,
    "options": to_json,
    "chunks": lambda chunks: [chunk.hex() for chunk in chunks],
    "request": bytes.hex,
    "response": _hex_or_null,
    "api_key": _same,
    "client": list,
    "broker": lambda pair: None if pair is None else list(pair),
    "old": _same,
    "new": _same,
}


def octets(text: Any, what: str) -> bytes:
    """Bytes from hex digits. Raises ShapeError."""
    if isinstance(text, str):
        with contextlib.suppress(ValueError):
            return binascii.unhexlify(text)  # unlike bytes.fromhex, it takes no white space
    raise ShapeError(f"`{what}` is {brief(text)}: hex digits, two for each byte, were expected")


def _pair(value: Any) -> tuple[int, int]:
    low, high = value
    return low, high


_FROM_JSON: Mapping[str, Callable[[Any], Any]] = {
    "bootstrap": _same,
    "data": lambda text: octets(text, "data"),
    "value": from_json,
    "key": from_json,
    "to": _same,
    "position": from_json,
    "isolation": _same,
    "aborted": from_json,
    "records": from_json,
    "magic": _same,
    "codec": _same,
    "options": from_json,
    "chunks": lambda chunks: [octets(chunk, "chunks") for chunk in chunks],
    "request": lambda text: octets(text, "request"),
    "response": lambda text: None if text is None else octets(text, "response"),
    "api_key": _same,
    "client": _pair,
    "broker": lambda pair: None if pair is None else _pair(pair),
    "old": _same,
    "new": _same,
}


# Questions.

_OF_DATA = frozenset({Op.DECODE, Op.RECODE})


@functools.lru_cache(4096)
def _middle(op: Op, dialect: str, type_name: str | None, version: int | None) -> bytes:
    """The part between `seq` and `data` in a question: it is the same for all cases of a type and version."""
    message = {"op": op.value, "dialect": dialect, "type": type_name}
    return _encode(message if version is None else message | {"version": version})[1:-1]


def question(seq: int, case: Case) -> bytes:
    """The question of a case, as a line."""
    if case.op in _OF_DATA:  # the fast way for most cases
        middle = _middle(case.op, case.dialect, case.type, case.version)
        return b'{"seq":%d,%b,"data":"%b"}\n' % (seq, middle, binascii.hexlify(case.args["data"]))
    message: dict[str, Any] = {"seq": seq, "op": case.op.value, "dialect": case.dialect}
    if case.op in TYPED_OPS:
        message["type"] = case.type
        if case.version is not None:
            message["version"] = case.version
    for name in argument_names(case.op, case.args):
        message[name] = _TO_JSON[name](case.args[name])
    return dumps(message)


def describe_question() -> bytes:
    """The first line of every conversation."""
    return dumps({"op": "describe", "protocol": describing.PROTOCOL})


def configure_question(seq: int, dialect: str, settings: Mapping[str, Any]) -> bytes:
    """The line that sends settings."""
    return dumps({"seq": seq, "op": "configure", "dialect": dialect, "settings": settings})


class QuestionLine(NamedTuple):
    """A question as our own worker reads it. `case` is None for describe and configure."""

    op: str
    seq: int
    case: Case | None
    message: Mapping[str, Any]


def read_question(line: bytes) -> QuestionLine:
    """Read a question. The case has no id, because a question does not contain it."""
    message = loads(line)
    op = message["op"]
    if op in ("describe", "configure"):
        return QuestionLine(op, message.get("seq", 0), None, message)
    args = {name: _FROM_JSON[name](message[name]) for name in argument_names(Op(op), message)}
    case = Case("", Op(op), message["dialect"], message.get("type"), message.get("version"), args)
    return QuestionLine(op, message["seq"], case, message)


# Answers.


def answer(seq: int, observation: Observation) -> bytes:
    """The answer of our own worker, as a line. A value may be a `SimpleValue`."""
    message: dict[str, Any] = {"seq": seq}
    match observation.status:
        case Status.ANSWER:
            _put_answer(message, observation.case.op, observation.answer)
        case Status.REJECT:
            refusal = {"reason": observation.reason, "offset": observation.offset, "half": observation.half}
            refusal["detail"] = observation.detail
            message["reject"] = {key: item for key, item in refusal.items() if item is not None}
        case Status.UNSUPPORTED:
            message["unsupported"] = observation.detail
        case Status.VIOLATION:
            message["violation"] = observation.detail
        case _:
            message |= {"error": observation.detail, "exception": observation.error, "frame": observation.frame}
    return dumps(message)


def _put_answer(message: dict[str, Any], op: Op, answer: Any) -> None:
    match op:
        case Op.DECODE | Op.LOOKUP:
            message["value"] = answer.json if isinstance(answer, SimpleValue) else to_json(answer)
        case Op.ENCODE | Op.RECODE | Op.CONVERT | Op.PRODUCE:
            message["data"] = answer.hex()
        case Op.CONSUME:
            message["delivered"] = to_json(answer)
        case Op.SERVE:
            message["sent"], message["closed"] = answer[0].hex(), answer[1]
        case _:
            message[_MEMBER[op]] = answer


_MEMBER: Mapping[Op, str] = {
    Op.DECODE: "value",
    Op.LOOKUP: "value",
    Op.ENCODE: "data",
    Op.RECODE: "data",
    Op.CONVERT: "data",
    Op.CONSUME: "delivered",
    Op.PRODUCE: "data",
    Op.SERVE: "sent",
    Op.INTERPRET: "outcome",
    Op.NEGOTIATE: "version",
    Op.EVOLVE: "breaks",
}
_KINDS = frozenset({*_MEMBER.values(), "reject", "unsupported", "error", "violation", "ok"})
_COMPANIONS = {"sent": {"closed"}, "error": {"exception", "frame"}}
#: The maximum length of a text from the implementation, in characters. It may send two with each of a hundred thousand
#: answers, and all are kept until the end of the run.
LONGEST_TEXT = 1 << 12
_OUT_OF_MEMORY = frozenset({"MemoryError", "OutOfMemoryError"})
_LEADING_NAME = re.compile(r"([A-Za-z_][\w.$]*):\s")


class AnswerLine(NamedTuple):
    """An answer: the number of its question, its kind (`value`, `reject`, …), and the whole object."""

    seq: int
    kind: str
    message: Mapping[str, Any]


def read_answer(line: bytes) -> AnswerLine:
    """Read an answer. Its kind is checked, its content is not. Raises LineError."""
    message = loads(line)
    if not isinstance(message, dict):
        raise LineError("a JSON object was expected")
    _check_names(line, message)
    seq = message.get("seq")
    if type(seq) is not int:
        raise LineError(f"`seq` is {brief(seq)}: the number of a question was expected")
    if len(message) == 2:  # the fast way for nearly all answers
        _, kind = message
        if kind in _KINDS:
            return AnswerLine(seq, kind, message)
    return AnswerLine(seq, _kind(seq, message), message)


def _kind(seq: int, message: Mapping[str, Any]) -> str:
    kinds = [key for key in message if key in _KINDS]
    if len(kinds) != 1:
        present = " and ".join(f"`{key}`" for key in kinds) or "none of them"
        raise LineError(f"an answer has one of {', '.join(sorted(_KINDS))}; this one has {present}", seq)
    (kind,) = kinds
    unknown = message.keys() - {"seq", kind} - _COMPANIONS.get(kind, set())
    if unknown:
        raise LineError(f"an answer with `{kind}` cannot have {', '.join(f'`{key}`' for key in sorted(unknown))}", seq)
    return kind


def observation(case: Case, answer: AnswerLine) -> Observation:
    """The observation from an answer to a case. Raises LineError when it cannot be an answer to this case."""
    kind, message = answer.kind, answer.message
    try:
        if kind == "value" and case.op is Op.DECODE:
            return Observation(case, Status.ANSWER, from_json(message["value"]))
        if kind == _MEMBER[case.op]:
            return Observation(case, Status.ANSWER, _answered(case.op, message))
        if kind in _OTHER:
            return _OTHER[kind](case, message)
    except RecursionError:
        raise LineError("nested too deeply", answer.seq) from None
    except (ShapeError, ValueFormatError) as error:
        raise LineError(str(error), answer.seq) from None
    raise LineError(f"`{kind}` cannot answer {case.op.value}: `{_MEMBER[case.op]}` was expected", answer.seq)


def _answered(op: Op, message: Mapping[str, Any]) -> Any:
    match op:
        case Op.LOOKUP:
            return shape(op, from_json(message["value"]))
        case Op.ENCODE | Op.RECODE | Op.CONVERT | Op.PRODUCE:
            return octets(message["data"], "data")
        case Op.CONSUME:
            return shape(op, from_json(message["delivered"]))
        case Op.SERVE:
            if "closed" not in message:
                raise ShapeError("`sent` comes with `closed`: true or false")
            return shape(op, (octets(message["sent"], "sent"), message["closed"]))
    return shape(op, message[_MEMBER[op]])


def _string(message: Mapping[str, Any], key: str) -> str:
    text = message.get(key, "")
    if not isinstance(text, str):
        raise ShapeError(f"`{key}` is {brief(text)}: a string was expected")
    return cut(text)


def cut(text: str) -> str:
    """A text from the implementation, its middle left out if it is longer than LONGEST_TEXT."""
    if len(text) <= LONGEST_TEXT:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]}… ({len(text)} characters) …{text[-half:]}"


def _reject(case: Case, message: Mapping[str, Any]) -> Observation:
    refusal = message["reject"]
    if not isinstance(refusal, dict):
        raise ShapeError(f'`reject` is {brief(refusal)}: an object such as {{"reason": …, "offset": …}} was expected')
    unknown = refusal.keys() - {"reason", "offset", "half", "detail"}
    if unknown:
        raise ShapeError(f"`reject` has {brief(sorted(unknown))}; it may have reason, offset, half, detail")
    refusal = {key: item for key, item in refusal.items() if item is not None}
    offset, half = refusal.get("offset"), refusal.get("half")
    if offset is not None and (type(offset) is not int or offset < 0):
        raise ShapeError(f"`offset` is {brief(offset)}: the number of a byte was expected")
    if half not in (None, "decode", "encode"):
        raise ShapeError(f'`half` is {brief(half)}: "decode" or "encode" was expected')
    return Observation(
        case, Status.REJECT, None, _string(refusal, "reason") or None, offset, half, detail=_string(refusal, "detail")
    )


def _unsupported(case: Case, message: Mapping[str, Any]) -> Observation:
    return Observation(case, Status.UNSUPPORTED, detail=_string(message, "unsupported"))


def _error(case: Case, message: Mapping[str, Any]) -> Observation:
    detail, name = _string(message, "error"), _string(message, "exception")
    if not name:
        leading = _LEADING_NAME.match(detail)
        name = leading[1] if leading else "error"
    status = Status.OOM if re.split(r"[.$]", name)[-1] in _OUT_OF_MEMORY else Status.CRASH
    return Observation(case, status, error=name, frame=_string(message, "frame"), detail=detail)


def _violation(case: Case, message: Mapping[str, Any]) -> Observation:
    return Observation(case, Status.VIOLATION, error="wrong form", detail=_string(message, "violation"))


_OTHER: Mapping[str, Callable[[Case, Mapping[str, Any]], Observation]] = {
    "reject": _reject,
    "unsupported": _unsupported,
    "error": _error,
    "violation": _violation,
}


# Describe and configure.


def read_description(line: bytes) -> Description:
    """Read the answer to describe. Raises LineError; for an answer `{"error": text}` with that text."""
    message = loads(line)
    _check_names(line, message)
    if isinstance(message, dict) and isinstance(message.get("error"), str):
        raise LineError(message["error"])
    try:
        return describing.parse(message)
    except describing.DescriptionError as error:
        raise LineError(str(error)) from None


def read_configured(answer: AnswerLine) -> bool:
    """Read the answer to configure: whether the implementation has `configure`. Raises LineError, with the
    implementation's text if its `configure` failed."""
    message = answer.message
    if answer.kind == "unsupported":
        return False
    if answer.kind == "ok" and message["ok"] is True:
        return True
    if answer.kind == "error":
        raise LineError(_string(message, "error"), answer.seq)
    raise LineError(f"it answered {brief(message)}: `ok`, true, or `unsupported` was expected", answer.seq)
