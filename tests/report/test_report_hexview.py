"""The annotated hex dump."""

from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from wireproof import reference
from wireproof.conformance.report.hexview import Mark, Row, chunked, hex_dump, join, piece_rows, span_rows, steps
from wireproof.conformance.report.labels import flat, rows_of
from wireproof.conformance.vectors import Piece
from wireproof.reference.cursor import Span


def lines(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def test_pieces_become_rows_at_their_offsets() -> None:
    rows = piece_rows([Piece(b"\x00\x02", "length 2"), Piece(b"ab", "text")])
    assert rows == [Row(0, b"\x00\x02", "length 2"), Row(2, b"ab", "text")]


def test_a_mark_stands_under_its_byte() -> None:
    rows = piece_rows([Piece(b"\x00\x02", "length 2"), Piece(b"a\xff", "text")])
    dump = hex_dump(rows, width=60, marks=[Mark(3, "invalid-utf8: not here")])
    assert dump.plain == (
        "     0  00 02                    length 2\n"
        "     2  61 ff                    text\n"
        "           ^^ invalid-utf8: not here"
    )


def test_a_mark_behind_the_last_byte_is_shown() -> None:
    dump = hex_dump(piece_rows([Piece(b"\x00", "cut")]), width=80, marks=[Mark(1, "truncated: more is needed")])
    assert dump.plain.splitlines()[1:] == [
        "     1                           (the input ends here)",
        "        ^^ truncated: more is needed",
    ]


def test_a_dump_of_nothing_shows_the_mark() -> None:
    assert "the input ends here" in hex_dump([], width=80, marks=[Mark(0, "truncated")]).plain


def test_long_pieces_are_cut_but_not_at_the_mark() -> None:
    rows = [Row(0, bytes(1000), "zeroes")]
    assert hex_dump(rows, width=80).plain.splitlines() == [
        "     0  00 00 00 00 00 00 00 00  zeroes",
        "        … 984 bytes …",
        "   992  00 00 00 00 00 00 00 00",
    ]
    marked = hex_dump(rows, width=80, marks=[Mark(500, "here")]).plain.splitlines()
    assert marked[2:4] == ["   496  00 00 00 00 00 00 00 00", "                    ^^ here"]


def test_rows_around_the_mark_are_kept() -> None:
    rows = [Row(number, bytes([number]), f"row {number}") for number in range(100)]
    shown = hex_dump(rows, width=80, marks=[Mark(60, "here")], limit=8).plain
    assert "row 0" in shown
    assert "row 60" in shown
    assert "row 30" not in shown
    assert "… 55 rows not shown …" in shown
    assert len(shown.splitlines()) <= 8 + 3


def test_spans_are_nested_as_the_value_is() -> None:
    spans = (
        Span("ErrorCode", 0, 2, "INT16", 0),
        Span("ApiKeys", 2, 3, "count + 1", 2),
        Span("ApiKeys[0].ApiKey", 3, 5, "INT16", 18),
        Span("ApiKeys[0]._tags", 5, 6, "tag count", 0),
        Span("Name", 6, 7, "length + 1", 2),
        Span("Name", 7, 8, "text", "a"),
    )
    data = bytes.fromhex("0000020012000261")
    assert hex_dump(span_rows(spans, data), width=100).plain == (
        "     0  00 00                    ErrorCode  INT16  0\n"
        "                                 ApiKeys\n"
        "     2  02                         count + 1  2\n"
        "                                   [0]\n"
        "     3  00 12                        ApiKey  INT16  18\n"
        "     5  00                           tag count  0\n"
        "     6  02                       Name  length + 1  2\n"
        "     7  61                         text  'a'"
    )
    assert [row.label for row in flat(span_rows(spans, data))][2:4] == [
        "ApiKeys[0].ApiKey INT16",
        "ApiKeys[0]._tags tag count",
    ]


def test_bytes_without_a_span_are_rows_too() -> None:
    rows = rows_of((Span("A", 0, 1, "INT8", 1), Span("B", 2, 3, "INT8", 2)), b"\x01\x02\x03\x04")
    assert [(row.offset, row.data) for row in rows] == [(0, b"\x01"), (1, b"\x02"), (2, b"\x03"), (3, b"\x04")]
    assert rows[-1].label == "(not read)"


def test_labels_are_escaped() -> None:
    dump = hex_dump([Row(0, b"\x00", "a\x1b[2Jb"), Row(None, b"", "head")], width=80, marks=[Mark(0, "\x07bell")])
    assert "\x1b" not in dump.plain
    assert "\x07" not in dump.plain


@given(st.binary(max_size=60))
def test_an_explanation_of_anything_covers_every_byte(data: bytes) -> None:
    explanation = reference.explain("RequestFrame", data, dialect="kafka")
    rows = rows_of(explanation.spans, data)
    assert b"".join(row.data for row in rows) == data


@given(st.lists(st.sampled_from(["A", "Bc", "[0]", "[12]"]), max_size=6))
def test_steps_and_join_are_inverse(parts: list[str]) -> None:
    assert steps(join(parts)) == parts


@given(st.binary(max_size=200), st.sets(st.integers(0, 199), max_size=3))
def test_chunks_add_up(data: bytes, focus: set[int]) -> None:
    chunks = chunked(data, {at for at in focus if at < len(data)})
    assert sum(start if chunk is None else len(chunk) for start, chunk in chunks) == len(data)
    for at in focus:
        if at < len(data):
            assert any(chunk is not None and start <= at < start + len(chunk) for start, chunk in chunks)
