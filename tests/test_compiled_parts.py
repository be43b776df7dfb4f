"""The fast codec part by part, on small messages that are made here: what it reads and writes itself, at the borders of
each part, what it leaves to the readable codec, and what it refuses.

Bytes and values are written by hand, and the readable codec has to agree with each. test_compiled.py compares the two
on all messages of the catalogue.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import Any
from uuid import UUID

import pytest
from wire import Message, Refused, field, schema, tagged

from reference import compiled
from reference.compiled import decoding, encoding, even
from reference.compiled.source import Source, make_uuid
from reference.plan import Array, PlannedField, Struct, TagBuffer
from reference.primitives import PRIMITIVES

NULL_IN_ALL = {"nullableVersions": "0+"}
#: "none": a message without tags; "0+": a flexible one.
FORMS = pytest.mark.parametrize("flexible", ["none", "0+"])


@pytest.fixture(autouse=True)
def _generated_anew() -> None:
    """What is generated for a test is generated in it, whatever others have asked for before."""
    for function in (decoding.decoder, decoding._ready, encoding.encoder, encoding._has_lookalikes):
        function.cache_clear()


def message(*fields: dict[str, Any], flexible: str = "none", **switches: Any) -> Message:
    return Message(schema(*fields, flexible=flexible), 0, **switches)


def read_fast(message: Message, digits: str) -> Any:
    """What the fast codec reads; None if it gives up, or does not end where the bytes end."""
    data = bytes.fromhex(digits)
    try:
        value, end = compiled.decoder(message.node)(data, 0)
    except compiled.GIVES_UP:
        return None
    return value if end == len(data) else None


def is_plain(message: Message, digits: str, value: Any) -> None:
    """The fast codec itself reads and writes this, as the readable one does; and no beginning of it."""
    data = bytes.fromhex(digits)
    # As text, which tells True from 1 and shows the order of keys.
    assert repr(compiled.decoder(message.node)(data, 0)) == repr((value, len(data)))
    assert compiled.encoder(message.node)(value) == data
    assert (message.decode(digits), message.encode(value)) == (value, data.hex())
    for length in {*range(min(len(data), 300)), *range(max(len(data) - 3, 0), len(data))}:
        assert read_fast(message, data[:length].hex()) is None


def is_left(message: Message, digits: str, readable: Any) -> None:
    """The fast codec leaves these bytes to the readable one, which says this."""
    with pytest.raises(compiled.NotPlain):
        compiled.decoder(message.node)(bytes.fromhex(digits), 0)
    assert message.decode(digits) == readable


def is_refused(message: Message, digits: str, reason: str) -> None:
    """The fast codec refuses these bytes at once, and the readable one for this reason."""
    with pytest.raises(compiled.Fault):
        compiled.decoder(message.node)(bytes.fromhex(digits), 0)
    refusal = message.decode(digits)
    assert isinstance(refusal, Refused)
    assert refusal.reason == reason


def is_not_written(message: Message, value: Any, readable: Any) -> None:
    """The fast codec leaves this value to the readable one, which gives these bytes or this reason."""
    with pytest.raises(compiled.NotPlain):
        compiled.encoder(message.node)(value)
    found = message.encode(value)
    assert (found.reason if isinstance(found, Refused) else found) == readable


# --- Single fields ----------------------------------------------------------------------------------------------------

#: type, value, bytes in a message without tags, bytes in a flexible one
FIELDS: list[tuple[str, Any, str, str]] = [
    ("bool", True, "01", "01"),
    ("bool", False, "00", "00"),
    ("int8", -128, "80", "80"),
    ("int8", 127, "7f", "7f"),
    ("int16", -2, "fffe", "fffe"),
    ("int16", 2**15 - 1, "7fff", "7fff"),
    ("int32", -(2**31), "80000000", "80000000"),
    ("int64", 2**63 - 1, "7f" + "ff" * 7, "7f" + "ff" * 7),
    ("uint16", 2**16 - 1, "ffff", "ffff"),
    ("uint32", 2**32 - 1, "ffffffff", "ffffffff"),
    ("float64", 1.5, "3ff8" + "00" * 6, "3ff8" + "00" * 6),
    ("float64", -0.0, "80" + "00" * 7, "80" + "00" * 7),
    ("uuid", UUID(int=0xF0 << 120 | 1), "f0" + "00" * 14 + "01", "f0" + "00" * 14 + "01"),
    ("string", "", "0000", "01"),
    ("string", "é", "0002c3a9", "03c3a9"),
    ("bytes", b"", "00000000", "01"),
    ("bytes", b"\xff\0", "00000002ff00", "03ff00"),
    ("records", b"\1", "0000000101", "0201"),
    ("[]int8", [], "00000000", "01"),
    ("[]int8", [-1], "00000001ff", "02ff"),
    ("[]bool", [True, False], "000000020100", "030100"),
    ("[]int16", [1, -2], "00000002" + "0001fffe", "03" + "0001fffe"),
    ("[]int32", [1, -2], "00000002" + "00000001fffffffe", "03" + "00000001fffffffe"),
    ("[]int64", [-2], "00000001" + "ff" * 7 + "fe", "02" + "ff" * 7 + "fe"),
    ("[]uint16", [65535], "00000001ffff", "02ffff"),
    ("[]uint32", [2**32 - 1, 0], "00000002ffffffff00000000", "03ffffffff00000000"),
    ("[]float64", [1.5], "00000001" + "3ff8" + "00" * 6, "02" + "3ff8" + "00" * 6),
    ("[]uuid", [UUID(int=1), UUID(int=2)], "00000002" + f"{1:032x}{2:032x}", "03" + f"{1:032x}{2:032x}"),
    ("[]string", [], "00000000", "01"),
    ("[]string", ["", "ab"], "00000002" + "0000" + "00026162", "03" + "01" + "036162"),
    ("[]bytes", [b"a", b""], "00000002" + "0000000161" + "00000000", "03" + "0261" + "01"),
]
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

#: A length or count, and the unsigned varint of one more.
COMPACT = {
    0: "01",
    1: "02",
    126: "7f",
    127: "8001",
    128: "8101",
    255: "8002",
    256: "8102",
    300: "ad02",
    16_382: "ff7f",
    16_383: "808001",
    32_766: "ffff01",
    32_767: "808002",
    32_768: "818002",
    65_535: "808004",
    65_536: "818004",
    1_000_000: "c1843d",
    1_000_001: "c2843d",
}


def counted(count: int, flexible: str) -> str:
    """The digits of an array's count."""
    if flexible == "none":
        return f"{count:08x}"
    return COMPACT[count] if count > 126 else f"{count + 1:02x}"


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
            assert compiled.decoder(limited.node)(bytes.fromhex(digits), 0) == ({"F": [1] * count}, len(digits) // 2)


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
    with pytest.raises(compiled.Fault):
        decoding._uvarint(bytes.fromhex(rest), 0, 0x80)


@pytest.mark.parametrize(("rest", "first"), [("00", 0x80), ("00", 0xFF), ("8000", 0x85), ("80808000", 0x81)])
def test_varints_of_more_bytes_than_needed(rest: str, first: int) -> None:
    with pytest.raises(compiled.NotPlain):
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


# --- Tags -------------------------------------------------------------------------------------------------------------


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
    assert compiled.encoder(other.node)(value).hex() == other.encode(value) == "02" + "000161" + "010106"
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
        with pytest.raises(compiled.GIVES_UP):
            compiled.encoder(message(field("F", kind)).node)(given)


@FORMS
def test_structures_that_are_not_plain(flexible: str) -> None:
    end = "00" if flexible == "0+" else ""
    pair = message(field("A", "int8"), field("B", "int8"), flexible=flexible)
    is_not_written(pair, OrderedDict(A=1, B=2), "0102" + end)
    is_not_written(pair, [1, 2], "out-of-range")
    is_not_written(pair, {"A": 1, "B": 2, "C": 3, "_tags": []}, "unknown-field")
    with pytest.raises(compiled.GIVES_UP):
        compiled.encoder(pair.node)({"A": 1})
    with pytest.raises(compiled.GIVES_UP):
        compiled.encoder(pair.node)({"A": 1, "C": 2})
    with pytest.raises(compiled.GIVES_UP):
        compiled.encoder(pair.node)({"A": 1, "B": 2, "C": 3})


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


# --- Numbers that are written together --------------------------------------------------------------------------------


def test_numbers_side_by_side_are_written_together() -> None:
    fields = [
        field("A", "int8"),
        field("B", "[]int16"),
        field("C", "uuid"),
        field("D", "string"),
        field("E", "int32"),
        field("F", "[]int8", **NULL_IN_ALL),
        field("G", "bool"),
        field("H", "float64"),
    ]
    segments = encoding._segments(message(*fields).node.plain)
    assert ["".join(part.name for part in segment) for segment in segments] == ["AB", "C", "D", "E", "F", "GH"]


@FORMS
@pytest.mark.parametrize("sizes", [*itertools.product((0, 1, 15, 16, 17), repeat=2), (130, 2), (2, 130)])
def test_arrays_of_numbers_side_by_side(flexible: str, sizes: tuple[int, int]) -> None:
    first, second = sizes
    counts = [f"{size:08x}" if flexible == "none" else {130: "8301"}.get(size, f"{size + 1:02x}") for size in sizes]
    end = "00" if flexible == "0+" else ""
    numbers = [field("A", "int8"), field("B", "[]int16"), field("C", "[]int8"), field("D", "bool")]
    digits = "05" + counts[0] + "fffe" * first + counts[1] + "07" * second + "01"
    value = {"A": 5, "B": [-2] * first, "C": [7] * second, "D": True}
    is_plain(message(*numbers, flexible=flexible), digits + end, value)
    text = "0261" if flexible == "0+" else "000161"
    is_plain(message(*numbers, field("S", "string"), flexible=flexible), digits + text + end, value | {"S": "a"})
    if flexible == "0+":
        is_plain(message(*numbers, flexible=flexible), digits + "01" + "050161", value | {"_tags": [(5, b"a")]})


def test_what_is_kept_for_sizes_is_bounded() -> None:
    node = message(*(field(name, "[]int8") for name in "ABC")).node
    packers = encoding._Packers(node.plain, closing=False)
    for sizes in itertools.product(range(1, 13), repeat=3):
        assert packers[sizes] is not None
    assert len(packers) == 1024
    kept = packers[1, 1, 1]
    assert packers[1, 1, 1] is kept
    assert kept(1, 5, 1, 6, 1, 7) == bytes.fromhex("00000001" + "05" + "00000001" + "06" + "00000001" + "07")
    assert packers[12, 12, 12] is not packers[12, 12, 12]
    assert encoding._Packers(node.plain[:1], closing=True)[2,](2, 5, 6) == bytes.fromhex("00000002050600")


# --- Arrays of structures that are laid out alike ---------------------------------------------------------------------


def element_of(listed: Message) -> Struct:
    """The structure in the only array of a message."""
    (only,) = listed.node.fields
    assert isinstance(only.node, Array)
    assert isinstance(only.node.element, Struct)
    return only.node.element


def at_once(node: Struct, digits: str, count: int) -> Any:
    """What the lines for structures laid out alike read behind three other bytes, and where they end; None if they
    leave it to be read one by one."""
    source = Source({"uuid": make_uuid})
    even.decode_even(source, node, "n", "v")
    with source.block("else:"):
        source.line("return None")
    source.line("return v, p - 3")
    return source.function("def generated(d, p, n):")(bytes.fromhex("aabbcc" + digits), 3, count)


#: fields; one structure's bytes in a message without tags (None: they are read one by one); in a flexible one, its tags
#: left out; its value
ALIKE: list[tuple[list[dict[str, Any]], str | None, str, dict[str, Any]]] = [
    ([field("A", "int8")], "05", "05", {"A": 5}),
    (
        [field("A", "bool"), field("B", "int64"), field("C", "uuid"), field("D", "float64")],
        "01" + "00" * 7 + "02" + f"{3:032x}" + "3ff8" + "00" * 6,
        "01" + "00" * 7 + "02" + f"{3:032x}" + "3ff8" + "00" * 6,
        {"A": True, "B": 2, "C": UUID(int=3), "D": 1.5},
    ),
    ([field("L", "[]int8")], "00000000", "01", {"L": []}),
    ([field("L", "[]int16")], "00000002" + "0001fffe", "03" + "0001fffe", {"L": [1, -2]}),
    ([field("L", "[]int8", **NULL_IN_ALL)], None, "00", {"L": None}),
    ([field("L", "[]int8", **NULL_IN_ALL)], "00000000", "01", {"L": []}),
    ([field("L", "[]int8", **NULL_IN_ALL)], "0000000107", "0207", {"L": [7]}),
    ([field("S", "string")], "0000", "01", {"S": ""}),
    ([field("S", "string", **NULL_IN_ALL)], "0000", "01", {"S": ""}),
    ([field("S", "string", **NULL_IN_ALL)], "ffff", "00", {"S": None}),
    ([field("S", "bytes")], "00000000", "01", {"S": b""}),
    ([field("S", "bytes", **NULL_IN_ALL)], "ffffffff", "00", {"S": None}),
    ([field("S", "[]string")], "00000000", "01", {"S": []}),
    ([field("S", "[]uuid", **NULL_IN_ALL)], "ffffffff", "00", {"S": None}),
    (
        [
            field("A", "int16"),
            field("K", "[]int32"),
            field("B", "int8"),
            field("S", "string", **NULL_IN_ALL),
            field("L", "[]int8"),
            field("M", "[]bool"),
            field("Z", "uuid"),
            field("T", "string"),
        ],
        "0009" + "00000001" + "00000007" + "08" + "ffff" + "00000002" + "0102" + "00000000" + f"{3:032x}" + "0000",
        "0009" + "02" + "00000007" + "08" + "00" + "03" + "0102" + "01" + f"{3:032x}" + "01",
        {"A": 9, "K": [7], "B": 8, "S": None, "L": [1, 2], "M": [], "Z": UUID(int=3), "T": ""},
    ),
]


@pytest.mark.parametrize(("fields", "classic", "compact", "value"), ALIKE)
def test_structures_laid_out_alike_are_read_at_once(
    fields: list[dict[str, Any]], classic: str | None, compact: str, value: dict[str, Any]
) -> None:
    for flexible, one, end in (("none", classic, ""), ("0+", compact + "00", "00")):
        if one is None:
            continue
        listed = message(field("L", "[]In", fields=fields), flexible=flexible)
        node = element_of(listed)
        assert even.may_be_even(node)
        for count in (4, 5, 200):
            found = at_once(node, one * count, count)
            assert repr(found) == repr(([value] * count, count * len(one) // 2))
            assert at_once(node, one * count + "00", count) == found
            assert at_once(node, (one * count)[:-2], count) is None
        assert at_once(node, one * 3, 3) is None
        for count in (4, 126):
            is_plain(listed, counted(count, flexible) + one * count + end, {"L": [value] * count})


def test_counts_of_both_kinds_in_structures_that_are_read_at_once() -> None:
    """A field may keep the old form in a flexible version, as the client's name in a request's header does."""
    old = {"flexibleVersions": "none"}
    fields = [
        field("A", "[]int8"),
        field("B", "[]int8", **old),
        field("C", "string", **NULL_IN_ALL),
        field("D", "string", **NULL_IN_ALL, **old),
        field("E", "int8"),
    ]
    listed = message(field("L", "[]In", fields=fields), flexible="0+")
    one = "030102" + "000000020304" + "00" + "ffff" + "05" + "00"
    value = {"A": [1, 2], "B": [3, 4], "C": None, "D": None, "E": 5}
    assert at_once(element_of(listed), one * 4, 4) == ([value] * 4, len(one) * 2)
    is_plain(listed, "05" + one * 4 + "00", {"L": [value] * 4})


def test_tagged_fields_of_structures_read_at_once_have_their_defaults() -> None:
    fields = [tagged("T", "int8", 0, default="7"), field("A", "int8"), tagged("U", "[]int8", 1)]
    listed = message(field("L", "[]In", fields=fields), flexible="0+")
    value = {"T": 7, "A": 5, "U": []}
    read, _ = at_once(element_of(listed), "0500" * 5, 5)
    assert repr(read) == repr([value] * 5)
    assert len({id(item["U"]) for item in read}) == 5
    is_plain(listed, "06" + "0500" * 5 + "00", {"L": [value] * 5})


#: fields, flexible, structures of which one is not as the others are, what is read of them
UNEVEN: list[tuple[list[dict[str, Any]], str, list[str], list[Any]]] = [
    ([field("S", "string")], "none", ["0000"] * 4 + ["000161"], [""] * 4 + ["a"]),
    ([field("S", "string")], "none", ["000161"] + ["0000"] * 4, ["a"] + [""] * 4),
    ([field("S", "string")], "0+", ["0100"] * 4 + ["026100"], [""] * 4 + ["a"]),
    ([field("S", "string")], "none", ["0000"] * 4 + ["0100" + "61" * 256], [""] * 4 + ["a" * 256]),
    ([field("S", "string", **NULL_IN_ALL)], "none", ["ffff"] * 4 + ["00ff" + "61" * 255], [None] * 4 + ["a" * 255]),
    ([field("S", "[]int8")], "none", ["0000000105"] * 4 + ["00000101" + "06" * 257], [[5]] * 4 + [[6] * 257]),
    ([field("S", "[]int8")], "none", ["00000000"] * 4 + ["00010000" + "06" * 65_536], [[]] * 4 + [[6] * 65_536]),
    ([field("S", "[]int8", **NULL_IN_ALL)], "none", ["ffffffff"] * 5, [None] * 5),
    ([field("S", "[]int8")], "0+", ["020500"] * 4 + ["0300" + "00" + "00"], [[5]] * 4 + [[0, 0]]),
    ([field("S", "[]int8")], "none", ["0000007f" + "05" * 127] * 4, [[5] * 127] * 4),
    ([field("S", "[]int8")], "0+", ["8101" + "05" * 128 + "00"] * 4, [[5] * 128] * 4),
]


@pytest.mark.parametrize(("fields", "flexible", "parts", "values"), UNEVEN, ids=range(len(UNEVEN)))
def test_structures_that_are_not_alike_are_read_one_by_one(
    fields: list[dict[str, Any]], flexible: str, parts: list[str], values: list[Any]
) -> None:
    listed = message(field("L", "[]In", fields=fields), flexible=flexible)
    assert at_once(element_of(listed), "".join(parts) + "00" * 1000, len(parts)) is None
    digits = counted(len(parts), flexible) + "".join(parts) + ("00" if flexible == "0+" else "")
    is_plain(listed, digits, {"L": [{"S": value} for value in values]})


def test_structures_with_tags_are_read_one_by_one() -> None:
    listed = message(field("L", "[]In", fields=[field("A", "int8")]), flexible="0+")
    node = element_of(listed)
    for odd in range(5):
        parts = ["0500"] * 5
        parts[odd] = "05" + "01" + "0700"
        assert at_once(node, "".join(parts) + "00" * 20, 5) is None
        values: list[dict[str, Any]] = [{"A": 5} for _ in parts]
        values[odd]["_tags"] = [(7, b"")]
        is_plain(listed, "06" + "".join(parts) + "00", {"L": values})


def test_null_where_it_is_not_allowed_is_not_read_at_once() -> None:
    for kind, flexible, one in (
        ("string", "none", "ffff"),
        ("string", "0+", "0000"),
        ("bytes", "none", "ffffffff"),
        ("[]int8", "none", "ffffffff"),
        ("[]int8", "0+", "0000"),
        ("[]string", "0+", "0000"),
    ):
        listed = message(field("L", "[]In", fields=[field("F", kind)]), flexible=flexible)
        assert at_once(element_of(listed), one * 5, 5) is None
        is_refused(listed, counted(5, flexible) + one * 5, "null-not-allowed")


def test_which_structures_may_be_laid_out_alike() -> None:
    inner = field("S", "In", fields=[field("X", "int8")])
    for fields, extra in (
        ([field("X", "int8", "3+")], {}),
        ([field("A", "int8"), inner], {}),
        ([inner], {}),
        ([field("A", "int8")], NULL_IN_ALL),
    ):
        node = message(field("S", "Out", fields=fields, **extra)).node.fields[0].node
        assert isinstance(node, Struct)
        assert not even.may_be_even(node)
    nested = message(field("L", "[]Out", fields=[field("A", "int8"), inner]))
    is_plain(nested, "00000005" + "0506" * 5, {"L": [{"A": 5, "S": {"X": 6}}] * 5})
    texts = message(field("L", "[]string"))
    is_plain(texts, "00000005" + "0000" * 5, {"L": [""] * 5})


def test_what_is_kept_for_layouts_is_bounded() -> None:
    fields = [field("A", "[]int8"), field("B", "string", **NULL_IN_ALL), field("C", "[]int8")]
    node = element_of(message(field("L", "[]In", fields=fields)))
    layouts = even._Layouts(node)
    assert layouts[1, 0, 64](b"") is None
    assert len(layouts) == 0
    assert (
        layouts[1, 255, 63](bytes.fromhex("00000001" + "05" + "ffff" + "0000003f" + "06" * 63) * 2)
        == [{"A": [5], "B": None, "C": [6] * 63}] * 2
    )
    assert [*layouts] == [(1, 255, 63)]
    for sizes in itertools.product(range(1, 13), repeat=2):
        assert layouts[sizes[0], 0, sizes[1]] is not None
    assert len(layouts) == 64
    assert layouts[1, 0, 1] is layouts[1, 0, 1]
    assert layouts[12, 0, 12](b"") is None


# --- Generated source -------------------------------------------------------------------------------------------------


def test_other_nodes_have_no_generated_functions() -> None:
    for make in (compiled.decoder, compiled.encoder):
        with pytest.raises(TypeError, match="no message has a TagBuffer"):
            make(TagBuffer())


def test_a_traceback_says_that_source_was_generated() -> None:
    with pytest.raises(IndexError) as caught:
        compiled.decoder(message(field("F", "string"), flexible="0+").node)(b"", 0)
    assert [str(entry.path) for entry in caught.traceback][-1] == "<generated from a plan>"


def test_defaults_are_not_shared() -> None:
    shared = message(
        tagged("L", "[]int8", 0),
        tagged("S", "In", 1, fields=[field("M", "[]int8"), field("U", "uuid"), field("F", "float64")]),
        tagged("N", "string", 2, default="null", **NULL_IN_ALL),
        tagged("B", "bytes", 3),
        flexible="0+",
    )
    default: dict[str, Any] = {"L": [], "S": {"M": [], "U": UUID(int=0), "F": 0.0}, "N": None, "B": b""}
    decode = compiled.decoder(shared.node)
    first, second = decode(b"\0", 0)[0], decode(b"\0", 0)[0]
    assert repr(first) == repr(second) == repr(default) == repr(shared.decode("00"))
    first["L"].append(1)
    first["S"]["M"].append(1)
    first["S"]["more"] = 1
    assert second == decode(b"\0", 0)[0] == default


def test_primitives_and_arrays_alone() -> None:
    """Nodes that are no messages: what stands behind a tag."""
    for name, value, digits in (
        ("INT8", -1, "ff"),
        ("COMPACT_STRING", "a", "0261"),
        ("UUID", UUID(int=1), f"{1:032x}"),
    ):
        data = bytes.fromhex(digits)
        assert compiled.decoder(PRIMITIVES[name])(data, 0) == (value, len(data))
        assert compiled.encoder(PRIMITIVES[name])(value) == data


def test_a_name_is_only_a_literal() -> None:
    """Fields' names are put into source as text, whatever they are."""
    odd = "it's \"\\\n"
    node = message(field("A", "int8")).node
    renamed = PlannedField(odd, node.fields[0].node, 0)
    struct = Struct("S", (renamed,), (renamed,), {}, {}, frozenset(), flexible=False)
    assert compiled.decoder(struct)(b"\5", 0) == ({odd: 5}, 1)
    assert compiled.encoder(struct)({odd: 5}) == b"\5"


def test_a_uuid_made_quickly_is_one() -> None:
    data = bytes(range(240, 256))
    quick, own = make_uuid(data), UUID(bytes=data)
    assert (quick, repr(quick), hash(quick), quick.is_safe) == (own, repr(own), hash(own), own.is_safe)
    with pytest.raises(TypeError, match="immutable"):
        quick.int = 1  # type: ignore[misc]
