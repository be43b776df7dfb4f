"""kip-82-int-keys: points on headers and messages that no vector asks, mainly the bytes that a reader does not read."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.headed_codec import TYPES as HEADED_TYPES
from support.headed_codec import Headed
from support.judging import judged
from support.wire import Refused, attempt

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Observation, Op, Outcome, Status
from wireproof.conformance.properties import strategies
from wireproof.reference.cursor import Reader
from wireproof.reference.dialects import DIALECTS, NamesNumbers
from wireproof.reference.dialects.kip_82_int.headers import headers_up_to, read_headers
from wireproof.reference.errors import EncodeError
from wireproof.reference.rules import Rules

DIALECT = "kip-82-int-keys"
WORKED = bytes.fromhex(
    "0000000000000000 00000026 ced442a0 02 10 00000000000003e8 00000001 6b0000000a 00000001 00000002 6162 00000001 76"
)


def decode(name: str, data: bytes) -> Any:
    """The value, or how the bytes are refused."""
    return attempt(lambda: reference.decode(name, data, dialect=DIALECT))


def lookup(name: str, data: bytes, key: int) -> Any:
    return attempt(lambda: reference.lookup(name, data, key, dialect=DIALECT))


def header(key: int, value: bytes) -> bytes:
    return struct.pack(">ii", key, len(value)) + value


# --- Reading no further than a key: what is touched is counted --------------------------------------------------------


class Counting(bytes):
    """Bytes that remember which of them were looked at."""

    touched: set[int]

    def __getitem__(self, index: Any) -> Any:
        self.touched.update(range(len(self))[index] if isinstance(index, slice) else [range(len(self))[index]])
        return super().__getitem__(index)


def counted(data: bytes, rules: Rules | None = None) -> tuple[Reader, set[int]]:
    """A reader over the bytes, and the set of those that it will have looked at."""
    reader, counting = Reader(data, rules or Rules()), Counting(data)
    counting.touched = set()
    reader.data = counting
    return reader, counting.touched


FIVE = b"".join(header(key, bytes([key]) * key) for key in (1, 5, 9, 200, 250))
#: Where each key of FIVE stands, and the end.
STARTS = [0, 9, 22, 39, 247, 505]


@pytest.mark.parametrize(
    ("last", "found", "touched"),
    [
        (0, [], 4),
        (1, [1], 9 + 4),
        (4, [1], 9 + 4),
        (5, [1, 5], 22 + 4),
        (199, [1, 5, 9], 39 + 4),
        (249, [1, 5, 9, 200], 247 + 4),
        (250, [1, 5, 9, 200, 250], 505),
        (2**31 - 1, [1, 5, 9, 200, 250], 505),
    ],
)
def test_up_to_a_key_only_the_first_greater_key_is_looked_at_besides(last: int, found: list[int], touched: int) -> None:
    assert len(FIVE) == STARTS[-1]
    reader, seen = counted(FIVE)
    assert [key for key, _ in headers_up_to(reader, last)] == found
    assert seen == set(range(touched))


def test_all_headers_are_all_bytes() -> None:
    reader, seen = counted(FIVE)
    assert [key for key, _ in read_headers(reader)] == [1, 5, 9, 200, 250]
    assert seen == set(range(len(FIVE)))


def test_the_cost_does_not_grow_with_what_is_behind() -> None:
    costs = set()
    for more in (1, 10, 1000):
        reader, seen = counted(header(1, b"a") + b"".join(header(key, b"x" * 100) for key in range(10, 10 + more)))
        assert headers_up_to(reader, 1) == [(1, b"a")]
        costs.add(len(seen))
    assert costs == {9 + 4}


@pytest.mark.parametrize("behind", [b"", b"\xff", b"\xff\xff\xff\xff", header(3, b"") + b"\x80", b"\0\0\0\7" * 2])
def test_faults_behind_the_first_greater_key_stay_unseen(behind: bytes) -> None:
    data = header(1, b"a") + struct.pack(">i", 9) + behind
    assert reference.lookup("HEADERS", data, 1, dialect=DIALECT) == [b"a"]
    assert isinstance(decode("HEADERS", data), Refused)


@pytest.mark.parametrize(
    ("data", "refused"),
    [
        (header(5, b"") + header(1, b""), Refused("key-order", 8)),
        (header(1, b"") + header(1, b""), Refused("key-duplicate", 8)),
        (header(1, b"")[:6], Refused("truncated", 4)),
        (struct.pack(">ii", 1, -1), Refused("null-not-allowed", 4)),
        (struct.pack(">ii", 1, 7) + b"abc", Refused("truncated", 4)),
    ],
)
def test_faults_before_it_are_seen(data: bytes, refused: Refused) -> None:
    assert lookup("HEADERS", data, 9) == refused


@given(keys=st.sets(st.integers(-(2**31), 2**31 - 1), max_size=6), last=st.integers(-(2**31), 2**31 - 1))
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_up_to_a_key_is_the_whole_filtered(keys: set[int], last: int) -> None:
    """Under both orders of keys."""
    for order in ("signed", "unsigned"):
        rules = Rules(int_key_order=order)

        def rank(key: int, order: str = order) -> int:
            return key & 0xFFFFFFFF if order == "unsigned" else key

        data = b"".join(header(key, b"v") for key in sorted(keys, key=rank))
        found = headers_up_to(Reader(data, rules), last)
        assert [key for key, _ in found] == [key for key in sorted(keys, key=rank) if rank(key) <= rank(last)]


def with_headers(block: bytes, *, value: bytes = b"\0\0\0\x01v") -> bytes:
    """A message of magic 2 around these headers."""
    body = bytes.fromhex("02 10 00000000000003e8 00000001 6b") + struct.pack(">i", len(block)) + block + value
    return struct.pack(">qiI", 0, 4 + len(body), zlib.crc32(body)) + body


def test_a_lookup_in_a_message_skips_headers_and_checks_the_rest() -> None:
    faulty = header(1, b"a") + struct.pack(">i", 9) + b"\xff"
    assert reference.lookup("MESSAGE_AND_OFFSET", with_headers(faulty), 1, dialect=DIALECT) == [b"a"]
    wrong_crc = bytearray(with_headers(faulty))
    wrong_crc[12] ^= 1
    for data, refused in (
        (bytes(wrong_crc), Refused("crc-mismatch", 12)),
        (with_headers(faulty, value=b"\0\0\0\2v"), Refused("truncated", 49)),
        (with_headers(faulty) + b"\0", Refused("trailing-bytes", 54)),
        (b"", Refused("truncated", 0)),
    ):
        assert lookup("MESSAGE_AND_OFFSET", data, 1) == refused


def test_what_is_no_int32_is_no_header_s_key() -> None:
    for key in (2**31, 2**40, -(2**31) - 1):
        assert reference.lookup("HEADERS", FIVE, key, dialect=DIALECT) == []


@pytest.mark.parametrize("name", ["MESSAGE_SET", "ProduceRequest"])
def test_other_types_have_no_lookup(name: str) -> None:
    with pytest.raises(NotImplementedError, match="not in"):
        reference.lookup(name, b"", 1, dialect=DIALECT, version=None)


# --- Messages ---------------------------------------------------------------------------------------------------------


def test_every_flipped_bit_of_a_message_is_refused() -> None:
    for data in (WORKED, WORKED + WORKED):
        for at in range(12, len(WORKED)):
            for bit in range(8):
                flipped = bytes([*data[:at], data[at] ^ 1 << bit, *data[at + 1 :]])
                assert isinstance(decode("MESSAGE_SET", flipped), Refused)


@pytest.mark.parametrize(
    ("size", "offset"), [(0, 12), (3, 12), (4, 16), (5, 17), (6, 18), (13, 18), (14, 26), (17, 26), (18, 30), (21, 30)]
)
def test_a_size_below_the_least_is_refused_before_its_crc_is_looked_at(size: int, offset: int) -> None:
    """At the field that does not fit, were key and value null: the CRC is that of the whole message."""
    cut = WORKED[:8] + struct.pack(">i", size) + WORKED[12 : 12 + size]
    assert decode("MESSAGE_AND_OFFSET", cut) == Refused("truncated", offset)
    assert decode("MESSAGE_SET", cut) == Refused("truncated", offset)


def test_every_prefix_of_a_message_is_refused_and_is_none_of_a_set() -> None:
    for end in range(len(WORKED)):
        found = decode("MESSAGE_AND_OFFSET", WORKED[:end])
        assert found == Refused("truncated", found.offset)
        assert decode("MESSAGE_SET", WORKED[:end]) == []
        assert len(decode("MESSAGE_SET", WORKED + WORKED[:end])) == 1


def test_what_is_dropped_has_its_place() -> None:
    found = reference.explain("MESSAGE_SET", WORKED + WORKED[:20], dialect=DIALECT)
    last = found.spans[-1]
    assert (last.start, last.end, last.path, last.what) == (50, 70, "[1]", "partial entry, dropped")


def test_every_byte_of_a_message_has_its_place_and_meaning() -> None:
    found = reference.explain("MESSAGE_SET", WORKED, dialect=DIALECT)
    assert [(span.start, span.end, span.path, span.what, span.value) for span in found.spans] == [
        (0, 8, "[0].offset", "offset", 0),
        (8, 12, "[0].size", "size", 38),
        (12, 16, "[0].crc", "crc", 0xCED442A0),
        (16, 17, "[0].magic", "magic", 2),
        (17, 18, "[0].attributes", "attributes", 16),
        (18, 26, "[0].timestamp", "timestamp", 1000),
        (26, 30, "[0].key", "length", 1),
        (30, 31, "[0].key", "bytes", b"k"),
        (31, 35, "[0].headers", "length of all headers", 10),
        (35, 39, "[0].headers[0].key", "key client.id", 1),
        (39, 43, "[0].headers[0].value", "length", 2),
        (43, 45, "[0].headers[0].value", "bytes", b"ab"),
        (45, 49, "[0].value", "length", 1),
        (49, 50, "[0].value", "bytes", b"v"),
    ]


@pytest.mark.parametrize(
    ("digits", "path"),
    [
        ("00000001 00000000 00000001 00000000", "[1].key"),
        ("00000001 00000000 00000002 ffffffff", "[1].value"),
        ("00000001 00000000 0000", "[1].key"),
        ("00000001 00000001", "[0].value"),
    ],
)
def test_a_fault_in_headers_names_its_place(digits: str, path: str) -> None:
    error = reference.explain("HEADERS", bytes.fromhex(digits), dialect=DIALECT).error
    assert error is not None
    assert error.path == path


@pytest.mark.parametrize("codec", [1, 2, 3])
def test_a_wrapper_inflates_to_no_more_than_the_bound(codec: int) -> None:
    """Refused at its content, with no more in memory than the bound allows."""
    message: dict[str, Any] = {"offset": 0, "magic": 2, "attributes": 0, "timestamp": 0, "key": None, "headers": []}
    big = {**message, "value": bytes(2**20)}
    wrapper = {**message, "attributes": codec, "messages": [{**big, "headers": [(1, b"one")]}]}
    data = reference.encode("MESSAGE_AND_OFFSET", wrapper, dialect=DIALECT)
    assert len(data) < 2**17
    least = len(reference.encode("MESSAGE_AND_OFFSET", wrapper["messages"][0], dialect=DIALECT))
    for limit, expected in ((least, None), (least - 1, Refused("resource-limit", 34))):
        own = reference.Reference(Rules(inflate_limit=limit))
        found = attempt(lambda: own.decode("MESSAGE_AND_OFFSET", data, dialect=DIALECT))  # noqa: B023
        assert found == (expected or reference.decode("MESSAGE_AND_OFFSET", data, dialect=DIALECT))


def test_without_headers_a_message_is_as_long_as_one_of_magic_1() -> None:
    """ "Headers cause no overhead if not present": but for magic and CRC the bytes are the same."""
    value = reference.decode("MESSAGE_AND_OFFSET", WORKED, dialect=DIALECT) | {"headers": []}
    new = reference.encode("MESSAGE_AND_OFFSET", value, dialect=DIALECT)
    old = reference.encode("MESSAGE_AND_OFFSET", value | {"magic": 1, "attributes": 0}, dialect=DIALECT)
    assert (new[:12], new[17:]) == (old[:12], old[17:])


@given(strategies.values("MESSAGE_AND_OFFSET", dialect=DIALECT))
@settings(max_examples=100, deadline=None, derandomize=True, database=None)
def test_the_flag_follows_from_the_headers(value: dict[str, Any]) -> None:
    data = reference.encode("MESSAGE_AND_OFFSET", value, dialect=DIALECT)
    if value["magic"] == 2:
        assert bool(data[17] & 0x10) == bool(value["headers"])
    else:
        assert data[17] == value["attributes"] & 0xFF


def test_an_older_reader_meets_magic_2_as_unknown() -> None:
    """It reads what is before it, and says where it had to stop."""
    old = reference.encode(
        "MESSAGE_AND_OFFSET",
        reference.decode("MESSAGE_AND_OFFSET", WORKED, dialect=DIALECT) | {"magic": 1, "headers": [], "attributes": 0},
        dialect=DIALECT,
    )
    found = attempt(lambda: reference.decode("MessageSet", old + WORKED, dialect="kafka", version=1))
    assert found == Refused("unsupported-magic", len(old) + 16)


def test_a_missing_key_of_a_value_is_its_default() -> None:
    plain = reference.encode("MESSAGE_AND_OFFSET", {}, dialect=DIALECT)
    assert reference.decode("MESSAGE_AND_OFFSET", plain, dialect=DIALECT) == {
        "offset": 0,
        "magic": 2,
        "attributes": 0,
        "timestamp": 0,
        "key": None,
        "headers": [],
        "value": None,
    }


VALUE: dict[str, Any] = {"offset": 0, "magic": 2, "attributes": 0, "timestamp": 0, "key": None, "headers": []}


@pytest.mark.parametrize(
    ("value", "refused"),
    [
        (None, Refused("null-not-allowed", None, "")),
        ([], Refused("out-of-range", None, "")),
        (VALUE | {"value": "text"}, Refused("out-of-range", None, "value")),
        (VALUE | {"attributes": 128}, Refused("out-of-range", None, "attributes")),
        (VALUE | {"attributes": "1"}, Refused("out-of-range", None, "attributes")),
        (VALUE | {"magic": True}, Refused("unsupported-magic", None, "")),
        (VALUE | {"magic": "2"}, Refused("unsupported-magic", None, "")),
        (VALUE | {"surplus": 1}, Refused("unknown-field", None, "")),
        (VALUE | {"headers": {1: b""}}, Refused("out-of-range", None, "headers")),
        (VALUE | {"headers": [(1, b"", 2)]}, Refused("out-of-range", None, "headers[0]")),
        (VALUE | {"headers": [("1", b"")]}, Refused("out-of-range", None, "headers[0].key")),
        (VALUE | {"headers": [(True, b"")]}, Refused("out-of-range", None, "headers[0].key")),
        (VALUE | {"headers": [(2**31, b"")]}, Refused("out-of-range", None, "headers[0].key")),
        (VALUE | {"headers": [(1, b""), (2, "text")]}, Refused("out-of-range", None, "headers[1].value")),
        (VALUE | {"headers": [(1, b""), (1, b"")]}, Refused("key-duplicate", None, "headers[1]")),
        (VALUE | {"attributes": 1, "messages": None}, Refused("null-not-allowed", None, "messages")),
        (VALUE | {"attributes": 1, "messages": [None]}, Refused("null-not-allowed", None, "messages[0]")),
        (
            {"magic": 1, "attributes": 1, "messages": [VALUE | {"value": None}]},
            Refused("invalid-wrapper", None, "messages[0].magic"),
        ),
        (
            {"magic": 1, "attributes": 1, "messages": [{"magic": 1, "headers": [(1, b"")]}]},
            Refused("field-not-in-version", None, "messages[0].headers"),
        ),
        ({"magic": 1, "headers": None}, Refused("null-not-allowed", None, "headers")),
        ({"magic": 0, "headers": 7}, Refused("out-of-range", None, "headers")),
        ({"magic": 0, "attributes": 1, "messages": [7]}, Refused("out-of-range", None, "messages[0]")),
    ],
)
def test_values_that_have_no_bytes_are_refused_at_their_place(value: Any, refused: Refused) -> None:
    assert attempt(lambda: reference.encode("MESSAGE_AND_OFFSET", value, dialect=DIALECT)) == refused


def test_unknown_types_and_ops_are_not_there() -> None:
    spoken = DIALECTS[DIALECT]
    with pytest.raises(reference.UnknownType, match="no type 'MESSAGE'"):
        reference.decode("MESSAGE", b"", dialect=DIALECT)
    for act in (
        lambda: spoken.serve([], {}, Rules()),
        lambda: spoken.interpret(b"", b"", Rules()),
        lambda: spoken.negotiate(0, (0, 3), (0, 3)),
    ):
        with pytest.raises(NotImplementedError, match="kip-82-int-keys does not say"):
            act()
    assert spoken.apis() == {0: "Produce", 1: "Fetch"}
    assert spoken.answer_type(0, 3, b"") is None
    assert isinstance(spoken, NamesNumbers)
    assert not isinstance(DIALECTS["kafka"], NamesNumbers)


def test_a_body_needs_a_version() -> None:
    assert decode("FetchRequest", b"") == Refused("unsupported-version")
    with pytest.raises(EncodeError, match="needs a version"):
        reference.encode("FetchRequest", {}, dialect=DIALECT)


# --- The other codec of the tests -------------------------------------------------------------------------------------


def test_a_codec_without_the_miniatures_faults_passes() -> None:
    """So that a miniature's deviations are its own fault."""
    own = Headed()
    passed = 0
    for vector in vectors.load([DIALECT]):
        for op in vector.ops:
            if vector.type not in HEADED_TYPES[DIALECT] or (vector.reject is not None and op is Op.RECODE):
                continue
            case = vector.case(op)
            try:
                answer = getattr(own, op)(**case.args, type=case.type, dialect=DIALECT)
                seen = Observation(case, Status.ANSWER, answer)
            except ValueError:
                seen = Observation(case, Status.REJECT)
            assert judged(vector, seen).outcome is Outcome.PASS, vector.path
            passed += 1
    assert passed > 300
