"""Whether two protocol values are the same, and where they first differ."""

from __future__ import annotations

import contextlib
import marshal
import struct
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from wireproof.conformance.values.encoding import ValueFormatError, all_integers

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
