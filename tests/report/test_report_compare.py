"""Two byte strings side by side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wireproof.conformance.report.compare import PiecePair, first_difference, name_difference, pairs, side_by_side
from wireproof.conformance.report.hexview import Row, piece_rows
from wireproof.conformance.vectors import Piece


def rows(*pieces: tuple[str, str]) -> list[Row]:
    return piece_rows([Piece(bytes.fromhex(digits), label) for digits, label in pieces])


TAGS = rows(("02", "two tags"), ("00", "tag 0"), ("01", "size 1"), ("2a", "content"), ("05", "tag 5"), ("00", "size 0"))
TAGS_BYTES = bytes.fromhex("0200012a0500")


def shown(left: str, right: str, labels: list[Row]) -> list[str]:
    return side_by_side(bytes.fromhex(left), bytes.fromhex(right), labels, width=90).plain.splitlines()[1:]


def test_a_changed_byte_is_under_the_caret() -> None:
    assert shown("00026162", "00026163", rows(("0002", "length 2"), ("6162", "text"))) == [
        "     0  00 02                    00 02                    length 2",
        "     2  61 62                    61 63                    text",
        "           ^^                       ^^",
    ]


def test_what_is_lost_leaves_the_rest_aligned() -> None:
    assert pairs(TAGS_BYTES, bytes.fromhex("010500"), TAGS) == [
        PiecePair("two tags", 0, b"\x02", 0, b"\x01"),
        PiecePair("tag 0", 1, b"\x00", 1, b""),
        PiecePair("size 1", 2, b"\x01", 1, b""),
        PiecePair("content", 3, b"\x2a", 1, b""),
        PiecePair("tag 5", 4, b"\x05", 1, b"\x05"),
        PiecePair("size 0", 5, b"\x00", 2, b"\x00"),
    ]


def test_a_value_that_grew_keeps_its_piece() -> None:
    labels = rows(("0001", "length"), ("01", "minus one"), ("07", "seven"))
    assert shown("00010107", "0001ffffffff0f07", labels) == [
        "     0  00 01                    00 01                    length",
        "     2  01 -- -- -- --           ff ff ff ff 0f           minus one",
        "        ^^                       ^^",
        "     3  07                       07                       seven",
    ]


def test_bytes_behind_the_end_belong_to_nothing() -> None:
    assert pairs(b"\x00", b"\x00\x00", rows(("00", "no tags"))) == [
        PiecePair("no tags", 0, b"\x00", 0, b"\x00"),
        PiecePair("(nothing belongs here)", 1, b"", 1, b"\x00"),
    ]


def test_bytes_between_two_pieces_belong_to_nothing() -> None:
    assert pairs(b"\x01\x02", b"\x01\x09\x02", rows(("01", "a"), ("02", "b"))) == [
        PiecePair("a", 0, b"\x01", 0, b"\x01"),
        PiecePair("(nothing belongs here)", 1, b"", 1, b"\x09"),
        PiecePair("b", 1, b"\x02", 2, b"\x02"),
    ]


def test_far_from_the_difference_rows_are_left_out() -> None:
    labels = piece_rows([Piece(bytes([number]), f"piece {number}") for number in range(100)])
    left = bytes(range(100))
    text = side_by_side(left, left[:50] + b"\xff" + left[51:], labels, width=90).plain
    assert "… 46 pieces alike, bytes 0 to 45 …" in text
    assert "piece 50" in text
    assert "… 41 pieces alike …" in text


def test_long_pieces_show_the_line_of_the_difference() -> None:
    left, right = bytes(1000), bytes(600) + b"\x01" + bytes(399)
    text = side_by_side(left, right, [Row(0, left, "zeroes")], width=90).plain.splitlines()
    assert "   600  00 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00" in text
    assert "… 592 bytes …" in text[2]


def test_the_difference_in_words() -> None:
    labels = rows(("0002", "length 2"), ("6162", "text"))
    data = bytes.fromhex("00026162")
    assert name_difference(data, data, labels) == "no difference"
    assert name_difference(data, bytes.fromhex("00026163"), labels) == (
        'byte 3, in "text" (byte 2 of 2): expected 62, got 63'
    )
    assert name_difference(data, data[:3], labels) == (
        'byte 3, in "text" (byte 2 of 2): the actual bytes end there, 1 byte short'
    )
    assert name_difference(data, data + b"\x00\x01", labels) == (
        "byte 4, after the last expected one: 2 bytes too many, 00 01"
    )
    assert name_difference(b"\x01", b"\x02", []) == "byte 0: expected 01, got 02"


@given(st.binary(max_size=30), st.binary(max_size=30), st.lists(st.integers(1, 6), max_size=10))
def test_both_sides_are_shown_whole(left: bytes, right: bytes, sizes: list[int]) -> None:
    labels: list[Row] = []
    offset = 0
    for size in sizes:
        if offset < len(left):
            labels.append(Row(offset, left[offset : offset + size], f"piece {offset}"))
            offset = min(offset + size, len(left))
    table = pairs(left, right, labels)
    assert b"".join(pair.left for pair in table) == left
    assert b"".join(pair.right for pair in table) == right
    differing = [pair for pair in table if not pair.same]
    assert bool(differing) == (left != right)
    if left != right:
        at = first_difference(left, right)
        assert at is not None
        first = differing[0]
        assert first.left_offset <= at <= first.left_offset + max(len(first.left), len(first.right))
        side_by_side(left, right, labels, width=80)
        name_difference(left, right, labels)
