"""The value encoding of vectors, line protocol, reports and exports, and the comparison of values.

It can be read without a schema: a value that JSON cannot hold is an object with a single key of a fixed name.
"""

from __future__ import annotations

import binascii
import contextlib
import marshal
import re
import struct
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_UUID = re.compile("-".join(f"[0-9a-fA-F]{{{digits}}}" for digits in (8, 4, 4, 4, 12)))
#: Larger integers are written as {"int": "…"}, because many JSON readers store numbers as doubles.
SAFE_INTEGER = 2**53 - 1
#: No wire integer has more digits.
_MOST_DIGITS = 40


class ValueFormatError(ValueError):
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

#: Fields that follow from the others. They are ignored if an implementation shows them without need.
DERIVED_FIELDS = frozenset({"size", "length", "batchLength", "crc", "recordsCount", "headersCount", "magic"})


def equal(expected: Any, actual: Any) -> bool:
    """Whether these are the same protocol value.

    `True` is not 1; floats are compared by bits; a tuple equals a list; bytes may be any bytes-like type. Extra derived
    fields and an empty or missing `_tags` are ignored. This function knows no defaults: fill them in before.
    """
    return difference(expected, actual) is None


def identical(one: Any, other: Any) -> bool:
    """Whether these are the same value with the same types and order of keys: a fast check for the most frequent case.
    If it is False, the values may still be equal."""
    return bool(one == other) and _form(one) == _form(other)


def _form(value: Any) -> bytes | str:
    """A value as comparable bytes or text, without references to repeated objects."""
    try:
        return marshal.dumps(value, 2)
    except ValueError:  # it contains a UUID
        return repr(value)


def difference(expected: Any, actual: Any, path: str = "") -> str | None:
    """The path of the first difference ("" = the whole value), or None if the values are equal."""
    match expected:
        case None | bool():
            return None if expected is actual else path
        case int():
            same = isinstance(actual, int) and not isinstance(actual, bool) and expected == actual
            return None if same else path
        case float():
            same = isinstance(actual, float) and _bits(expected) == _bits(actual)
            return None if same else path
        case str():
            return None if isinstance(actual, str) and expected == actual else path
        case bytes() | bytearray() | memoryview():
            same = isinstance(actual, (bytes, bytearray, memoryview)) and bytes(expected) == bytes(actual)
            return None if same else path
        case uuid.UUID():
            return None if isinstance(actual, uuid.UUID) and expected == actual else path
        case list() | tuple():
            return _sequence_difference(expected, actual, path)
        case Mapping():
            return _struct_difference(expected, actual, path)
    raise ValueFormatError(f"a {type(expected).__name__} is no protocol value: {expected!r}")


def _bits(number: float) -> bytes:
    return struct.pack(">d", number)


def _sequence_difference(expected: Any, actual: Any, path: str) -> str | None:
    if not isinstance(actual, (list, tuple)):
        return path
    if all_integers(expected) and all_integers(actual) and [*expected] == [*actual]:
        return None  # most long arrays hold integers
    for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
        inner = difference(left, right, f"{path}[{index}]")
        if inner is not None:
            return inner
    return None if len(expected) == len(actual) else f"{path}[{min(len(expected), len(actual))}]"


def all_integers(items: Any) -> bool:
    """Whether all items are integers (and not booleans), as in most long arrays."""
    return len(items) > 0 and type(items[0]) is int and {*map(type, items)} == {int}


def _struct_difference(expected: Mapping[str, Any], actual: Any, path: str) -> str | None:
    if not isinstance(actual, Mapping):
        return path
    for key, item in expected.items():
        at = f"{path}.{key}" if path else key
        if key == "_tags" and not item and not actual.get(key):
            continue
        if key not in actual:
            return at
        inner = difference(item, text_keys(actual[key]) if key == "headers" else actual[key], at)
        if inner is not None:
            return inner
    for key in surplus(expected, actual):
        return f"{path}.{key}" if path else key
    return None


def text_keys(headers: Any) -> Any:
    """Headers, with keys that are bytes replaced by text if they are UTF-8."""
    if not isinstance(headers, (list, tuple)):
        return headers
    return [text_key(header) for header in headers]


def text_key(header: Any) -> Any:
    """A header, with a key that is bytes replaced by text if it is UTF-8."""
    match header:
        case (bytes() | bytearray() | memoryview() as key, item):
            with contextlib.suppress(UnicodeDecodeError):
                return (bytes(key).decode(), item)
    return header


def surplus(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> Iterable[str]:
    """Keys of `actual` that are missing in `expected`, except derived fields and an empty `_tags`."""
    for key in actual:
        if key in expected or key in DERIVED_FIELDS or (key == "_tags" and not actual[key]):
            continue
        yield str(key)


def show(value: Any) -> str:
    """A value as readable text: bytes as hex, floats with their bits."""
    return "".join(_pieces(value))


def show_short(value: Any, most: int) -> str:
    """The beginning of `show`, at most so many characters; the last one is "…" if there are more."""
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > most:
            return f"{text[: most - 1]}…"
    return text


def _pieces(value: Any) -> Iterator[str]:
    match value:
        case bytes() | bytearray() | memoryview():
            yield f"0x{value.hex()}" if len(value) else 'b""'
        case float():
            yield f"{value!r} (bits {_bits(value).hex()})"
        case uuid.UUID():
            yield f"uuid {value}"
        case list() | tuple():
            yield "["
            for number, item in enumerate(value):
                yield ", " if number else ""
                yield from _pieces(item)
            yield "]"
        case Mapping():
            yield "{"
            for number, (key, item) in enumerate(value.items()):
                yield f"{', ' if number else ''}{key}: "
                yield from _pieces(item)
            yield "}"
        case None:
            yield "null"
        case bool():
            yield "true" if value else "false"
        case _:
            yield repr(value)
