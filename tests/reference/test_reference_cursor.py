"""The cursors never read past their end, and know their position."""

from __future__ import annotations

import pytest

from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.rules import Rules


def reader_of(data: bytes, spans: list[Span] | None = None) -> Reader:
    return Reader(data, Rules(), spans)


def test_a_reader_starts_at_the_first_byte() -> None:
    reader = reader_of(b"abc")
    assert (reader.pos, reader.end, reader.remaining, reader.path, reader.spans) == (0, 3, 3, "", None)


def test_take_moves() -> None:
    reader = reader_of(b"abcde")
    assert bytes(reader.take(2, 0, "x")) == b"ab"
    assert (reader.pos, reader.remaining) == (2, 3)
    assert bytes(reader.take(3, 2, "x")) == b"cde"
    assert (reader.pos, reader.remaining) == (5, 0)
    assert bytes(reader.take(0, 5, "x")) == b""


def test_take_refuses_what_is_not_there_at_the_start_of_the_field() -> None:
    reader = reader_of(b"abc")
    reader.path = "Here"
    reader.take(2, 0, "x")
    with pytest.raises(DecodeError) as caught:
        reader.take(2, 1, "INT16")
    error = caught.value
    assert (error.reason, error.offset, error.path) == (Reason.TRUNCATED, 1, "Here")
    assert str(error) == "truncated at Here: INT16 needs 2 more bytes, 1 is left (byte 1)"
    assert reader.pos == 2


def test_peek_stays_and_ends_with_the_window() -> None:
    reader = reader_of(b"abcdef")
    reader.take(1, 0, "x")
    assert bytes(reader.peek(2)) == b"bc"
    assert bytes(reader.peek(5)) == b"bcdef"
    assert bytes(reader.peek(6)) == b"bcdef"
    assert reader.pos == 1
    inner = reader.window(2)
    assert bytes(inner.peek(9)) == b"bc"


def test_a_window_is_stepped_over_and_ends_where_it_ends() -> None:
    spans: list[Span] = []
    reader = reader_of(b"abcdef", spans)
    reader.path = "Outer"
    reader.take(1, 0, "x")
    inner = reader.window(3)
    assert (reader.pos, reader.remaining) == (4, 2)
    assert (inner.pos, inner.end, inner.remaining, inner.path) == (1, 4, 3, "Outer")
    assert (inner.rules, inner.spans) == (reader.rules, spans)
    assert bytes(inner.take(3, 1, "x")) == b"bcd"
    with pytest.raises(DecodeError) as caught:
        inner.take(1, 4, "x")
    assert (caught.value.reason, caught.value.offset) == (Reason.TRUNCATED, 4)
    assert bytes(reader.take(2, 4, "x")) == b"ef"


def test_the_end_is_demanded_at_the_first_byte_left_or_where_it_is_said() -> None:
    reader = reader_of(b"abc")
    reader.path = "Body"
    reader.take(1, 0, "x")
    with pytest.raises(DecodeError) as first:
        reader.demand_end(Reason.TRAILING_BYTES, "the body")
    assert str(first.value) == "trailing-bytes at Body: 2 bytes are left over after the body (byte 1)"
    with pytest.raises(DecodeError) as named:
        reader.demand_end(Reason.LENGTH_MISMATCH, "the value", 0)
    assert (named.value.reason, named.value.offset) == (Reason.LENGTH_MISMATCH, 0)


def test_the_end_is_there_when_nothing_is_left() -> None:
    reader = reader_of(b"a")
    reader.take(1, 0, "x")
    reader.demand_end(Reason.TRAILING_BYTES, "the body")
    assert reader.remaining == 0


def test_notes_are_kept_only_when_they_are_wanted() -> None:
    spans: list[Span] = []
    reader = reader_of(b"abc", spans)
    reader.path = "Name"
    reader.take(2, 0, "x")
    reader.note(0, "text", "ab")
    assert spans == [Span("Name", 0, 2, "text", "ab")]
    silent = reader_of(b"abc")
    silent.note(0, "text", "")
    assert silent.spans is None


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        ([], ""),
        (["Topics"], "Topics"),
        (["Topics", 0, "Partitions", 12, "_tags"], "Topics[0].Partitions[12]._tags"),
        ([3, 1, "Name"], "[3][1].Name"),
        (["header", "ClientId"], "header.ClientId"),
    ],
)
def test_steps_lead_to_a_path(steps: list[str | int], path: str) -> None:
    spans: list[Span] = []
    reader = reader_of(b"abc", spans)
    reader.steps += steps
    assert reader.path == path
    assert reader.error(Reason.TRUNCATED, "x", 0).path == path
    reader.note(0, "x", 1)
    assert spans[0].path == path
    reader.path = "Elsewhere"
    reader.steps.append(2)
    assert reader.path == "Elsewhere[2]"
    reader.path = ""
    reader.steps.append(2)
    assert reader.path == "[2]"


def test_a_reader_takes_a_memoryview() -> None:
    view = memoryview(b"xabcx")[1:4]
    reader = reader_of(bytes(view))
    same = Reader(view, Rules())
    assert bytes(same.take(3, 0, "x")) == bytes(reader.take(3, 0, "x")) == b"abc"


def test_an_inner_writer_is_empty_and_stands_at_the_same_place() -> None:
    writer = Writer(Rules(tag_numbers="signed"))
    assert (writer.out, writer.path) == (bytearray(), "")
    writer.out += b"ab"
    writer.path = "Here"
    inner = writer.inner()
    inner.out += b"c"
    assert (inner.path, inner.rules, bytes(inner.out), bytes(writer.out)) == ("Here", writer.rules, b"c", b"ab")
