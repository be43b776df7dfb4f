"""The permitted answers of each op, and their normal form in observations."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wireproof.conformance.model import CLIENT_OUTCOMES, OUTCOME_KEYS, Op
from wireproof.conformance.values.encoding import all_integers
from wireproof.errors import WireproofError

if TYPE_CHECKING:
    from collections.abc import Callable

#: In the value encoding an object with one of these as its only key is not a struct. These are the `AMBIGUOUS_NAMES` of
#: message schemas, repeated here so that a child need not load those.
RESERVED = frozenset({"hex", "int", "uuid", "float64"})

_AS_IS = frozenset({type(None), bool, str, bytes, float, uuid.UUID})
_TEXT = frozenset({str})
_INTEGER_LIMIT = 10**40


class ShapeError(WireproofError):
    """An answer in a form that its op cannot have. The text shows the answer and the expected form."""


def plain(value: Any) -> Any:
    """A protocol value, made only of None, bool, int, str, bytes, float, UUID, list and dict.

    So a module gives equal observations through JSON and inside this process.
    """
    try:
        return _plain(value)
    except RecursionError:
        raise ShapeError("the value is nested too deeply, or contains itself") from None


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _AS_IS:
        return value
    if kind is int:
        return _integer(value)
    if kind is list or kind is tuple:
        return _items(value)
    if kind is dict:
        return _struct(value)
    match value:
        case int():
            return _integer(value)
        case Mapping():
            return _struct(value)
        case bytes() | bytearray() | memoryview():
            return bytes(value)
        case list() | tuple():
            return _items(value)
        case str():
            return str.__str__(value)
        case float():
            return float.__float__(value)
    raise ShapeError(f"{brief(value)} is not a protocol value: its type is {kind.__name__}")


def _items(value: Sequence[Any]) -> list[Any]:
    if all_integers(value) and min(value) > -_INTEGER_LIMIT and max(value) < _INTEGER_LIMIT:
        return [*value]  # most long arrays hold integers
    return [item if type(item) in _AS_IS else _plain(item) for item in value]


def _integer(value: int) -> int:
    if not -_INTEGER_LIMIT < value < _INTEGER_LIMIT:
        raise ShapeError(f"an integer of {value.bit_length()} bits: too long for the protocol")
    return int.__int__(value)


def _struct(value: Mapping[Any, Any]) -> dict[str, Any]:
    if len(value) == 1 and not RESERVED.isdisjoint(value):
        raise ShapeError(f"{brief(value)}: a struct with only this field is ambiguous in the value encoding")
    if {*map(type, value)} <= _TEXT:
        return {key: item if type(item) in _AS_IS else _plain(item) for key, item in value.items()}
    for key in value:
        if not isinstance(key, str):
            raise ShapeError(f"a struct's key is {brief(key)}: field names are strings")
    return {str.__str__(key): _plain(item) for key, item in value.items()}


def brief(value: Any, limit: int = 120) -> str:
    """The repr of a value, cut to `limit` characters. Never raises."""
    try:
        text = repr(value)
    except Exception as error:  # the repr of an implementation's class may raise anything
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def octets(answer: Any) -> bytes:
    """The answer to encode, recode, convert or produce: bytes."""
    if isinstance(answer, (bytes, bytearray, memoryview)):
        return bytes(answer)
    raise ShapeError(f"the answer is {brief(answer)}: bytes were expected")


def values(answer: Any) -> list[Any]:
    """The answer to lookup: a list of values."""
    if isinstance(answer, (list, tuple)):
        return [plain(item) for item in answer]
    raise ShapeError(f"the answer is {brief(answer)}: a list of the key's values was expected")


#: The keys of a record that an application is given. `timestamp_type` may be left out.
RECORD_KEYS = ("offset", "timestamp", "timestamp_type", "key", "value", "headers")


def consumed(answer: Any) -> dict[str, Any]:
    """The answer to consume: `{"records": […], "position": n}`."""
    match answer:
        case {"records": (list() | tuple()) as records, "position": int() as position, **rest} if not rest:
            return {"records": [_record(record) for record in records], "position": _integer(position)}
    raise ShapeError(f'the answer is {brief(answer)}: {{"records": a list, "position": an int}} was expected')


def _record(record: Any) -> dict[str, Any]:
    if not isinstance(record, Mapping) or not {*RECORD_KEYS} >= record.keys() >= {*RECORD_KEYS} - {"timestamp_type"}:
        keys = ", ".join(RECORD_KEYS)
        raise ShapeError(f"a record is {brief(record)}: it has {keys}; timestamp_type may be left out")
    return {key: plain(item) for key, item in record.items()}


def served(answer: Any) -> tuple[bytes, bool]:
    """The answer to serve: the bytes that a broker sent, and whether it then closed the connection."""
    match answer:
        case (bytes() | bytearray() | memoryview() as sent, bool() as closed):
            return bytes(sent), closed
    raise ShapeError(f"the answer is {brief(answer)}: (bytes sent, True if it then closed) was expected")


def outcome(answer: Any) -> dict[str, Any]:
    """The answer to interpret: a client's outcome. A string stands for `{"outcome": …}`."""
    members = {"outcome": answer} if isinstance(answer, str) else answer
    if not isinstance(members, Mapping) or members.get("outcome") not in CLIENT_OUTCOMES:
        raise ShapeError(f"the answer is {brief(answer)}: one of {', '.join(sorted(CLIENT_OUTCOMES))} was expected")
    for key, item in members.items():
        if key not in OUTCOME_KEYS:
            raise ShapeError(f"the outcome has a key {brief(key)}; it may have {', '.join(sorted(OUTCOME_KEYS))}")
        _outcome_item(key, item)
    return {key: plain(item) for key, item in members.items()}


def _outcome_item(key: str, item: Any) -> None:
    if key in ("outcome", "request"):
        if not isinstance(item, str):
            raise ShapeError(f"the outcome's {key} is {brief(item)}: a string was expected")
    elif item is not None or key == "version":
        chosen(item, f"the outcome's {key}")


def chosen(answer: Any, what: str = "the answer") -> int | None:
    """The answer to negotiate: a version, or None."""
    if answer is None:
        return None
    if isinstance(answer, int) and not isinstance(answer, bool):
        return _integer(answer)
    raise ShapeError(f"{what} is {brief(answer)}: an int or None was expected")


def breaks(answer: Any) -> list[str]:
    """The answer to evolve: a list of incompatible changes, each a string or `{"kind", "path"}`, which becomes "kind
    path"."""
    if not isinstance(answer, (list, tuple)):
        raise ShapeError(f"the answer is {brief(answer)}: a list of what breaks compatibility was expected")
    return [_break(item) for item in answer]


def _break(item: Any) -> str:
    match item:
        case str():
            return str.__str__(item)
        case {"kind": str() as kind, "path": str() as path}:
            return f"{kind} {path}"
    raise ShapeError(f'the list has {brief(item)}: a string or {{"kind": …, "path": …}} was expected')


_SHAPES: Mapping[Op, Callable[[Any], Any]] = {
    Op.DECODE: plain,
    Op.ENCODE: octets,
    Op.RECODE: octets,
    Op.CONVERT: octets,
    Op.LOOKUP: values,
    Op.CONSUME: consumed,
    Op.PRODUCE: octets,
    Op.SERVE: served,
    Op.INTERPRET: outcome,
    Op.NEGOTIATE: chosen,
    Op.EVOLVE: breaks,
}


def shape(op: Op, answer: Any) -> Any:
    """The answer in the form that observations have. Raises ShapeError when it cannot be an answer to this op."""
    return _SHAPES[op](answer)
