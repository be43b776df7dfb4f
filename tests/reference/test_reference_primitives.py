"""Every primitive type both ways: borders, each reason with its offset, and what the errors say.

Expected bytes are worked out by hand from the specification line above each pair in the codec.
"""

from __future__ import annotations

import struct
import uuid
from typing import Any

import pytest
from support.wire import Refused, decode, encode, recode

from wireproof import reference
from wireproof.reference import primitives
from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, WireError
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.rules import Rules

LONGEST = "61" * 32767

#: type, value, canonical bytes: decode, encode and recode agree
BOTH_WAYS: list[tuple[str, Any, str]] = [
    ("BOOLEAN", False, "00"),
    ("BOOLEAN", True, "01"),
    ("INT8", 0, "00"),
    ("INT8", 1, "01"),
    ("INT8", -1, "ff"),
    ("INT8", 127, "7f"),
    ("INT8", -128, "80"),
    ("INT16", 258, "0102"),
    ("INT16", -1, "ffff"),
    ("INT16", 32767, "7fff"),
    ("INT16", -32768, "8000"),
    ("INT32", 16909060, "01020304"),
    ("INT32", -2, "fffffffe"),
    ("INT32", 2147483647, "7fffffff"),
    ("INT32", -2147483648, "80000000"),
    ("INT64", 72623859790382856, "0102030405060708"),
    ("INT64", -1, "ffffffffffffffff"),
    ("INT64", 9223372036854775807, "7fffffffffffffff"),
    ("INT64", -9223372036854775808, "8000000000000000"),
    ("UINT16", 0, "0000"),
    ("UINT16", 32768, "8000"),
    ("UINT16", 65535, "ffff"),
    ("UINT32", 0, "00000000"),
    ("UINT32", 2147483648, "80000000"),
    ("UINT32", 4294967295, "ffffffff"),
    ("FLOAT64", 1.0, "3ff0000000000000"),
    ("FLOAT64", -2.5, "c004000000000000"),
    ("FLOAT64", 5e-324, "0000000000000001"),
    ("FLOAT64", float("inf"), "7ff0000000000000"),
    ("UUID", uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"), "00112233445566778899aabbccddeeff"),
    ("UUID", uuid.UUID(int=0), "00" * 16),
    ("UNSIGNED_VARINT", 0, "00"),
    ("UNSIGNED_VARINT", 1, "01"),
    ("UNSIGNED_VARINT", 127, "7f"),
    ("UNSIGNED_VARINT", 128, "8001"),
    ("UNSIGNED_VARINT", 300, "ac02"),
    ("UNSIGNED_VARINT", 16383, "ff7f"),
    ("UNSIGNED_VARINT", 16384, "808001"),
    ("UNSIGNED_VARINT", 2097151, "ffff7f"),
    ("UNSIGNED_VARINT", 2097152, "80808001"),
    ("UNSIGNED_VARINT", 268435455, "ffffff7f"),
    ("UNSIGNED_VARINT", 268435456, "8080808001"),
    ("UNSIGNED_VARINT", 2147483647, "ffffffff07"),
    ("UNSIGNED_VARINT", 2147483648, "8080808008"),
    ("UNSIGNED_VARINT", 4294967295, "ffffffff0f"),
    ("VARINT", 0, "00"),
    ("VARINT", -1, "01"),
    ("VARINT", 1, "02"),
    ("VARINT", -2, "03"),
    ("VARINT", 63, "7e"),
    ("VARINT", -64, "7f"),
    ("VARINT", 64, "8001"),
    ("VARINT", -65, "8101"),
    ("VARINT", 8191, "fe7f"),
    ("VARINT", -8192, "ff7f"),
    ("VARINT", 8192, "808001"),
    ("VARINT", 2147483647, "feffffff0f"),
    ("VARINT", -2147483648, "ffffffff0f"),
    ("VARLONG", 0, "00"),
    ("VARLONG", -1, "01"),
    ("VARLONG", 64, "8001"),
    ("VARLONG", 2147483647, "feffffff0f"),
    ("VARLONG", 2147483648, "8080808010"),
    ("VARLONG", -2147483649, "8180808010"),
    ("VARLONG", 9223372036854775807, "feffffffffffffffff01"),
    ("VARLONG", -9223372036854775808, "ffffffffffffffffff01"),
    ("STRING", "", "0000"),
    ("STRING", "kafka", "00056b61666b61"),
    ("STRING", "é", "0002c3a9"),
    ("STRING", "𝄞", "0004f09d849e"),
    ("STRING", "\0", "000100"),
    ("STRING", "a" * 32767, "7fff" + LONGEST),
    ("NULLABLE_STRING", None, "ffff"),
    ("NULLABLE_STRING", "", "0000"),
    ("NULLABLE_STRING", "ab", "00026162"),
    ("NULLABLE_STRING", "a" * 32767, "7fff" + LONGEST),
    ("COMPACT_STRING", "", "01"),
    ("COMPACT_STRING", "ab", "036162"),
    ("COMPACT_STRING", "a" * 126, "7f" + "61" * 126),
    ("COMPACT_STRING", "a" * 127, "8001" + "61" * 127),
    ("COMPACT_STRING", "a" * 32767, "808002" + LONGEST),
    ("COMPACT_NULLABLE_STRING", None, "00"),
    ("COMPACT_NULLABLE_STRING", "", "01"),
    ("COMPACT_NULLABLE_STRING", "ab", "036162"),
    ("BYTES", b"", "00000000"),
    ("BYTES", b"\x00\xff", "0000000200ff"),
    ("NULLABLE_BYTES", None, "ffffffff"),
    ("NULLABLE_BYTES", b"", "00000000"),
    ("NULLABLE_BYTES", b"a", "0000000161"),
    ("COMPACT_BYTES", b"", "01"),
    ("COMPACT_BYTES", b"\xff", "02ff"),
    ("COMPACT_BYTES", b"a" * 32768, "818002" + "61" * 32768),
    ("COMPACT_NULLABLE_BYTES", None, "00"),
    ("COMPACT_NULLABLE_BYTES", b"", "01"),
    ("COMPACT_NULLABLE_BYTES", b"a", "0261"),
]

#: type, bytes that are legal but not canonical, value, canonical bytes
ONE_WAY: list[tuple[str, str, Any, str]] = [
    ("BOOLEAN", "02", True, "01"),
    ("BOOLEAN", "80", True, "01"),
    ("BOOLEAN", "ff", True, "01"),
    ("UNSIGNED_VARINT", "8000", 0, "00"),
    ("UNSIGNED_VARINT", "ff00", 127, "7f"),
    ("UNSIGNED_VARINT", "818000", 1, "01"),
    ("UNSIGNED_VARINT", "8080808000", 0, "00"),
    ("VARINT", "8100", -1, "01"),
    ("VARINT", "feffff8f00", 16777215, "feffff0f"),
    ("VARLONG", "80808080808080808000", 0, "00"),
    ("STRING", "0000", "", "0000"),
    ("COMPACT_STRING", "8100", "", "01"),
    ("COMPACT_NULLABLE_STRING", "8000", None, "00"),
    ("COMPACT_BYTES", "828000ff", b"\xff", "02ff"),
]

#: type, bytes, reason, offset
REFUSED: list[tuple[str, str, str, int]] = [
    *(
        (name, "00" * have, "truncated", 0)
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
    *((name, "80" * have, "truncated", 0) for name in ("UNSIGNED_VARINT", "VARINT") for have in range(5)),
    *(("VARLONG", "80" * have, "truncated", 0) for have in range(10)),
    ("UNSIGNED_VARINT", "8080808080", "varint-overflow", 0),
    ("UNSIGNED_VARINT", "808080808001", "varint-overflow", 0),
    ("UNSIGNED_VARINT", "ffffffff10", "varint-overflow", 0),
    ("UNSIGNED_VARINT", "8080808020", "varint-overflow", 0),
    ("UNSIGNED_VARINT", "ffffffff7f", "varint-overflow", 0),
    ("VARINT", "8080808080", "varint-overflow", 0),
    ("VARINT", "8080808010", "varint-overflow", 0),
    ("VARLONG", "80808080808080808080", "varint-overflow", 0),
    ("VARLONG", "80808080808080808002", "varint-overflow", 0),
    ("VARLONG", "ffffffffffffffffff7f", "varint-overflow", 0),
    ("BOOLEAN", "0100", "trailing-bytes", 1),
    ("INT16", "000100", "trailing-bytes", 2),
    ("UNSIGNED_VARINT", "0100", "trailing-bytes", 1),
    ("UUID", "00" * 17, "trailing-bytes", 16),
    ("STRING", "", "truncated", 0),
    ("STRING", "00", "truncated", 0),
    ("STRING", "0001", "truncated", 0),
    ("STRING", "00036162", "truncated", 0),
    ("STRING", "0001ffff", "invalid-utf8", 0),
    ("STRING", "000161ff", "trailing-bytes", 3),
    ("STRING", "ffff", "null-not-allowed", 0),
    ("STRING", "fffe", "negative-length", 0),
    ("STRING", "8000", "negative-length", 0),
    ("STRING", "0001c3", "invalid-utf8", 0),
    ("STRING", "0003eda080", "invalid-utf8", 0),
    ("STRING", "0002c080", "invalid-utf8", 0),
    ("STRING", "0004f5808080", "invalid-utf8", 0),
    ("NULLABLE_STRING", "fffe", "negative-length", 0),
    ("NULLABLE_STRING", "8000", "negative-length", 0),
    ("NULLABLE_STRING", "ff", "truncated", 0),
    ("NULLABLE_STRING", "0001", "truncated", 0),
    ("NULLABLE_STRING", "ffff00", "trailing-bytes", 2),
    ("COMPACT_STRING", "", "truncated", 0),
    ("COMPACT_STRING", "80", "truncated", 0),
    ("COMPACT_STRING", "00", "null-not-allowed", 0),
    ("COMPACT_STRING", "02", "truncated", 0),
    ("COMPACT_STRING", "ffffffff0f", "truncated", 0),
    ("COMPACT_STRING", "8080808010", "varint-overflow", 0),
    ("COMPACT_STRING", "02ff", "invalid-utf8", 0),
    ("COMPACT_STRING", "818002" + "61" * 32768, "string-too-long", 0),
    ("COMPACT_STRING", "818002" + "61" * 32767, "truncated", 0),
    ("COMPACT_NULLABLE_STRING", "8100ff", "trailing-bytes", 2),
    ("COMPACT_NULLABLE_STRING", "ffffffff0f", "truncated", 0),
    ("COMPACT_NULLABLE_STRING", "818002" + "61" * 32768, "string-too-long", 0),
    ("BYTES", "000000", "truncated", 0),
    ("BYTES", "00000001", "truncated", 0),
    ("BYTES", "7fffffff", "truncated", 0),
    ("BYTES", "ffffffff", "null-not-allowed", 0),
    ("BYTES", "fffffffe", "negative-length", 0),
    ("BYTES", "0000000000", "trailing-bytes", 4),
    ("NULLABLE_BYTES", "fffffffe", "negative-length", 0),
    ("NULLABLE_BYTES", "80000000", "negative-length", 0),
    ("NULLABLE_BYTES", "0000000261", "truncated", 0),
    ("COMPACT_BYTES", "00", "null-not-allowed", 0),
    ("COMPACT_BYTES", "0361", "truncated", 0),
    ("COMPACT_BYTES", "8080808080", "varint-overflow", 0),
    ("COMPACT_NULLABLE_BYTES", "02", "truncated", 0),
]

#: type, value, reason
UNENCODABLE: list[tuple[str, Any, str]] = [
    ("BOOLEAN", None, "null-not-allowed"),
    ("BOOLEAN", 1, "out-of-range"),
    ("BOOLEAN", "true", "out-of-range"),
    ("INT8", 128, "out-of-range"),
    ("INT8", -129, "out-of-range"),
    ("INT8", True, "out-of-range"),
    ("INT8", 1.0, "out-of-range"),
    ("INT8", None, "null-not-allowed"),
    ("INT16", 32768, "out-of-range"),
    ("INT16", -32769, "out-of-range"),
    ("INT32", 2147483648, "out-of-range"),
    ("INT32", -2147483649, "out-of-range"),
    ("INT64", 9223372036854775808, "out-of-range"),
    ("INT64", -9223372036854775809, "out-of-range"),
    ("UINT16", 65536, "out-of-range"),
    ("UINT16", -1, "out-of-range"),
    ("UINT32", 4294967296, "out-of-range"),
    ("UINT32", -1, "out-of-range"),
    ("FLOAT64", 1, "out-of-range"),
    ("FLOAT64", None, "null-not-allowed"),
    ("UUID", "00112233-4455-6677-8899-aabbccddeeff", "out-of-range"),
    ("UUID", None, "null-not-allowed"),
    ("UNSIGNED_VARINT", -1, "out-of-range"),
    ("UNSIGNED_VARINT", 4294967296, "out-of-range"),
    ("UNSIGNED_VARINT", None, "null-not-allowed"),
    ("VARINT", 2147483648, "out-of-range"),
    ("VARINT", -2147483649, "out-of-range"),
    ("VARLONG", 9223372036854775808, "out-of-range"),
    ("VARLONG", -9223372036854775809, "out-of-range"),
    ("STRING", None, "null-not-allowed"),
    ("STRING", b"a", "out-of-range"),
    ("STRING", "a" * 32768, "string-too-long"),
    ("STRING", "é" * 16384, "string-too-long"),
    ("STRING", "\ud800", "invalid-utf8"),
    ("STRING", "\udc80", "invalid-utf8"),  # what a byte that is no UTF-8 is read as, where such bytes are kept
    ("NULLABLE_STRING", 5, "out-of-range"),
    ("NULLABLE_STRING", "a" * 32768, "string-too-long"),
    ("COMPACT_STRING", None, "null-not-allowed"),
    ("COMPACT_STRING", "a" * 32768, "string-too-long"),
    ("COMPACT_NULLABLE_STRING", "a\udfffb", "invalid-utf8"),
    ("BYTES", None, "null-not-allowed"),
    ("BYTES", "a", "out-of-range"),
    ("BYTES", [97], "out-of-range"),
    ("COMPACT_BYTES", None, "null-not-allowed"),
    ("COMPACT_NULLABLE_BYTES", 0, "out-of-range"),
]


def rows(table: list[Any]) -> list[Any]:
    """A table's rows as parameters, told apart by type and number."""
    return [pytest.param(*row, id=f"{row[0]}-{number}") for number, row in enumerate(table)]


@pytest.mark.parametrize(("name", "value", "digits"), rows(BOTH_WAYS))
def test_both_ways(name: str, value: Any, digits: str) -> None:
    found = decode(name, digits)
    assert (type(found), found) == (type(value), value)
    assert encode(name, value) == digits
    assert recode(name, digits) == digits


@pytest.mark.parametrize(("name", "digits", "value", "canonical"), rows(ONE_WAY))
def test_legal_bytes_are_written_canonically(name: str, digits: str, value: Any, canonical: str) -> None:
    found = decode(name, digits)
    assert (type(found), found) == (type(value), value)
    assert recode(name, digits) == canonical


@pytest.mark.parametrize(("name", "digits", "reason", "offset"), rows(REFUSED))
def test_refused(name: str, digits: str, reason: str, offset: int) -> None:
    assert decode(name, digits) == Refused(reason, offset, "")


@pytest.mark.parametrize(("name", "value", "reason"), rows(UNENCODABLE))
def test_unencodable(name: str, value: Any, reason: str) -> None:
    assert encode(name, value) == Refused(reason, None, "")


def test_every_primitive_is_in_every_table() -> None:
    assert {name for name, *_ in BOTH_WAYS} == set(PRIMITIVES)
    assert {name for name, *_ in REFUSED} == set(PRIMITIVES)
    assert {name for name, *_ in UNENCODABLE} | {"NULLABLE_BYTES"} == set(PRIMITIVES)


@pytest.mark.parametrize("bits", ["8000000000000000", "7ff8000000000001", "fff8000000000000", "7ff0000000000001"])
def test_floats_keep_their_bits(bits: str) -> None:
    assert recode("FLOAT64", bits) == bits


def test_a_negative_zero_is_read_as_one() -> None:
    assert struct.pack(">d", decode("FLOAT64", "8000000000000000")).hex() == "8000000000000000"


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


@pytest.mark.parametrize("name", MADE)
def test_what_makers_make_keeps_to_the_tables(name: str) -> None:
    own = made(name)
    assert (own.name, own.default) == (name, PRIMITIVES[name].default)
    for _, value, digits in (row for row in BOTH_WAYS if row[0] == name):
        reader, writer = Reader(bytes.fromhex("ff" + digits + "ff"), Rules()), Writer(Rules())
        reader.take(1, 0, "x")
        writer.out += b"\xee"
        assert own.read(reader) == value
        assert reader.remaining == 1
        own.append(writer, value)
        assert writer.out.hex() == "ee" + digits
    for _, digits, value, _ in (row for row in ONE_WAY if row[0] == name):
        assert own.read(Reader(bytes.fromhex(digits), Rules())) == value
    for _, digits, reason, offset in (row for row in REFUSED if row[0] == name and row[2] != "trailing-bytes"):
        error = refusal(lambda digits=digits: own.read(Reader(bytes.fromhex(digits), Rules())))
        assert isinstance(error, DecodeError)
        assert (error.reason, error.offset) == (reason, offset)
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
