"""Tag buffers alone: order, sizes, the last tag number, and an encoder's input."""

from __future__ import annotations

from typing import Any

import pytest
from support.wire import Refused, decode, encode, recode

BOTH_WAYS: list[tuple[list[tuple[int, bytes]], str]] = [
    ([(0, b"\xaa")], "010001aa"),
    ([(1, b"a"), (5, b""), (127, b"b"), (128, b"c")], "04" + "010161" + "0500" + "7f0162" + "80010163"),
    ([(2**31 - 2, b"")], "01feffffff0700"),
    ([(2**31 - 1, b"")], "01ffffffff0700"),
    ([(2**32 - 1, b"ab")], "01ffffffff0f026162"),
    ([(3, b"x" * 128)], "01038001" + "78" * 128),
]

REFUSED = [
    ("80", "truncated", 0),
    ("02ff", "truncated", 0),
    ("8080808080", "varint-overflow", 0),
    ("0100", "truncated", 2),
    ("0180", "truncated", 1),
    ("018080808010", "varint-overflow", 1),
    ("010080", "truncated", 2),
    ("010001", "truncated", 2),
    ("0100ffffffff0faa", "truncated", 2),
    ("01008080808010", "varint-overflow", 2),
    ("0201000100", "tag-duplicate", 3),
    ("030100050002", "tag-order", 5),
    ("0200010000", "tag-duplicate", 4),
    ("02000100", "truncated", 4),
    ("03000002000100", "tag-order", 5),
    ("0001", "trailing-bytes", 1),
    ("01000000", "trailing-bytes", 3),
]

UNENCODABLE: list[tuple[Any, str]] = [
    (None, "null-not-allowed"),
    (5, "out-of-range"),
    ({1: b""}, "out-of-range"),
    ("ab", "out-of-range"),
    ([5], "out-of-range"),
    ([(1,)], "out-of-range"),
    ([(1, b"", b"")], "out-of-range"),
    ([(1, None)], "out-of-range"),
    ([(1, "a")], "out-of-range"),
    ([("1", b"")], "out-of-range"),
    ([(True, b"")], "out-of-range"),
    ([(-2, b"")], "out-of-range"),
    ([(2**32, b"")], "out-of-range"),
    ([(10**5000, b"")], "out-of-range"),
    ([(1, b""), (0, b"")], "tag-order"),
    ([(1, b""), (1, b"")], "tag-duplicate"),
    ([(0, b""), (0, b"")], "tag-duplicate"),
    ([(0, b""), (5, b""), (0, b"")], "tag-duplicate"),
]


@pytest.mark.parametrize(("tags", "digits"), BOTH_WAYS)
def test_both_ways(tags: list[tuple[int, bytes]], digits: str) -> None:
    assert decode("TAG_BUFFER", digits) == tags
    assert encode("TAG_BUFFER", tags) == digits
    assert encode("TAG_BUFFER", tuple([tag, bytearray(data)] for tag, data in tags)) == digits


def test_overlong_counts_tags_and_sizes_are_written_in_their_least_bytes() -> None:
    assert recode("TAG_BUFFER", "8100" + "858000" + "8100" + "aa") == "010501aa"


@pytest.mark.parametrize(("digits", "reason", "offset"), REFUSED)
def test_refused(digits: str, reason: str, offset: int) -> None:
    path = "" if reason == "trailing-bytes" else "_tags"
    assert decode("TAG_BUFFER", digits) == Refused(reason, offset, path)


@pytest.mark.parametrize("number", range(len(UNENCODABLE)))
def test_unencodable(number: int) -> None:
    tags, reason = UNENCODABLE[number]
    assert encode("TAG_BUFFER", tags) == Refused(reason)


def test_an_unordered_list_is_not_written_although_it_could_be_sorted() -> None:
    assert encode("TAG_BUFFER", [(2, b""), (1, b"")]) == Refused("tag-order")
    assert encode("TAG_BUFFER", [(1, b""), (2, b"")]) == "0201000200"
