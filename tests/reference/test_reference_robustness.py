"""Hostile bytes and odd values: the reference raises nothing but the kit's own errors, and takes little memory."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import random
import tracemalloc
import typing
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from support.reading_questions import A_RECORD, batch, entry
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.types import types_of
from wireproof.reference import DecodeError, EncodeError, Reference, Rules, WireError, catalog
from wireproof.reference.errors import Reason

COUNT = 200_000
SEED = 482_35_82

#: Messages that have no vectors, and so no bytes to start from, are tried in test_fast_messages.py.
OTHER_MESSAGES = set(catalog.current().messages) - {"ApiVersionsRequest", "ApiVersionsResponse", "ResponseHeader"}


def is_other(name: str) -> bool:
    """Whether a type is one of those messages, or a frame around one."""
    return name in OTHER_MESSAGES or name.removeprefix("ResponseFrame:") + "Response" in OTHER_MESSAGES


TYPES: list[tuple[str, int | None]] = [
    *((name, version) for name, version in types_of(KAFKA) if not is_other(name)),
    ("ARRAY<NULLABLE_ARRAY<COMPACT_ARRAY<COMPACT_NULLABLE_ARRAY<VARLONG>>>>", None),
    ("COMPACT_NULLABLE_ARRAY<COMPACT_NULLABLE_STRING>", None),
    ("NULLABLE_ARRAY<UUID>", None),
]

#: Bytes on which lengths, counts, markers and varints break.
BORDER_DIGITS = """
    00 01 02 7f 80 fe ff ffff fffe 7fff 8000 ffffffff fffffffe 7fffffff 80000000
    ffffffff07 8080808008 ffffffff0f ffffffff1f 8080808080 ffffffffffffffffff01 ffffffffffffffffff7f
    0012 00120000 00120003 03e7 c080 eda080 f09d849e
"""
BORDERS = [bytes.fromhex(digits) for digits in BORDER_DIGITS.split()]


def others() -> list[Rules]:
    """The strict reading, each other one alone, and all first others at once."""
    hints = typing.get_type_hints(Rules)
    readings = {one.name: typing.get_args(hints[one.name]) for one in dataclasses.fields(Rules)}
    switches = {name: values[1:] for name, values in readings.items() if values}  # a bound has no readings
    alone = [Rules(**{name: value}) for name, values in switches.items() for value in values]
    return [Rules(), *alone, Rules(**{name: values[0] for name, values in switches.items()})]


def seeds() -> dict[tuple[str | None, int | None], list[bytes]]:
    """What the vectors hold, by type and version: places from which small faults go deep."""
    found: dict[tuple[str | None, int | None], list[bytes]] = collections.defaultdict(list)
    for vector in vectors.load([KAFKA]):
        if vector.pieces and len(vector.data) < 200:
            found[vector.type, vector.version].append(vector.data)
    return found


def mutated(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(6):
            case 0:
                changed[at:at] = chance.choice(BORDERS)
            case 1:
                border = chance.choice(BORDERS)
                changed[at : at + len(border)] = border
            case 2:
                del changed[at:]
            case 3:
                del changed[at : at + chance.randrange(1, 5)]
            case 4:
                changed[at:at] = changed[at : at + chance.randrange(1, 9)]
            case _:
                if at < len(changed):
                    changed[at] ^= 1 << chance.randrange(8)
    return bytes(changed)


def inputs(chance: random.Random, known: list[bytes]) -> Iterator[bytes]:
    """Random bytes, rows of borders, and known bytes with small faults."""
    while True:
        yield chance.randbytes(chance.randrange(32))
        yield b"".join(chance.choices(BORDERS, k=chance.randrange(1, 7)))
        for _ in range(4):
            yield mutated(chance, chance.choice(known) if known else chance.randbytes(8))


def refusal(own: Reference, name: str, data: bytes, version: int | None) -> WireError | None:
    """How a recode is refused; None when it is not."""
    try:
        own.recode(name, data, dialect=KAFKA, version=version)
    except WireError as error:
        return error
    return None


def test_hostile_bytes_raise_nothing_but_the_kits_own_errors() -> None:
    chance = random.Random(SEED)
    known = seeds()
    own = Reference()
    references = itertools.cycle([Reference(rules) for rules in others()])
    share = -(-COUNT // len(TYPES))
    answers: collections.Counter[str] = collections.Counter()
    for name, version in TYPES:
        for data in itertools.islice(inputs(chance, known[name, version]), share):
            error = refusal(own, name, data, version)
            if error is None:
                answers["read"] += 1
            else:
                assert isinstance(error, DecodeError), "what the strict reading reads can be written"
                assert error.offset is None or 0 <= error.offset <= len(data)
                answers[error.reason] += 1
            error = refusal(next(references), name, data, version)
            assert error is None or error.half in ("decode", "encode")
    assert answers.total() >= COUNT
    # The inputs are worth something: many are read, and no reason of these types is missing.
    assert answers["read"] > COUNT / 20
    assert set(answers) - {"read"} >= {
        Reason.TRUNCATED, Reason.TRAILING_BYTES, Reason.LENGTH_MISMATCH, Reason.VARINT_OVERFLOW, Reason.NEGATIVE_LENGTH,
        Reason.NULL_NOT_ALLOWED, Reason.INVALID_UTF8, Reason.TAG_ORDER, Reason.TAG_DUPLICATE, Reason.UNKNOWN_API,
        Reason.UNSUPPORTED_VERSION,
    }  # fmt: skip


def test_hostile_conversations_raise_nothing_at_all() -> None:
    """A broker and a client that are sent anything answer, wait, close or call it malformed."""
    chance = random.Random(SEED)
    known = seeds()
    told = [vector.case(Op.SERVE) for vector in vectors.load([KAFKA]) if Op.SERVE in vector.ops]
    requests = [*known["RequestFrame", None], *(b"".join(case.args["chunks"]) for case in told)]
    exchanges = [vector.case(Op.INTERPRET).args for vector in vectors.load([KAFKA]) if Op.INTERPRET in vector.ops]
    answered = [(args["request"], args["response"]) for args in exchanges if args["response"] is not None]
    outcomes: collections.Counter[str] = collections.Counter()
    references = [Reference(rules) for rules in others()]
    for number, data in enumerate(itertools.islice(inputs(chance, requests), COUNT // 40)):
        own = references[number % len(references)]
        whole = b"".join([chance.choice(requests), data, chance.choice(requests)])
        at = chance.randrange(len(whole) + 1)
        sent, closed = own.serve([whole[:at], whole[at:]], dialect=KAFKA)
        outcomes[f"closed {closed}, sent {bool(sent)}"] += 1
        assert own.serve([whole], dialect=KAFKA) == (sent, closed)
    asked = [data for data in requests if len(data) >= 12]
    for number in range(COUNT // 40):
        own = references[number % len(references)]
        request, response = chance.choice(answered)
        if number % 4 == 0:
            request = chance.choice(asked)
        data = mutated(chance, response) if number % 8 else chance.randbytes(chance.randrange(32))
        if number % 2:  # behind a size and a correlation id that are right
            data = max(0, len(data) - 4).to_bytes(4) + request[8:12] + data[8:]
        outcomes[own.interpret(request, data, dialect=KAFKA)["outcome"]] += 1
    assert {"accepted", "malformed", "error", "unsupported"} <= set(outcomes)
    assert {f"closed {closed}, sent {sent}" for closed in (True, False) for sent in (True, False)} <= set(outcomes)


# --- Values ---


class Strange:
    """A value of no protocol type."""


ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2**31,
    2**64,
    10**5000,
    -(10**5000),
    0.0,
    -0.0,
    float("nan"),
    float("inf"),
    1j,
    "",
    "kafka",
    "\ud800",
    "a" * 40_000,
    b"",
    b"\xff",
    bytearray(b"ab"),
    memoryview(b"abcd")[::2],
    uuid.UUID(int=5),
    [],
    (),
    [None],
    [[]],
    [[[[[]]]]],
    ["a", 5],
    [(1, b"")],
    [(1, b""), (1, b"")],
    [(5, b""), (1, b"")],
    [(-5, b"")],
    [(10**5000, b"")],
    [(1, "a")],
    [(True, b"")],
    {},
    {"ErrorCode": None},
    {"": 0},
    {None: 0},
    {10**5000: 0},
    {("a", 5): 0},
    {"header": None, "body": None},
    {"header": {}, "body": {}},
    {"header": {"RequestApiKey": 18, "RequestApiVersion": 3}, "body": {"ClientSoftwareName": 5}},
    {"header": {"RequestApiKey": 10**5000, "RequestApiVersion": 3}, "body": {}},
    {"header": {"RequestApiKey": 18, "RequestApiVersion": -(10**5000)}, "body": {}},
    {"header": {"RequestApiKey": True, "RequestApiVersion": False}, "body": {}},
    {"_tags": 5},
    {"_tags": [5]},
    {"_tags": [(0, b"")]},
    {"ApiKeys": [{"_tags": {}}]},
    {1, 2},
    frozenset(),
    range(3),
    iter(()),
    object(),
    Strange(),
    Strange,
    len,
    NotImplemented,
    ...,
]


@pytest.mark.parametrize(("name", "version"), TYPES)
def test_odd_values_are_written_or_refused(name: str, version: int | None) -> None:
    for rules in (Rules(), others()[-1]):
        own = Reference(rules)
        for value in ODD:
            try:
                written = own.encode(name, value, dialect=KAFKA, version=version)
            except EncodeError as error:
                refused = str(error)
            else:
                refused = ""
                own.decode(name, written, dialect=KAFKA, version=version)
            assert len(refused) < 300


def test_odd_values_in_every_field_are_written_or_refused() -> None:
    """One field of a whole value is odd."""
    refused = 0
    for name, version, digits in (
        ("ApiVersionsResponse", 3, "0000" + "02" + "00120000000500" + "00000000" + "00"),
        ("ApiVersionsRequest", 5, "0261" + "0231" + "0263" + "00000002" + "00"),
        ("RequestHeader", 2, "0012" + "0003" + "00000001" + "000163" + "00"),
    ):
        whole = reference.decode(name, bytes.fromhex(digits), dialect=KAFKA, version=version)
        for key, value in itertools.product([*whole, "_tags"], ODD):
            try:
                reference.encode(name, whole | {key: value}, dialect=KAFKA, version=version)
            except EncodeError:
                refused += 1
    assert refused > 500


@pytest.mark.parametrize("number", range(len(ODD)))
def test_odd_values_are_completed_without_an_error(number: int) -> None:
    value = ODD[number]
    for name, version in TYPES:
        completed = reference.complete(name, value, dialect=KAFKA, version=version)
        assert completed is value or isinstance(value, (list, tuple, dict))


# --- Bombs ---

TEXTS_AND_BYTES = [f"{compact}{null}{kind}" for compact, null, kind in itertools.product(
    ("", "COMPACT_"), ("", "NULLABLE_"), ("STRING", "BYTES")
)]  # fmt: skip
ARRAYS = [f"{compact}{null}ARRAY<{element}>" for compact, null, element in itertools.product(
    ("", "COMPACT_"), ("", "NULLABLE_"), ("BOOLEAN", "UUID", "STRING", "COMPACT_ARRAY<INT8>")
)]  # fmt: skip
MEBIBYTE = 2**20


def bombs() -> Iterator[tuple[str, int | None, bytes, int]]:
    """type, version, bytes that announce far more than there is, and the offset of what announces it."""
    for name in TEXTS_AND_BYTES + ARRAYS:
        if name.startswith("COMPACT"):
            prefixes = ["ffffffff07", "ffffffff0f", "8080808008"]
        else:
            prefixes = ["7fff"] if name.endswith("STRING") else ["7fffffff", "40000000"]
        for prefix in prefixes:
            yield name, None, bytes.fromhex(prefix), 0
            yield name, None, bytes.fromhex(prefix) + b"\0" * 64, 0
    for prefix in ("ffffffff07", "ffffffff0f"):
        bomb = bytes.fromhex(prefix)
        yield "TAG_BUFFER", None, bomb, 0
        yield "TAG_BUFFER", None, b"\x01\x05" + bomb + b"\0", 2
        yield "TAG_BUFFER", None, b"\x02\x00\x00\x05" + bomb, 4
        yield "ApiVersionsRequest", 3, bomb, 0
        yield "ApiVersionsRequest", 3, b"\x01\x01" + bomb, 2
        yield "ApiVersionsResponse", 3, b"\0\0" + bomb, 2
        yield "ApiVersionsResponse", 3, b"\0\0\x02" + b"\0" * 6 + bomb, 9
        yield "ApiVersionsResponse", 3, b"\0\0\x01" + b"\0" * 4 + b"\x01\x00" + bomb, 9
        yield "ApiVersionsResponse", 3, b"\0\0\x01" + b"\0" * 4 + b"\x01\x00\x05" + bomb[:5], 10
        yield "RequestHeader", 2, b"\0" * 10 + bomb, 10
        yield "ResponseHeader", 1, b"\0" * 4 + bomb, 4
    record = bytes.fromhex("00" + "00" + "00")  # attributes and deltas
    for bomb in (bytes.fromhex("feffffff0f"), bytes.fromhex("8080808008")):  # 2**31 - 1 and 2**30
        yield "Record", None, bomb, 0
        for before in (b"", b"\x01", b"\x01\x01", b"\x01\x01\x02"):  # null keys and values, one header
            inside = record + before + bomb
            yield "Record", None, bytes([len(inside) << 1]) + inside, 1 + len(inside) - len(bomb)
    for count in (2**31 - 1, 2**20):
        yield "RecordBatch", None, bytes.fromhex(batch(count, A_RECORD)), 57
        yield "RecordSet", None, bytes.fromhex(batch(count, A_RECORD)), 57
    yield "RecordBatch", None, bytes.fromhex("0000000000000000" + "7fffffff"), 8
    for magic in (0, 1):
        bomb = entry(magic, 0, 0, b"a", 2**31 - 1)
        yield "MessageSet", magic, bomb, len(bomb) - 5
    for size in ("7fffffff", "063fffff"):
        yield "RequestFrame", None, bytes.fromhex(size) + b"\0" * 64, 0
        yield "ResponseFrame:ApiVersions", 0, bytes.fromhex(size) + b"\0" * 64, 0
    yield "ApiVersionsResponse", 0, bytes.fromhex("00007fffffff") + b"\0" * 64, 2
    yield "RequestHeader", 1, b"\0" * 8 + bytes.fromhex("7fff") + b"\0" * 64, 8
    yield "ARRAY<ARRAY<ARRAY<INT8>>>", None, bytes.fromhex("000000010000000140000000"), 8
    for message, version, zeros, length in (
        ("ConsumerProtocolAssignment", 0, 0, "7fffffff"),
        ("ConsumerProtocolSubscription", 0, 0, "7fffffff"),
        ("OffsetCommitKey", 1, 0, "7fff"),
        ("OffsetCommitValue", 0, 8, "7fff"),
        ("OffsetCommitValue", 4, 12, "ffffffff07"),
        ("GroupMetadataKey", 2, 0, "7fff"),
        ("GroupMetadataValue", 0, 0, "7fff"),
        ("GroupMetadataValue", 0, 10, "7fffffff"),
        ("TransactionLogKey", 0, 0, "7fff"),
        ("TransactionLogValue", 0, 15, "7fffffff"),
        ("TransactionLogValue", 1, 15, "ffffffff0f"),
    ):
        head = version.to_bytes(2) + bytes(zeros)
        yield f"VersionPrefixed:{message}", None, head + bytes.fromhex(length) + b"\0" * 64, len(head)


BOMBS = list(bombs())


def test_every_length_prefixed_type_has_bombs() -> None:
    bombed = {name.split("<")[0] for name, *_ in BOMBS}
    prefixed = {name for name in reference.types[KAFKA] if any(part in name for part in ("STRING", "BYTES"))}
    small = {name for name in reference.types[KAFKA] if not is_other(name)}
    assert bombed >= prefixed | small - {
        "BOOLEAN", "INT8", "INT16", "INT32", "INT64", "UINT16", "UINT32", "FLOAT64", "UUID", "UNSIGNED_VARINT",
        "VARINT", "VARLONG", "VersionPrefixed:EndTxnMarker",  # two integers
    }  # fmt: skip


@pytest.mark.parametrize("number", range(len(BOMBS)))
def test_a_bomb_is_refused_at_its_prefix_for_less_than_a_mebibyte(number: int) -> None:
    name, version, data, offset = BOMBS[number]
    tracemalloc.start()
    try:
        with pytest.raises(DecodeError) as caught:
            reference.decode(name, data, dialect=KAFKA, version=version)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (caught.value.reason, caught.value.offset) == (Reason.TRUNCATED, offset)
    assert peak < MEBIBYTE


def test_a_bomb_sent_to_a_broker_is_waited_for_for_less_than_a_mebibyte() -> None:
    tracemalloc.start()
    try:
        waits = reference.serve([bytes.fromhex("06400000"), b"\0" * 64], dialect=KAFKA)
        refuses = reference.serve([bytes.fromhex("06400001")], dialect=KAFKA)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (waits, refuses) == ((b"", False), (b"", True))
    assert peak < MEBIBYTE
