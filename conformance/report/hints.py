"""What a wrong value has in common with the right one: the mistakes that this field makes again and again."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any


def type_name(value: Any) -> str:
    """What the protocol calls a value of this Python type."""
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
    """Whether the protocol calls both the same."""
    return type_name(left) == type_name(right)


def hint(expected: Any, actual: Any) -> str | None:
    """One sentence on how `actual` can have come from what stands for `expected`; None when nothing fits."""
    if _empty(expected) and actual is None:
        return "Null and empty are two values in this protocol: the one was taken for the other."
    if expected is None and _empty(actual):
        return "Null and empty are two values in this protocol: the one was taken for the other."
    if expected is None and actual == -1:
        return "A length of -1 (or a marker of -1) means null."
    if not same_kind(expected, actual):
        return _other_kind(expected, actual)
    match expected:
        case int() if not isinstance(expected, bool):
            return _integers(expected, actual)
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
        return "A boolean and an integer are told apart: true is not 1."
    if isinstance(expected, bytes) and isinstance(actual, str):
        return "Bytes came back as text: what is not UTF-8 would be lost."
    if isinstance(expected, str) and isinstance(actual, bytes):
        return "Text came back as bytes that nobody decoded."
    if isinstance(expected, uuid.UUID) and actual is None:
        return "A UUID has no null form: all zeroes is a value."
    return None


def _integers(expected: int, actual: int) -> str | None:
    return _signs(expected, actual) or _widths(expected, actual)


def _signs(expected: int, actual: int) -> str | None:
    """Signed for unsigned, zigzag for plain."""
    for bits in (8, 16, 32, 64):
        if expected < 0 <= actual == expected + (1 << bits):
            return f"These are the same {bits} bits, read as unsigned."
        if actual < 0 <= expected == actual + (1 << bits):
            return f"These are the same {bits} bits, read as signed."
    if expected == 1 and actual == -1:
        return "The sign is turned round, or zigzag was undone where the number is unsigned."
    if actual == _zigzag(expected):
        return "This is the zigzag form of the expected number: zigzag was not undone."
    if expected == _zigzag(actual):
        return "Zigzag was undone where the number is unsigned."
    return "The sign is turned round." if actual == -expected else None


def _zigzag(number: int) -> int:
    return number * 2 if number >= 0 else -number * 2 - 1


def _widths(expected: int, actual: int) -> str | None:
    """Bytes turned round, bits lost."""
    for size in (2, 4, 8):
        mask = (1 << 8 * size) - 1
        if -(1 << 8 * size - 1) <= expected <= mask:
            turned = int.from_bytes((expected & mask).to_bytes(size, "big"), "little")
            if turned == actual & mask and abs(actual) <= mask:
                return f"The byte order is turned round ({size} bytes)."
    for bits in (8, 16, 32):
        if actual == expected & ((1 << bits) - 1):
            return f"Only the low {bits} bits are there."
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
        return "The same elements in another order." if expected != actual and _permuted(expected, actual) else None
    if not actual:
        return "All elements are lost."
    wanted, kept = _keys(expected), _keys(actual)
    if len(actual) < len(expected) and wanted and len(set(wanted)) == len(kept):
        return "A key that stands more than once is there once: a list of pairs was kept as a map."
    return None


def _permuted(expected: list[Any], actual: list[Any]) -> bool:
    rest = list(actual)
    try:
        for item in expected:
            rest.remove(item)
    except ValueError:
        return False
    return True


def _keys(value: list[Any]) -> list[Any]:
    """The keys of a list of pairs; empty when it is none."""
    pairs = [item for item in value if isinstance(item, (list, tuple)) and len(item) == 2]
    keys = [item[0] for item in pairs if isinstance(item[0], (int, str, bytes))]
    return keys if len(keys) == len(value) else []
