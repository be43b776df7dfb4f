"""Guesses the cause of a wrong value: common mistakes of Kafka codecs, recognised by their results."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from wireproof.conformance.values.compare import equal
from wireproof.conformance.values.encoding import ValueFormatError

#: Longer arrays are not compared in another order.
_COMPARED = 300
_MASK_32 = (1 << 32) - 1
_MASK_64 = (1 << 64) - 1


def type_name(value: Any) -> str:
    """The protocol's name for values of this Python type."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a float64"
        case str():
            return "a string"
        case bytes() | bytearray() | memoryview():
            return "bytes"
        case uuid.UUID():
            return "a UUID"
        case list() | tuple():
            return "an array"
        case Mapping():
            return "a struct"
    return f"a {type(value).__name__}"


def same_kind(left: Any, right: Any) -> bool:
    """Whether the protocol has the same name for both."""
    return type_name(left) == type_name(right)


def hint(expected: Any, actual: Any, *, written: bool = False) -> str | None:
    """A sentence that guesses the cause of `actual` instead of `expected`; None when no guess fits.

    `written`: `actual` is the meaning of the bytes that were written for `expected`; else it was read from valid bytes.
    """
    if _empty(expected) and actual is None:
        return "Null and empty are two different values in this protocol."
    if expected is None and _empty(actual):
        return "Null and empty are two different values in this protocol."
    if expected is None and actual == -1:
        return "A length of -1 (or a marker of -1) means null."
    if not same_kind(expected, actual):
        return _other_kind(expected, actual)
    match expected:
        case int() if not isinstance(expected, bool):
            return _integers(expected, actual, written)
        case str():
            return _strings(expected, actual)
        case bytes() | bytearray() | memoryview():
            return _lengths(bytes(expected), bytes(actual), "byte")
        case list() | tuple():
            return _arrays(list(expected), list(actual))
    return None


def _empty(value: Any) -> bool:
    return isinstance(value, (str, bytes, bytearray, list, tuple)) and len(value) == 0


def _other_kind(expected: Any, actual: Any) -> str | None:
    if (isinstance(expected, bool) and actual in (0, 1)) or (isinstance(actual, bool) and expected in (0, 1)):
        return "A boolean is not an integer here: true is not 1."
    if isinstance(expected, bytes) and isinstance(actual, str):
        return "The answer is text instead of bytes: bytes that are not UTF-8 would be lost."
    if isinstance(expected, str) and isinstance(actual, bytes):
        return "The answer is bytes that were not decoded to text."
    if isinstance(expected, uuid.UUID) and actual is None:
        return "A UUID has no null form: all zeroes is a value."
    return None


def _integers(expected: int, actual: int, written: bool) -> str | None:
    return _zigzags(expected, actual, written) or _signs(expected, actual) or _widths(expected, actual)


def _zigzags(expected: int, actual: int, written: bool) -> str | None:
    """Zigzag instead of plain, or plain instead of zigzag."""
    mistake = "zigzag was left out" if written else "a plain number was decoded as zigzag"
    if expected == 1 and actual == -1:
        return f"The sign is wrong, or {mistake}."
    if actual == _zigzag(expected):
        mistake = "a plain number was written as zigzag" if written else "zigzag was not decoded"
        return f"This is the expected number in zigzag form: {mistake}."
    if actual in (_unzigzag(expected & _MASK_32), _unzigzag(expected & _MASK_64)):
        return f"This is what the expected number's bits mean as zigzag: {mistake}."
    return None


def _signs(expected: int, actual: int) -> str | None:
    """Signed instead of unsigned, or the other way."""
    for bits in (8, 16, 32, 64):
        if expected < 0 <= actual == expected + (1 << bits):
            return f"These are the same {bits} bits, read as unsigned."
        if actual < 0 <= expected == actual + (1 << bits):
            return f"These are the same {bits} bits, read as signed."
    return "The sign is wrong." if actual == -expected else None


def _zigzag(number: int) -> int:
    return number * 2 if number >= 0 else -number * 2 - 1


def _unzigzag(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


def _widths(expected: int, actual: int) -> str | None:
    """The wrong byte order, or lost bits."""
    for size in (2, 4, 8):
        mask = (1 << 8 * size) - 1
        if -(1 << 8 * size - 1) <= expected <= mask:
            turned = int.from_bytes((expected & mask).to_bytes(size, "big"), "little")
            if turned == actual & mask and abs(actual) <= mask:
                return f"The byte order is reversed ({size} bytes)."
    for bits in (8, 16, 32):
        if actual == expected & ((1 << bits) - 1):
            return f"Only the low {bits} bits are left."
    return None


def _strings(expected: str, actual: str) -> str | None:
    if "\ufffd" in actual and "\ufffd" not in expected:
        return "Bytes that are not UTF-8 were replaced (U+FFFD)."
    try:
        if actual == expected.encode().decode("latin-1"):
            return "UTF-8 was read as Latin-1."
    except UnicodeEncodeError:
        return None
    return _lengths(expected, actual, "character")


def _lengths(expected: Any, actual: Any, what: str) -> str | None:
    if len(actual) < len(expected) and len(actual):
        short = len(expected) - len(actual)
        ending = f"{short} {what}{'s' * (short != 1)} short"
        if expected.startswith(actual):
            return f"Cut off at its end, {ending}."
        if expected.endswith(actual):
            return f"Begins too late, {ending}."
    if len(actual) > len(expected) and actual.startswith(expected) and len(expected):
        extra = len(actual) - len(expected)
        return f"Goes on for {extra} {what}{'s' * (extra != 1)} too many."
    return None


def _arrays(expected: list[Any], actual: list[Any]) -> str | None:
    if len(expected) == len(actual):
        return "The same elements in another order." if _permuted(expected, actual) else None
    if not actual:
        return "All elements are lost."
    wanted, kept = _keys(expected), _keys(actual)
    if len(actual) < len(expected) and wanted and len(set(wanted)) == len(kept):
        return "A repeated key is there only once: the list of pairs was stored as a map."
    missing = len(expected) - len(actual)
    if missing > 0 and _among(actual, expected):
        return f"{_elements(missing)} missing, the others are right."
    if missing < 0 and _among(expected, actual):
        return f"{_elements(-missing)} too many, the others are right."
    return None


def _elements(count: int) -> str:
    return "One element is" if count == 1 else f"{count} elements are"


def _among(few: list[Any], many: list[Any]) -> bool:
    """Whether `many` has all elements of `few`, in the same order."""
    rest = iter(many)
    return all(any(_equal(item, other) for other in rest) for item in few)


def _permuted(expected: list[Any], actual: list[Any]) -> bool:
    if len(expected) > _COMPARED:
        return False
    rest = list(actual)
    for item in expected:
        place = next((index for index, other in enumerate(rest) if _equal(item, other)), None)
        if place is None:
            return False
        del rest[place]
    return True


def _equal(expected: Any, actual: Any) -> bool:
    try:
        return equal(expected, actual)
    except ValueFormatError:
        return False


def _keys(value: list[Any]) -> list[Any]:
    """The keys of a list of pairs; empty for another list."""
    pairs = [item for item in value if isinstance(item, (list, tuple)) and len(item) == 2]
    keys = [item[0] for item in pairs if isinstance(item[0], (int, str, bytes))]
    return keys if len(keys) == len(value) else []
