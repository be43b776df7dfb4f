"""Every primitive type: what vectors cannot ask of it, and what the errors say. `--impl=reference` asks the vectors."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from support.wire import Refused, decode, encode, recode

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.values.compare import equal
from wireproof.reference import primitives
from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, WireError
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.rules import Rules

#: Fewer bytes than a type has: type, bytes
CUT: list[tuple[str, str]] = [
    *(
        (name, "00" * have)
        for name, width in (
            ("BOOLEAN", 1),
            ("INT8", 1),
            ("INT16", 2),
            ("INT32", 4),
            ("INT64", 8),
            ("UINT16", 2),
            ("UINT32", 4),
            ("FLOAT64", 8),
            ("UUID", 16),
        )
        for have in range(width)
    ),
    *((name, "80" * have) for name in ("UNSIGNED_VARINT", "VARINT") for have in range(5)),
    *(("VARLONG", "80" * have) for have in range(10)),
]

#: Values that JSON does not tell from right ones, or cannot hold: type, value, reason
UNENCODABLE: list[tuple[str, Any, str]] = [
    ("BOOLEAN", None, "null-not-allowed"),
    ("BOOLEAN", 1, "out-of-range"),
    ("BOOLEAN", "true", "out-of-range"),
    ("INT8", True, "out-of-range"),
    ("INT8", 1.0, "out-of-range"),
    ("INT8", None, "null-not-allowed"),
    ("FLOAT64", 1, "out-of-range"),
    ("FLOAT64", None, "null-not-allowed"),
    ("UUID", "00112233-4455-6677-8899-aabbccddeeff", "out-of-range"),
    ("UUID", None, "null-not-allowed"),
    ("UNSIGNED_VARINT", None, "null-not-allowed"),
    ("STRING", b"a", "out-of-range"),
    ("STRING", "\ud800", "invalid-utf8"),
    ("STRING", "\udc80", "invalid-utf8"),  # what a byte that is no UTF-8 is read as, where such bytes are kept
    ("NULLABLE_STRING", 5, "out-of-range"),
    ("COMPACT_NULLABLE_STRING", "a\udfffb", "invalid-utf8"),
    ("BYTES", "a", "out-of-range"),
    ("BYTES", [97], "out-of-range"),
    ("COMPACT_NULLABLE_BYTES", 0, "out-of-range"),
]


def rows(table: list[Any]) -> list[Any]:
    """A table's rows as parameters, told apart by type and number."""
    return [pytest.param(*row, id=f"{row[0]}-{number}") for number, row in enumerate(table)]


@pytest.mark.parametrize(("name", "digits"), rows(CUT))
def test_cut(name: str, digits: str) -> None:
    assert decode(name, digits) == Refused("truncated", 0, "")


@pytest.mark.parametrize(("name", "value", "reason"), rows(UNENCODABLE))
def test_unencodable(name: str, value: Any, reason: str) -> None:
    assert encode(name, value) == Refused(reason, None, "")


@pytest.mark.parametrize("bits", ["fff8000000000000", "7ff0000000000001"])
def test_floats_keep_their_bits(bits: str) -> None:
    assert recode("FLOAT64", bits) == bits


@pytest.mark.parametrize("value", [b"ab", bytearray(b"ab"), memoryview(b"xabx")[1:3]])
def test_bytes_may_be_any_bytes_like(value: Any) -> None:
    assert encode("BYTES", value) == "000000026162"
    assert encode("COMPACT_NULLABLE_BYTES", value) == "036162"


@pytest.mark.parametrize(("name", "primitive"), PRIMITIVES.items())
def test_names_and_own_defaults(name: str, primitive: primitives.Primitive) -> None:
    own = {
        "BOOLEAN": False,
        "FLOAT64": 0.0,
        "UUID": uuid.UUID("00000000-0000-0000-0000-000000000000"),
        **{f"{form}STRING": "" for form in ("", "NULLABLE_", "COMPACT_", "COMPACT_NULLABLE_")},
        **{f"{form}BYTES": b"" for form in ("", "NULLABLE_", "COMPACT_", "COMPACT_NULLABLE_")},
    }.get(name, 0)
    assert primitive.name == name
    assert (type(primitive.default), primitive.default) == (type(own), own)


#: type, bytes, what the error says
READ_TEXTS = [
    ("INT16", "00", "truncated: INT16 needs 2 more bytes, 1 is left (byte 0)"),
    ("BOOLEAN", "", "truncated: BOOLEAN needs 1 more byte, 0 are left (byte 0)"),
    ("FLOAT64", "", "truncated: FLOAT64 needs 8 more bytes, 0 are left (byte 0)"),
    ("UUID", "", "truncated: UUID needs 16 more bytes, 0 are left (byte 0)"),
    ("VARINT", "80", "truncated: VARINT needs 1 more byte, 0 are left (byte 0)"),
    ("VARINT", "8080808080", "varint-overflow: byte 5 of VARINT says that another follows (byte 0)"),
    ("VARLONG", "80" * 10, "varint-overflow: byte 10 of VARLONG says that another follows (byte 0)"),
    (
        "UNSIGNED_VARINT",
        "ffffffff1f",
        "varint-overflow: the last byte of UNSIGNED_VARINT, 0x1f, has bits above bit 31 (byte 0)",
    ),
    ("STRING", "00", "truncated: length needs 2 more bytes, 1 is left (byte 0)"),
    ("STRING", "0002ff", "truncated: length 2, but 1 bytes are left (byte 0)"),
    ("STRING", "ffff", "null-not-allowed: length −1 means null, which is not allowed here (byte 0)"),
    ("BYTES", "fffffffe", "negative-length: length -2 is negative (byte 0)"),
    ("COMPACT_STRING", "", "truncated: length + 1 needs 1 more byte, 0 are left (byte 0)"),
    ("COMPACT_STRING", "00", "null-not-allowed: length prefix 0 means null, which is not allowed here (byte 0)"),
    ("COMPACT_BYTES", "05", "truncated: length 4, but 0 bytes are left (byte 0)"),
    ("STRING", "000261ff", "invalid-utf8: the text is not UTF-8: invalid start byte at its byte 1 (byte 0)"),
    (
        "COMPACT_STRING",
        "818002" + "61" * 32768,
        "string-too-long: 32768 bytes; a string has at most 32767 (byte 0)",
    ),
]

#: type, value, what the error says
WRITE_TEXTS: list[tuple[str, Any, str]] = [
    ("INT8", 128, "out-of-range: 128 is outside INT8's range, -128 to 127"),
    ("UINT32", -1, "out-of-range: -1 is outside UINT32's range, 0 to 4294967295"),
    (
        "VARLONG",
        10**5000,
        "out-of-range: an integer of 16610 bits is outside VARLONG's range, "
        "-9223372036854775808 to 9223372036854775807",
    ),
    ("UNSIGNED_VARINT", None, "null-not-allowed: UNSIGNED_VARINT has no null"),
    ("INT32", "5", "out-of-range: INT32 takes an integer, not a str"),
    ("BOOLEAN", 0, "out-of-range: BOOLEAN takes true or false, not a int"),
    ("FLOAT64", 1, "out-of-range: FLOAT64 takes a float, not a int"),
    ("UUID", b"", "out-of-range: UUID takes a UUID, not a bytes"),
    ("COMPACT_STRING", None, "null-not-allowed: COMPACT_STRING has no null"),
    ("NULLABLE_STRING", b"a", "out-of-range: NULLABLE_STRING takes text, not a bytes"),
    ("COMPACT_NULLABLE_BYTES", "a", "out-of-range: COMPACT_NULLABLE_BYTES takes bytes, not a str"),
    ("STRING", "a\ud800", "invalid-utf8: character 1 is a lone surrogate, which UTF-8 cannot hold"),
    ("STRING", "a" * 32768, "string-too-long: 32768 bytes; a string has at most 32767"),
]


@pytest.mark.parametrize(("name", "digits", "text"), rows(READ_TEXTS))
def test_what_reading_says(name: str, digits: str, text: str) -> None:
    data = bytes.fromhex(digits)
    with pytest.raises(DecodeError) as caught:
        reference.decode(name, data, dialect="kafka")
    assert str(caught.value) == text


@pytest.mark.parametrize(("name", "value", "text"), rows(WRITE_TEXTS))
def test_what_writing_says(name: str, value: Any, text: str) -> None:
    with pytest.raises(EncodeError) as caught:
        reference.encode(name, value, dialect="kafka")
    assert str(caught.value) == text


def test_a_length_that_no_prefix_can_say_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two gigabytes are not written in a test: the borders are."""
    monkeypatch.setattr(primitives, "MAX_INT32", 3)
    assert encode("BYTES", b"abc") == "00000003616263"
    assert encode("COMPACT_BYTES", b"abcd") == Refused("out-of-range")
    with pytest.raises(EncodeError) as caught:
        reference.encode("BYTES", b"abcd", dialect="kafka")
    assert str(caught.value) == "out-of-range: 4 bytes; at most 3 can be written"


def test_a_compact_length_goes_up_to_its_prefix() -> None:
    writer = Writer(Rules())
    primitives.append_compact_length(writer, 2**32 - 2, "length")
    assert writer.out.hex() == "ffffffff0f"
    with pytest.raises(EncodeError, match="length 4294967295 is more than a compact prefix can say") as caught:
        primitives.append_compact_length(writer, 2**32 - 1, "length")
    assert caught.value.reason is Reason.OUT_OF_RANGE


#: switch, its other reading, type, bytes, what the error says under it
OTHER_TEXTS: list[tuple[str, Any, str, str, str]] = [
    (
        "overlong_varints",
        "refused",
        "UNSIGNED_VARINT",
        "818000",
        "varint-overflow: UNSIGNED_VARINT of 3 bytes would fit in fewer (byte 0)",
    ),
    (
        "compact_length",
        "signed",
        "COMPACT_BYTES",
        "ffffffff0f",
        "negative-length: length -2 is negative (byte 0)",
    ),
]


@pytest.mark.parametrize(("switch", "value", "name", "digits", "text"), OTHER_TEXTS)
def test_what_reading_says_under_other_rules(switch: str, value: Any, name: str, digits: str, text: str) -> None:
    with pytest.raises(DecodeError) as caught:
        reference.Reference(Rules(**{switch: value})).decode(name, bytes.fromhex(digits), dialect="kafka")
    assert str(caught.value) == text


# --- The makers of primitive types ---
# The module makes its types while it is imported. Here they are made again, in a test's own time.


def fixed(name: str, code: str, low: int, high: int) -> primitives.Primitive:
    return primitives.Primitive(name, *primitives._fixed_integer(name, code, low, high), 0)


def zigzag(name: str, width: int) -> primitives.Primitive:
    return primitives.Primitive(name, *primitives._zigzag(name, width), 0)


def made(name: str) -> primitives.Primitive:
    match name:
        case "INT8":
            return fixed(name, ">b", -(2**7), 2**7 - 1)
        case "INT16":
            return fixed(name, ">h", -(2**15), 2**15 - 1)
        case "INT32":
            return fixed(name, ">i", -(2**31), 2**31 - 1)
        case "INT64":
            return fixed(name, ">q", -(2**63), 2**63 - 1)
        case "UINT16":
            return fixed(name, ">H", 0, 2**16 - 1)
        case "UINT32":
            return fixed(name, ">I", 0, 2**32 - 1)
        case "VARINT":
            return zigzag(name, 32)
        case "VARLONG":
            return zigzag(name, 64)
    return primitives._length_prefixed(
        name, text=name.endswith("STRING"), compact="COMPACT" in name, nullable="NULLABLE" in name
    )


MADE = [name for name in PRIMITIVES if name not in ("BOOLEAN", "FLOAT64", "UUID", "UNSIGNED_VARINT")]


def refusal(act: Any) -> WireError:
    with pytest.raises(WireError) as caught:
        act()
    assert isinstance(caught.value, WireError)
    return caught.value


@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_primitive_keeps_to_the_vectors(name: str) -> None:
    own = made(name) if name in MADE else PRIMITIVES[name]
    assert (own.name, own.default) == (name, PRIMITIVES[name].default)
    of_it = [vector for vector in vectors.load(["kafka"]) if vector.type == name]
    assert {Op.DECODE, Op.ENCODE} <= {op for vector in of_it for op in vector.ops}
    for vector in of_it:
        if Op.DECODE in vector.ops and vector.reject is None:
            reader = Reader(b"\xff" + vector.data + b"\xff", Rules())
            reader.take(1, 0, "x")
            assert equal(vector.value, own.read(reader))
            assert reader.remaining == 1
        elif Op.DECODE in vector.ops and vector.reject is not None and vector.reject.reason != Reason.TRAILING_BYTES:
            error = refusal(lambda vector=vector: own.read(Reader(vector.data, Rules())))
            assert isinstance(error, DecodeError)
            assert (error.reason, error.offset) == (vector.reject.reason, vector.reject.offset)
        if Op.ENCODE in vector.ops and vector.reject is None:
            writer = Writer(Rules())
            writer.out += b"\xee"
            own.append(writer, vector.value)
            assert writer.out == b"\xee" + vector.canonical_data
        elif Op.ENCODE in vector.ops and vector.reject is not None:
            error = refusal(lambda vector=vector: own.append(Writer(Rules()), vector.value))
            assert (error.reason, error.path) == (vector.reject.reason, "")


@pytest.mark.parametrize("name", MADE)
def test_what_makers_make_keeps_to_the_tables(name: str) -> None:
    own = made(name)
    for _, digits in (row for row in CUT if row[0] == name):
        assert refusal(lambda digits=digits: own.read(Reader(bytes.fromhex(digits), Rules()))).reason == "truncated"
    for _, value, reason in (row for row in UNENCODABLE if row[0] == name):
        error = refusal(lambda value=value: own.append(Writer(Rules()), value))
        assert (error.reason, error.path) == (reason, "")
    for _, digits, text in (row for row in READ_TEXTS if row[0] == name):
        assert str(refusal(lambda digits=digits: own.read(Reader(bytes.fromhex(digits), Rules())))) == text
    for _, value, text in (row for row in WRITE_TEXTS if row[0] == name):
        assert str(refusal(lambda value=value: own.append(Writer(Rules()), value))) == text


@pytest.mark.parametrize(("name", "digits"), [("INT16", "0102"), ("VARINT", "8101"), ("STRING", "000161")])
def test_what_makers_make_notes_what_it_reads(name: str, digits: str) -> None:
    spans: list[Span] = []
    made(name).read(Reader(bytes.fromhex(digits), Rules(), spans))
    assert (
        spans
        == {
            "INT16": [Span("", 0, 2, "INT16", 258)],
            "VARINT": [Span("", 0, 2, "VARINT", -65)],
            "STRING": [Span("", 0, 2, "length", 1), Span("", 2, 3, "text", "a")],
        }[name]
    )


def test_an_integer_may_be_read_under_another_name() -> None:
    read, _ = primitives._fixed_integer("INT32", ">i", 0, 0)
    spans: list[Span] = []
    assert read(Reader(bytes(4), Rules(), spans), "frame size") == 0
    assert spans == [Span("", 0, 4, "frame size", 0)]
    with pytest.raises(DecodeError, match="frame size needs 4 more bytes, 3 are left"):
        read(Reader(bytes(3), Rules()), "frame size")


def test_a_window_is_as_long_as_its_size_says() -> None:
    reader = Reader(bytes.fromhex("ff 0002 6162 63"), Rules())
    reader.take(1, 0, "a byte")
    window = primitives.read_window(reader, primitives.read_int16, "size")
    assert (bytes(window.take(2, 3, "all")), window.remaining, reader.remaining) == (b"ab", 0, 1)


@pytest.mark.parametrize(
    ("data", "reason", "text"),
    [
        ("ff fffe 6162", Reason.NEGATIVE_LENGTH, "size -2 is negative"),
        ("ff 0003 6162", Reason.TRUNCATED, "size 3, but 2 bytes are left"),
    ],
)
def test_a_size_of_a_window_is_refused(data: str, reason: Reason, text: str) -> None:
    reader = Reader(bytes.fromhex(data), Rules())
    reader.take(1, 0, "a byte")
    with pytest.raises(DecodeError, match=text) as caught:
        primitives.read_window(reader, primitives.read_int16, "size")
    assert (caught.value.reason, caught.value.offset) == (reason, 1)
