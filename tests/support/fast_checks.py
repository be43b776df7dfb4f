"""Checks of what the fast codec does with bytes and values: the readable codec has to agree with each."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from support.wire import Message, Refused, schema
from wireproof.reference import fast

NULL_IN_ALL = {"nullableVersions": "0+"}
#: "none": a message without tags; "0+": a flexible one.
FORMS = pytest.mark.parametrize("flexible", ["none", "0+"])


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


def message(*fields: dict[str, Any], flexible: str = "none", **switches: Any) -> Message:
    return Message(schema(*fields, flexible=flexible), 0, **switches)


def read_fast(message: Message, digits: str) -> Any:
    """What the fast codec reads; None if it gives up, or does not end where the bytes end."""
    data = bytes.fromhex(digits)
    try:
        value, end = fast.decoder(message.node)(data, 0)
    except fast.GIVES_UP:
        return None
    return value if end == len(data) else None


def is_plain(message: Message, digits: str, value: Any) -> None:
    """The fast codec itself reads and writes this, as the readable one does; and no beginning of it."""
    data = bytes.fromhex(digits)
    # As text, which tells True from 1 and shows the order of keys.
    assert repr(fast.decoder(message.node)(data, 0)) == repr((value, len(data)))
    assert fast.encoder(message.node)(value) == data
    assert (message.decode(digits), message.encode(value)) == (value, data.hex())
    for length in {*range(min(len(data), 300)), *range(max(len(data) - 3, 0), len(data))}:
        assert read_fast(message, data[:length].hex()) is None


def is_left(message: Message, digits: str, readable: Any) -> None:
    """The fast codec leaves these bytes to the readable one, which says this."""
    with pytest.raises(fast.NotPlain):
        fast.decoder(message.node)(bytes.fromhex(digits), 0)
    assert message.decode(digits) == readable


def is_refused(message: Message, digits: str, reason: str) -> None:
    """The fast codec refuses these bytes at once, and the readable one for this reason."""
    with pytest.raises(fast.Fault):
        fast.decoder(message.node)(bytes.fromhex(digits), 0)
    refusal = message.decode(digits)
    assert isinstance(refusal, Refused)
    assert refusal.reason == reason


def is_not_written(message: Message, value: Any, readable: Any) -> None:
    """The fast codec leaves this value to the readable one, which gives these bytes or this reason."""
    with pytest.raises(fast.NotPlain):
        fast.encoder(message.node)(value)
    found = message.encode(value)
    assert (found.reason if isinstance(found, Refused) else found) == readable
