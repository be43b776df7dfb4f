"""The value encoding of vectors, line protocol, reports and exports: a protocol value as JSON, and back.

It can be read without a schema: a value that JSON cannot hold is an object with a single key of a fixed name.
"""

from __future__ import annotations

import binascii
import re
import struct
import uuid
from collections.abc import Mapping
from typing import Any

from wireproof.errors import WireproofError

_UUID = re.compile("-".join(f"[0-9a-fA-F]{{{digits}}}" for digits in (8, 4, 4, 4, 12)))
#: Larger integers are written as {"int": "…"}, because many JSON readers store numbers as doubles.
SAFE_INTEGER = 2**53 - 1
#: No wire integer has more digits.
_MOST_DIGITS = 40


class ValueFormatError(WireproofError):
    """A JSON value that does not fit the value encoding."""


#: Python and JSON types that need no conversion.
_TEXT_LIKE = frozenset({str, bool, type(None)})
_AS_THEY_ARE = _TEXT_LIKE | {int}


def to_json(value: Any) -> Any:
    """A protocol value → input for `json.dumps`. Raises ValueFormatError if `from_json` would not return the same."""
    kind = type(value)
    if kind in _TEXT_LIKE:
        return value
    if kind is int:
        return _integer_to_json(value)
    if kind is dict:
        return _struct_to_json(value)
    if kind is list or kind is tuple:
        return _list_to_json(value)
    match value:  # rarer kinds, and classes of one's own
        case bytes() | bytearray() | memoryview():
            return {"hex": value.hex()}
        case None | bool() | str():
            return value
        case int():
            return _integer_to_json(int(value))
        case float():
            return {"float64": struct.pack(">d", value).hex()}
        case uuid.UUID():
            return {"uuid": str(value)}
        case Mapping():
            return _struct_to_json(value)
        case list() | tuple():
            return _list_to_json(value)
    raise ValueFormatError(f"a {type(value).__name__} is no protocol value: {value!r}")


def _list_to_json(value: list[Any] | tuple[Any, ...]) -> list[Any]:
    if all_integers(value) and min(value) >= -SAFE_INTEGER and max(value) <= SAFE_INTEGER:
        return list(value)
    return [item if type(item) in _TEXT_LIKE else to_json(item) for item in value]


def all_integers(items: Any) -> bool:
    """Whether all items are integers (and not booleans), as in most long arrays."""
    return len(items) > 0 and type(items[0]) is int and {*map(type, items)} == {int}


def _integer_to_json(value: int) -> Any:
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else {"int": _digits(value)}


def _digits(value: int) -> str:
    if not -(10**_MOST_DIGITS) < value < 10**_MOST_DIGITS:
        raise ValueFormatError(f"an integer of {value.bit_length()} bits: no wire integer is so long")
    return str(value)


def _struct_to_json(value: Mapping[Any, Any]) -> dict[str, Any]:
    if len(value) == 1 and not _SPECIAL.keys().isdisjoint(value):
        raise ValueFormatError(f"a struct with {next(iter(value))!r} as its only field: it could not be told apart")
    if {*map(type, value)} != {str}:
        for key in value:
            if not isinstance(key, str):
                raise ValueFormatError(f"field names are strings, not a {type(key).__name__}")
    return {key: item if type(item) in _TEXT_LIKE else to_json(item) for key, item in value.items()}


def from_json(value: Any) -> Any:
    """A result of `json.loads` → the protocol value. Raises ValueFormatError; its text names the expected form."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is dict:
        if len(value) == 1:
            ((key, item),) = value.items()
            return _SPECIAL[key](item) if key in _SPECIAL else {key: from_json(item)}
        return {key: item if type(item) in _AS_THEY_ARE else from_json(item) for key, item in value.items()}
    if kind is list:
        if all_integers(value):
            return list(value)
        if len(value) > 1 and value[0] is value[-1] and all(item is value[0] for item in value):
            return [from_json(value[0])] * len(value)  # one object, repeated by a short form of vectors
        return [item if type(item) in _AS_THEY_ARE else from_json(item) for item in value]
    match value:  # classes of one's own JSON reader
        case str() | int():
            return value
        case list():
            return from_json([*value])
        case dict():
            return from_json({**value})
    raise ValueFormatError(f"{value!r} is no value: a float is written {{'float64': '<16 hex digits>'}}")


def _text(item: Any, form: str) -> str:
    if not isinstance(item, str):
        raise ValueFormatError(f"{item!r:.60} found where {form} was expected")
    return item


def _from_hex(item: Any) -> bytes:
    text = _text(item, '{"hex": "<hex digits>"}')
    try:
        return binascii.unhexlify(text)  # unlike bytes.fromhex, it takes no white space
    except ValueError:
        raise ValueFormatError(f"{text!r:.60} is not a row of hex digit pairs") from None


def _from_int(item: Any) -> int:
    text = _text(item, '{"int": "<decimal digits>"}')
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueFormatError(f"{text!r:.60} is not a decimal integer")
    if len(digits) > _MOST_DIGITS:
        raise ValueFormatError(f"{{'int'}} with {len(digits)} digits: no wire integer is so long")
    return int(text)


def _from_uuid(item: Any) -> uuid.UUID:
    text = _text(item, '{"uuid": "<8-4-4-4-12 hex digits>"}')
    if not _UUID.fullmatch(text):
        raise ValueFormatError(f"{text!r:.60} is not a UUID")
    return uuid.UUID(text)


def _from_float64(item: Any) -> float:
    raw = _from_hex(item)
    if len(raw) != 8:
        raise ValueFormatError(f"{{'float64'}} takes 16 hex digits, not {item!r:.60}")
    number: float = struct.unpack(">d", raw)[0]
    return number


_SPECIAL = {"hex": _from_hex, "int": _from_int, "uuid": _from_uuid, "float64": _from_float64}
