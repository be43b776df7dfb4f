"""Arrays of numbers and single records are read by a fast codec, which is equal to the readable one."""

from __future__ import annotations

import random
from typing import Any

import pytest
from test_records_fast import FAST, READABLE, record

import reference
from reference.dialects import DIALECTS
from reference.errors import DecodeError
from reference.rules import Rules

FORMS = ("ARRAY", "COMPACT_ARRAY", "NULLABLE_ARRAY", "COMPACT_NULLABLE_ARRAY")
NUMBERS: dict[str, Any] = {
    "INT8": [-128, 0, 127],
    "INT16": [-(2**15), 5],
    "INT32": [*range(200)],
    "INT64": [2**63 - 1] * 127,
    "UINT16": [65535],
    "UINT32": [2**32 - 1] * 128,
    "FLOAT64": [0.5, -0.0],
    "BOOLEAN": [True, False],
}


def outcome(codec: reference.Reference, type_name: str, data: bytes) -> Any:
    """The value, or why and where it is refused. As text, which tells True from 1 and -0.0 from 0.0."""
    try:
        return repr(codec.decode(type_name, data, dialect="kafka"))
    except DecodeError as error:
        return error.reason, error.offset, error.path, error.detail


def changed(data: bytes, dice: random.Random) -> bytes:
    """The bytes with one fault: cut, longer, or with another byte."""
    at = dice.randrange(len(data))
    return dice.choice([data[:at], data + b"\0", data[:at] + dice.randbytes(1) + data[at + 1 :]])


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("form", FORMS)
def test_arrays_of_numbers_are_read_alike(form: str, number: str) -> None:
    type_name, dice = f"{form}<{number}>", random.Random(f"{form} {number}")
    assert DIALECTS["kafka"].codec(type_name, None).fast_decoder(Rules()) is not None
    data = READABLE.encode(type_name, NUMBERS[number], dialect="kafka")
    for given in (data, *(changed(data, dice) for _ in range(60))):
        assert outcome(FAST, type_name, given) == outcome(READABLE, type_name, given)


@pytest.mark.parametrize("element", ["UNSIGNED_VARINT", "STRING", "UUID"])
def test_other_arrays_are_left_to_the_readable_codec(element: str) -> None:
    codec = DIALECTS["kafka"].codec(f"ARRAY<{element}>", None)
    assert codec.fast_decoder(Rules()) is None


@pytest.mark.parametrize("seed", range(60))
def test_a_record_alone_is_read_alike(seed: int) -> None:
    dice = random.Random(seed)
    value = record(dice, 0)
    data = READABLE.encode("Record", value, dialect="kafka")
    for given in (data, *(changed(data, dice) for _ in range(20))):
        assert outcome(FAST, "Record", given) == outcome(READABLE, "Record", given)


def test_a_record_that_is_plain_is_left_to_nobody_else() -> None:
    codec = DIALECTS["kafka"].codec("Record", None)
    decode = codec.fast_decoder(Rules())
    assert decode is not None
    data = bytes.fromhex("16" + "00" + "04" + "06" + "026b" + "0276" + "02" + "0261" + "01")
    value = {
        "attributes": 0,
        "timestampDelta": 2,
        "offsetDelta": 3,
        "key": b"k",
        "value": b"v",
        "headers": [("a", None)],
    }
    assert decode(data, 0) == (value, len(data))
