"""The fast codec's tags, and the values that it does not write. How they are tested says test_fast_parts.py."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
from support.fast_checks import FIELDS, FORMS, is_left, is_not_written, is_plain, is_refused, message, read_fast
from support.wire import Refused, field, tagged

from wireproof.reference import fast

pytestmark = pytest.mark.usefixtures("generated_anew")


@pytest.mark.parametrize(("kind", "value", "digits"), [(kind, value, digits) for kind, value, _, digits in FIELDS])
def test_a_tagged_field_of_each_type(kind: str, value: Any, digits: str) -> None:
    one = message(field("A", "int8"), tagged("T", kind, 0), flexible="0+")
    size = len(digits) // 2
    data = "05" + "01" + "00" + f"{size:02x}" + digits
    if isinstance(value, float):
        assert read_fast(one, data) == one.decode(data) == {"A": 5, "T": value}
        is_not_written(one, {"A": 5, "T": value}, data)
    elif value in (False, "", b"", []):  # at its default, which may be sent, but is not written
        assert read_fast(one, data) == one.decode(data) == {"A": 5, "T": value}
        is_plain(one, "0500", {"A": 5, "T": value})
    else:
        is_plain(one, data, {"A": 5, "T": value})
    longer = "05" + "01" + "00" + f"{size + 1:02x}" + digits + "00"
    is_refused(one, longer, "length-mismatch")


def test_a_tagged_minus_zero_is_no_default() -> None:
    weighed = message(
        tagged("Weight", "float64", 0),
        tagged("Pair", "P", 1, fields=[field("X", "float64")]),
        flexible="0+",
    )
    for weight, inner in ((0.0, 0.0), (0.0, -0.0), (1.5, -2.5)):
        value = {"Weight": weight, "Pair": {"X": inner}}
        is_not_written(weighed, value, weighed.encode(value))
    is_not_written(weighed, {"Weight": -0.0, "Pair": {"X": 0.0}}, "0100088000000000000000")
    is_plain(message(tagged("L", "[]float64", 0), flexible="0+"), "00", {"L": []})


def test_a_number_is_no_tagged_boolean() -> None:
    for kept, others in ((False, [0, 1, 0.0]), (True, [0, 1, 1.0])):
        one = message(tagged("T", "bool", 0, default=str(kept).lower()), flexible="0+")
        is_plain(one, "00", {"T": kept})
        is_plain(one, "01" + "0001" + f"{not kept:02x}", {"T": not kept})
        for value in others:
            is_not_written(one, {"T": value}, "out-of-range")
    inner = message(tagged("S", "In", 0, fields=[field("X", "bool")]), flexible="0+")
    is_not_written(inner, {"S": {"X": 0}}, "out-of-range")
    is_not_written(inner, {"S": {"X": False}}, "00")


#: unknown tags, their bytes
UNKNOWN: list[tuple[list[tuple[int, bytes]], str]] = [
    ([(0, b"")], "01" + "0000"),
    ([(0, b""), (1, b"")], "02" + "0000" + "0100"),
    ([(5, b"a")], "01" + "050161"),
    ([(5, b""), (300, b"ab")], "02" + "0500" + "ac02026162"),
    ([(127, b"a" * 127), (128, b"b" * 128)], "02" + "7f7f" + "61" * 127 + "80018001" + "62" * 128),
    ([(129, b"a" * 129)], "01" + "81018101" + "61" * 129),
    ([(16_383, b"a" * 16_383)], "01" + "ff7fff7f" + "61" * 16_383),
    ([(16_384, b"a" * 16_384)], "01" + "808001808001" + "61" * 16_384),
    ([(2**31 - 2, b"z")], "01" + "feffffff07" + "017a"),
    ([(tag, b"") for tag in range(127)], "7f" + "".join(f"{tag:02x}00" for tag in range(127))),
    ([(tag, b"") for tag in range(128)], "8001" + "".join(f"{tag:02x}00" for tag in range(128))),
    ([(tag, b"") for tag in range(129)], "8101" + "".join(f"{tag:02x}00" for tag in range(128)) + "800100"),
]


@pytest.mark.parametrize(("tags", "digits"), UNKNOWN, ids=range(len(UNKNOWN)))
def test_unknown_tags(tags: list[tuple[int, bytes]], digits: str) -> None:
    is_plain(message(flexible="0+"), digits, {"_tags": tags})
    is_plain(message(field("A", "int8"), flexible="0+"), "05" + digits, {"A": 5, "_tags": tags})
    ends = message(field("A", "int8"), field("S", "string"), flexible="0+")
    is_plain(ends, "05" + "0261" + digits, {"A": 5, "S": "a", "_tags": tags})
    inner = message(field("S", "In", fields=[field("X", "int8")]), field("Z", "int16"), flexible="0+")
    is_plain(inner, "05" + digits + "0102" + "00", {"S": {"X": 5, "_tags": tags}, "Z": 258})


def test_unknown_tags_among_known_ones() -> None:
    mixed = message(tagged("T", "int8", 0), tagged("U", "int8", 1), flexible="0+")
    is_plain(mixed, "03" + "000105" + "010106" + "040161", {"T": 5, "U": 6, "_tags": [(4, b"a")]})
    is_plain(mixed, "01" + "040161", {"T": 0, "U": 0, "_tags": [(4, b"a")]})
    is_plain(mixed, "01" + "010106", {"T": 0, "U": 6})


def test_a_tag_of_other_versions_is_written_among_known_ones_and_its_reading_is_left() -> None:
    other = message(tagged("T", "int8", 0, "1+"), tagged("U", "int8", 1), flexible="0+")
    value = {"U": 6, "_tags": [(0, b"a")]}
    assert fast.encoder(other.node)(value).hex() == other.encode(value) == "02" + "000161" + "010106"
    is_left(other, "02" + "000161" + "010106", value)
    is_plain(other, "01" + "020161", {"U": 0, "_tags": [(2, b"a")]})


def test_many_known_tags() -> None:
    many = message(*(tagged(f"T{tag}", "int8", tag) for tag in range(131)), flexible="0+")
    value = {f"T{tag}": {127: 5, 128: 6, 130: 7}.get(tag, 0) for tag in range(131)}
    is_plain(many, "03" + "7f0105" + "80010106" + "82010107", value)
    digits = "8301" + "".join(f"{tag:02x}" + ("" if tag < 128 else "01") + "0101" for tag in range(131))
    is_plain(many, digits, dict.fromkeys(value, 1))


def test_the_greatest_tag_is_read_and_not_written() -> None:
    """Some can't hold numbers from 2³¹ − 1 on: what is written there is the readable codec's."""
    bare = message(flexible="0+")
    for tag, digits in ((2**31 - 1, "ffffffff07"), (2**32 - 1, "ffffffff0f")):
        assert read_fast(bare, "01" + digits + "00") == bare.decode("01" + digits + "00") == {"_tags": [(tag, b"")]}
        value = {"_tags": [(tag, b"")]}
        found = bare.encode(value)
        is_not_written(bare, value, found.reason if isinstance(found, Refused) else found)


def test_tags_that_are_refused() -> None:
    one = message(field("A", "int8"), tagged("T", "int16", 0), flexible="0+")
    is_refused(one, "05" + "02" + "0500" + "0500", "tag-duplicate")
    is_refused(one, "05" + "02" + "0500" + "0400", "tag-order")
    is_refused(one, "05" + "02" + "00020001" + "00020001", "tag-duplicate")
    is_refused(one, "05" + "01" + "0503" + "6162", "truncated")
    is_refused(one, "05" + "01" + "0002" + "00", "truncated")
    is_refused(one, "05" + "01" + "0003" + "000100", "length-mismatch")
    is_refused(one, "05" + "05" + "0500" + "0600", "truncated")
    is_refused(one, "05" + "06" + "0500" + "0600", "truncated")
    is_refused(one, "05" + "ffffffff0f" + "0500", "truncated")


def test_tags_of_more_bytes_than_needed_are_left() -> None:
    bare = message(flexible="0+")
    is_left(bare, "8100" + "0500", {"_tags": [(5, b"")]})
    is_left(bare, "01" + "8500" + "00", {"_tags": [(5, b"")]})
    is_left(bare, "01" + "05" + "8100" + "61", {"_tags": [(5, b"a")]})


def test_the_most_tags() -> None:
    bare = message(field("A", "int8"), flexible="0+", policy_limits="kafka-4.4")
    tags = [(tag, b"") for tag in range(10_001)]
    short = "".join(f"{tag:02x}00" for tag in range(128))
    long = [f"{tag & 0x7F | 0x80:02x}{tag >> 7:02x}00" for tag in range(128, 10_001)]
    digits = "05" + "904e" + short + "".join(long[:-1])
    assert read_fast(bare, digits) == bare.decode(digits) == {"A": 5, "_tags": tags[:-1]}
    is_left(bare, "05" + "914e" + short + "".join(long), Refused("resource-limit", 1, "_tags"))


# --- What is not written ----------------------------------------------------------------------------------------------


@FORMS
@pytest.mark.parametrize(
    ("kind", "value", "readable"),
    [
        ("bool", 1, "out-of-range"),
        ("bool", None, "null-not-allowed"),
        ("float64", 1, "out-of-range"),
        ("[]bool", [True, 1], "out-of-range"),
        ("[]float64", [1.0, 1], "out-of-range"),
        ("[]int8", (1,), ("0000000101", "020100")),
        ("[]int8", "a", "out-of-range"),
        ("[]string", ("a",), ("00000001000161", "02026100")),
        ("[]string", {"a": 1}, "out-of-range"),
        ("uuid", "00", "out-of-range"),
        ("string", b"a", "out-of-range"),
        ("string", None, "null-not-allowed"),
        ("bytes", bytearray(b"a"), ("0000000161", "026100")),
        ("bytes", "a", "out-of-range"),
        ("bytes", None, "null-not-allowed"),
    ],
)
def test_values_that_are_not_plain(flexible: str, kind: str, value: Any, readable: Any) -> None:
    if isinstance(readable, tuple):
        readable = readable[flexible == "0+"]
    is_not_written(message(field("F", kind), flexible=flexible), {"F": value}, readable)


@pytest.mark.parametrize("kind", ["bool", "float64", "int8", "[]bool", "[]float64", "[]int8"])
def test_numbers_that_do_not_fit_are_given_up(kind: str) -> None:
    for value in (10**400, "a"):
        given = {"F": [value] if kind[0] == "[" else value}
        with pytest.raises(fast.GIVES_UP):
            fast.encoder(message(field("F", kind)).node)(given)


@FORMS
def test_structures_that_are_not_plain(flexible: str) -> None:
    end = "00" if flexible == "0+" else ""
    pair = message(field("A", "int8"), field("B", "int8"), flexible=flexible)
    is_not_written(pair, OrderedDict(A=1, B=2), "0102" + end)
    is_not_written(pair, [1, 2], "out-of-range")
    is_not_written(pair, {"A": 1, "B": 2, "C": 3, "_tags": []}, "unknown-field")
    with pytest.raises(fast.GIVES_UP):
        fast.encoder(pair.node)({"A": 1})
    with pytest.raises(fast.GIVES_UP):
        fast.encoder(pair.node)({"A": 1, "C": 2})
    with pytest.raises(fast.GIVES_UP):
        fast.encoder(pair.node)({"A": 1, "B": 2, "C": 3})


@pytest.mark.parametrize(
    ("tags", "readable"),
    [
        ([(5, b"a"), (4, b"b")], "tag-order"),
        ([(5, b"a"), (5, b"b")], "tag-duplicate"),
        ([(-1, b"a")], "out-of-range"),
        ([(True, b"a")], "out-of-range"),
        ([(0, b"a")], "known-tag"),
        ([(5, "a")], "out-of-range"),
        ([(5, bytearray(b"a"))], "01050161"),
        (((5, b"a"),), "01050161"),
    ],
    ids=repr,
)
def test_unknown_tags_that_are_not_plain(tags: Any, readable: str) -> None:
    for own, head, value in (
        (message(tagged("T", "int8", 0), flexible="0+"), "", {"T": 0}),
        (message(field("A", "int8"), flexible="0+"), "05", {"A": 5}),
    ):
        if readable == "known-tag" and head:
            continue
        expected = head + readable if readable[0] == "0" else readable
        is_not_written(own, value | {"_tags": tags}, expected)
