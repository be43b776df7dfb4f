"""Arrays of numbers and single records are read and written by a fast codec that is equal to the readable one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from support.wire import attempt
from test_records_fast import FAST, READABLE, record

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.vectors import Vector
from wireproof.reference import codec as readable
from wireproof.reference import fast
from wireproof.reference.codec import decode
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.errors import DecodeError, EncodeError
from wireproof.reference.rules import _LOOSENING, DEMANDED, Rules

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
    assert fast.decoder_of(DIALECTS["kafka"].codec(type_name, None), Rules()) is not None
    data = READABLE.encode(type_name, NUMBERS[number], dialect="kafka")
    for given in (data, *(changed(data, dice) for _ in range(60))):
        assert outcome(FAST, type_name, given) == outcome(READABLE, type_name, given)


def written(codec: reference.Reference, type_name: str, value: Any) -> Any:
    """The bytes, or why the value is refused."""
    try:
        return codec.encode(type_name, value, dialect="kafka")
    except EncodeError as error:
        return error.reason, error.path, error.detail


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("form", FORMS)
def test_arrays_of_numbers_are_written_alike(form: str, number: str) -> None:
    type_name, numbers = f"{form}<{number}>", NUMBERS[number]
    encode = fast.encoder_of(DIALECTS["kafka"].codec(type_name, None), DEMANDED)
    assert encode is not None
    assert encode(numbers) == READABLE.encode(type_name, numbers, dialect="kafka")
    wrong: tuple[Any, ...] = (True, 1, -1, 2**64, 0.5, 1.0, None, "1", b"1", [])
    others: list[Any] = [None, [], (), tuple(numbers), "ab", b"ab", {1: 1}, 7, [1], [True]]
    others += [[*numbers, one] for one in wrong]
    for value in others:
        assert written(FAST, type_name, value) == written(READABLE, type_name, value), value


@pytest.mark.parametrize("element", ["UNSIGNED_VARINT", "STRING", "UUID"])
def test_other_arrays_are_left_to_the_readable_codec(element: str) -> None:
    codec = DIALECTS["kafka"].codec(f"ARRAY<{element}>", None)
    assert fast.decoder_of(codec, Rules()) is None
    assert fast.encoder_of(codec, DEMANDED) is None


@pytest.mark.parametrize("seed", range(60))
def test_a_record_alone_is_read_alike(seed: int) -> None:
    dice = random.Random(seed)
    value = record(dice, 0)
    data = READABLE.encode("Record", value, dialect="kafka")
    for given in (data, *(changed(data, dice) for _ in range(20))):
        assert outcome(FAST, "Record", given) == outcome(READABLE, "Record", given)


def test_a_record_that_is_plain_is_left_to_nobody_else() -> None:
    codec = DIALECTS["kafka"].codec("Record", None)
    decode = fast.decoder_of(codec, Rules())
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


#: The other readings, a switch at a time.
OTHERS = {
    f"{field.name}={reading}": replace(Rules(), **{field.name: reading})
    for field in fields(Rules)
    if get_origin(hint := get_type_hints(Rules)[field.name]) is Literal
    for reading in get_args(hint)[1:]
}


def read(by: Callable[..., Any], type_name: str, data: bytes, rules: Rules) -> Any:
    try:
        return repr(by(DIALECTS["kafka"].codec(type_name, None), data, rules))
    except DecodeError as error:
        return error.reason, error.offset, error.path, error.detail


@pytest.mark.parametrize("reading", OTHERS)
def test_records_are_read_alike_under_each_other_reading(reading: str) -> None:
    """All vectors of batches and records, with faults at each place where a reading could matter."""
    rules = OTHERS[reading]
    for vector in vectors.load(["kafka"]):
        if vector.type in ("RecordBatch", "Record") and 0 < len(vector.data) < 2_000:
            given = read(fast.decode, vector.type, vector.data, rules)
            assert given == read(decode, vector.type, vector.data, rules), vector.path


def test_only_readings_that_accept_more_have_the_fast_codec() -> None:
    codec = DIALECTS["kafka"].codec("RecordBatch", None)
    found = {
        reading.partition("=")[0] for reading, rules in OTHERS.items() if fast.decoder_of(codec, rules) is not None
    }
    assert found == _LOOSENING
    assert fast.decoder_of(codec, OTHERS["overlong_varints=refused"]) is None
    assert fast.decoder_of(codec, OTHERS["linked_blocks=refused"]) is None
    assert fast.decoder_of(codec, replace(Rules(), inflate_limit=10)) is None


def test_a_reading_that_accepts_more_is_no_reason_to_read_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The readable codec is not even asked."""
    codec = DIALECTS["kafka"].codec("Record", None)
    data = READABLE.encode("Record", record(random.Random(0), 0), dialect="kafka")
    value = decode(codec, data, Rules())

    def asked(*_: object) -> None:
        raise AssertionError("the readable codec was asked")

    monkeypatch.setattr(readable, "decode", asked)
    assert fast.decode(codec, data, OTHERS["invalid_text=kept"]) == value
    with pytest.raises(AssertionError, match="was asked"):
        fast.decode(codec, data, OTHERS["overlong_varints=refused"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_vectors_of_each_dialect_are_read_alike(dialect: str) -> None:
    codecs = reference.Reference(), fast.FastReference()
    for one in codecs:
        one.configure(vectors.settings(dialect), dialect=dialect)

    def seen(one: reference.Reference, vector: Vector) -> Any:
        return attempt(
            lambda: repr(one.decode(vector.type or "", vector.data, dialect=dialect, version=vector.version))
        )

    asked = [one for one in vectors.load([dialect]) if Op.DECODE in one.ops and len(one.data) < 2_000]
    assert asked
    for vector in asked:
        assert seen(codecs[0], vector) == seen(codecs[1], vector), vector.path
