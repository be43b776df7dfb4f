"""The fast codec part by part, on small messages that are made here: what it reads and writes itself, at the borders of
each part, what it leaves to the readable codec, and what it refuses. Here fields, lengths and structures; see also
test_fast_tags.py and test_fast_source.py.

Bytes and values are written by hand, and the readable codec has to agree with each. test_fast_messages.py compares the
two on all messages of the catalogue.
"""

from __future__ import annotations

import itertools
from typing import Any
from uuid import UUID

import pytest
from support.fast_checks import (
    COMPACT,
    FIELDS,
    FORMS,
    NULL_IN_ALL,
    counted,
    is_left,
    is_not_written,
    is_plain,
    is_refused,
    message,
    read_fast,
)
from support.wire import Refused, field, tagged

from wireproof.reference import fast
from wireproof.reference.fast import decoding, encoding

pytestmark = pytest.mark.usefixtures("generated_anew")


# --- Single fields ----------------------------------------------------------------------------------------------------

NULLABLE = [
    ("string", "ffff"),
    ("bytes", "ffffffff"),
    ("records", "ffffffff"),
    ("[]int8", "ffffffff"),
    ("[]uuid", "ffffffff"),
    ("[]string", "ffffffff"),
]


@pytest.mark.parametrize(("kind", "value", "classic", "compact"), FIELDS)
def test_a_field_alone_and_between_others(kind: str, value: Any, classic: str, compact: str) -> None:
    is_plain(message(field("F", kind)), classic, {"F": value})
    is_plain(message(field("F", kind), flexible="0+"), compact + "00", {"F": value})
    between = [field("A", "int16"), field("F", kind), field("Z", "int8")]
    is_plain(message(*between), "0102" + classic + "03", {"A": 258, "F": value, "Z": 3})
    is_plain(message(*between, flexible="0+"), "0102" + compact + "0300", {"A": 258, "F": value, "Z": 3})


@pytest.mark.parametrize(
    ("kind", "value", "classic", "compact"), [entry for entry in FIELDS if entry[0] in dict(NULLABLE)]
)
def test_a_nullable_field_that_is_not_null(kind: str, value: Any, classic: str, compact: str) -> None:
    for flexible, digits in (("none", classic), ("0+", compact)):
        nullable = message(field("A", "int16"), field("F", kind, **NULL_IN_ALL), field("Z", "int8"), flexible=flexible)
        end = "00" if flexible == "0+" else ""
        is_plain(nullable, "0102" + digits + "03" + end, {"A": 258, "F": value, "Z": 3})


@pytest.mark.parametrize(("kind", "minus_one"), NULLABLE)
def test_null_and_where_it_is_not_allowed(kind: str, minus_one: str) -> None:
    minus_two = minus_one[:-1] + "e"
    classic = message(field("F", kind, **NULL_IN_ALL), field("Z", "int8"))
    is_plain(classic, minus_one + "05", {"F": None, "Z": 5})
    is_refused(classic, minus_two + "05", "negative-length")
    strict = message(field("F", kind), field("Z", "int8"))
    is_refused(strict, minus_one + "05", "null-not-allowed")
    is_refused(strict, minus_two + "05", "negative-length")
    flexible = message(field("F", kind, **NULL_IN_ALL), field("Z", "int8"), flexible="0+")
    is_plain(flexible, "00" + "0500", {"F": None, "Z": 5})
    is_left(flexible, "8000" + "0500", {"F": None, "Z": 5})
    is_refused(message(field("F", kind), flexible="0+"), "00" + "00", "null-not-allowed")


def test_bytes_that_are_no_text_are_given_up() -> None:
    assert read_fast(message(field("F", "string")), "0002c328") is None
    assert read_fast(message(field("F", "string"), flexible="0+"), "03c32800") is None


def test_any_byte_but_zero_is_true() -> None:
    assert read_fast(message(field("F", "bool"), field("L", "[]bool")), "02" + "00000003" + "00ff80") == {
        "F": True,
        "L": [False, True, True],
    }


# --- Lengths and counts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [length for length in COMPACT if length < 65_537])
def test_lengths_of_text_and_bytes(length: int) -> None:
    content = "61" * length
    kinds: list[tuple[str, Any, str]] = [
        ("bytes", b"a" * length, f"{length:08x}"),
        ("records", b"a" * length, f"{length:08x}"),
    ]
    if length < 32_768:
        kinds.append(("string", "a" * length, f"{length:04x}"))
    for kind, value, classic in kinds:
        is_plain(message(field("F", kind)), classic + content, {"F": value})
        is_plain(message(field("F", kind), flexible="0+"), COMPACT[length] + content + "00", {"F": value})


@FORMS
@pytest.mark.parametrize("extra", [{}, NULL_IN_ALL])
def test_the_longest_text(flexible: str, extra: dict[str, str]) -> None:
    limited = message(field("F", "string", **extra), flexible=flexible)
    is_not_written(limited, {"F": "a" * 32_768}, "string-too-long")
    is_not_written(limited, {"F": "é" * 16_384}, "string-too-long")
    if flexible == "0+":
        is_refused(limited, COMPACT[32_768] + "61" * 32_768 + "00", "string-too-long")


@pytest.mark.parametrize("count", [count for count in COMPACT if count < 257])
@pytest.mark.parametrize(
    ("kind", "one", "digits"),
    [
        *[(kind, value[0], compact[2:]) for kind, value, _, compact in FIELDS if kind[0] == "[" and len(value) == 1],
        ("[]bool", True, "01"),
        ("[]int16", -2, "fffe"),
        ("[]int32", 1, "00000001"),
        ("[]uint32", 2**32 - 1, "ffffffff"),
        ("[]uuid", UUID(int=3), f"{3:032x}"),
    ],
)
def test_counts(kind: str, one: Any, digits: str, count: int) -> None:
    for extra in ({}, NULL_IN_ALL):
        is_plain(message(field("F", kind, **extra)), f"{count:08x}" + digits * count, {"F": [one] * count})
        flexible = message(field("F", kind, **extra), flexible="0+")
        is_plain(flexible, COMPACT[count] + digits * count + "00", {"F": [one] * count})


@pytest.mark.parametrize("count", [count for count in COMPACT if count < 257])
def test_counts_of_text(count: int) -> None:
    is_plain(message(field("F", "[]string")), f"{count:08x}" + "000161" * count, {"F": ["a"] * count})
    flexible = message(field("F", "[]string"), flexible="0+")
    is_plain(flexible, COMPACT[count] + "0261" * count + "00", {"F": ["a"] * count})


@pytest.mark.parametrize("kind", ["[]int8", "[]string", "[]uuid"])
def test_a_count_that_the_bytes_left_cannot_hold_is_refused_at_once(kind: str) -> None:
    lead = message(field("A", "int32"), field("F", kind))
    is_refused(lead, "00000000" + f"{130:08x}" + "00" * 129, "truncated")
    is_refused(lead, "00000000" + "7fffffff" + "00" * 129, "truncated")
    flexible = message(field("A", "int32"), field("F", kind), flexible="0+")
    is_refused(flexible, "00000000" + "8301" + "00" * 129, "truncated")
    is_refused(flexible, "00000000" + "ffffffff0f" + "00" * 129, "truncated")


@FORMS
def test_the_most_elements(flexible: str) -> None:
    """Kafka reads a million. Whether the next one is refused is a rule, and rules are the readable codec's."""
    limited = message(field("F", "[]int8"), flexible=flexible, policy_limits="kafka-4.4")
    for count in (1_000_000, 1_000_001):
        digits = counted(count, flexible) + "01" * count + ("00" if flexible == "0+" else "")
        if count > 1_000_000:
            is_left(limited, digits, Refused("resource-limit", 0, "F"))
        else:
            assert fast.decoder(limited.node)(bytes.fromhex(digits), 0) == ({"F": [1] * count}, len(digits) // 2)


#: What follows the first byte of an unsigned varint; that byte; the number.
VARINTS = [
    ("01", 0x80, 128),
    ("01", 0xFF, 255),
    ("7f", 0xFF, 16_383),
    ("8001", 0x80, 16_384),
    ("8101", 0x80, 16_512),
    ("ff7f", 0xFF, 2**21 - 1),
    ("808001", 0x80, 2**21),
    ("ffff7f", 0xFF, 2**28 - 1),
    ("80808001", 0x80, 2**28),
    ("ffffff0f", 0xFF, 2**32 - 1),
]


@pytest.mark.parametrize(("rest", "first", "number"), VARINTS)
def test_varints(rest: str, first: int, number: int) -> None:
    data = bytes.fromhex("aabbcc" + rest)
    assert decoding._uvarint(data + b"\1\2", 3, first) == (number, len(data))
    with pytest.raises(IndexError):
        decoding._uvarint(data[:-1], 3, first)
    out = bytearray(b"\xaa")
    encoding._append_uvarint(out, number)
    assert out == bytes([0xAA, first]) + data[3:]


@pytest.mark.parametrize("number", [0, 1, 126, 127])
def test_varints_of_one_byte(number: int) -> None:
    out = bytearray(b"\xaa")
    encoding._append_uvarint(out, number)
    assert out == bytes([0xAA, number])


@pytest.mark.parametrize("rest", ["ffffff10", "ffffff1f", "8080808001", "ffffffff7f", "8080808000"])
def test_varints_that_are_too_wide(rest: str) -> None:
    with pytest.raises(fast.Fault):
        decoding._uvarint(bytes.fromhex(rest), 0, 0x80)


@pytest.mark.parametrize(("rest", "first"), [("00", 0x80), ("00", 0xFF), ("8000", 0x85), ("80808000", 0x81)])
def test_varints_of_more_bytes_than_needed(rest: str, first: int) -> None:
    with pytest.raises(fast.NotPlain):
        decoding._uvarint(bytes.fromhex(rest), 0, first)
    overlong = message(field("F", "bytes", **NULL_IN_ALL), flexible="0+")
    length = {"00": first & 0x7F, "8000": 5, "80808000": 1}[rest]
    value = b"a" * (length - 1) if length else None
    is_left(overlong, f"{first:02x}{rest}" + "61" * max(length - 1, 0) + "00", {"F": value})


# --- Structures -------------------------------------------------------------------------------------------------------

PAIR = [field("X", "int8"), field("Y", "string")]


def test_a_structure_inside_another() -> None:
    classic = message(field("A", "int8"), field("S", "In", fields=PAIR), field("Z", "int8"))
    is_plain(classic, "01" + "05" + "000161" + "02", {"A": 1, "S": {"X": 5, "Y": "a"}, "Z": 2})
    flexible = message(field("A", "int8"), field("S", "In", fields=PAIR), field("Z", "int8"), flexible="0+")
    is_plain(flexible, "01" + "05" + "0261" + "00" + "0200", {"A": 1, "S": {"X": 5, "Y": "a"}, "Z": 2})


def test_structures_without_fields() -> None:
    is_plain(message(), "", {})
    is_plain(message(flexible="0+"), "00", {})
    is_plain(message(flexible="0+"), "01050161", {"_tags": [(5, b"a")]})
    inner = field("S", "In", fields=[field("X", "int8", "3+")])
    is_plain(message(field("A", "int8"), inner, field("Z", "int8")), "0102", {"A": 1, "S": {}, "Z": 2})
    is_plain(message(field("A", "int8"), inner, flexible="0+"), "01" + "00" + "00", {"A": 1, "S": {}})


@FORMS
def test_a_nullable_structure(flexible: str) -> None:
    end = "00" if flexible == "0+" else ""
    text = "0261" if flexible == "0+" else "000161"
    nullable = message(field("A", "int8"), field("S", "In", fields=PAIR, **NULL_IN_ALL), flexible=flexible)
    is_plain(nullable, "07" + "ff" + end, {"A": 7, "S": None})
    is_plain(nullable, "07" + "01" + "05" + text + end + end, {"A": 7, "S": {"X": 5, "Y": "a"}})
    for marker in ("00", "02", "7f", "80", "81", "fe"):
        is_refused(nullable, "07" + marker + "05" + text + end + end, "invalid-marker")
    is_not_written(nullable, {"A": 7, "S": 5}, "out-of-range")


def test_a_nullable_structure_in_a_tag() -> None:
    fields = [field("X", "int8")]
    nullable = message(tagged("S", "In", 0, fields=fields, **NULL_IN_ALL), flexible="0+")
    is_plain(nullable, "01" + "00" + "01" + "00", {"S": None})
    is_plain(nullable, "01" + "00" + "03" + "01" + "05" + "00", {"S": {"X": 5}})
    is_refused(nullable, "01" + "00" + "03" + "02" + "05" + "00", "invalid-marker")
    is_refused(nullable, "01" + "00" + "03" + "7f" + "05" + "00", "invalid-marker")
    # The marker is an unsigned varint, of which more bytes than needed are legal.
    is_left(nullable, "01" + "00" + "02" + "8000", {"S": None})
    is_left(nullable, "01" + "00" + "04" + "8100" + "05" + "00", {"S": {"X": 5}})
    is_left(nullable, "01" + "00" + "02" + "8001", Refused("invalid-marker", 3, "S"))


@FORMS
def test_arrays_of_structures_that_differ(flexible: str) -> None:
    end = "00" if flexible == "0+" else ""
    texts = {
        text: (f"{len(text) + 1:02x}" if end else f"{len(text):04x}") + "61" * len(text) for text in ("", "a", "aa")
    }
    listed = message(field("L", "[]In", fields=PAIR), field("Z", "int8"), flexible=flexible)
    for count in (0, 1, 3, 4, 5, 127, 128):
        items = [(number % 100, text) for number, text in zip(range(count), itertools.cycle(texts), strict=False)]
        digits = (
            counted(count, flexible) + "".join(f"{number:02x}{texts[text]}{end}" for number, text in items) + "09" + end
        )
        is_plain(listed, digits, {"L": [{"X": number, "Y": text} for number, text in items], "Z": 9})


def test_fields_are_in_schema_order_and_the_tagged_have_their_defaults() -> None:
    both = message(
        field("A", "int8"),
        tagged("T", "int32", 1, default="7"),
        field("B", "string"),
        tagged("S", "string", 0, default="s"),
        flexible="0+",
    )
    is_plain(both, "05" + "0262" + "00", {"A": 5, "T": 7, "B": "b", "S": "s"})
    is_plain(both, "05" + "0262" + "01" + "0104" + "00000008", {"A": 5, "T": 8, "B": "b", "S": "s"})
    is_plain(both, "05" + "0262" + "02" + "00020278" + "0104" + "00000008", {"A": 5, "T": 8, "B": "b", "S": "x"})
