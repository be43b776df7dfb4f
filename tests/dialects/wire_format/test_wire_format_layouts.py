"""The layouts of wire-format: numbers of apis, defaults, limits of lengths and counts, message sets and wrappers."""

from __future__ import annotations

import gzip
import re
import zlib
from typing import Any

import pytest
from support.paths import ROOT
from support.wire_format_frames import DIALECT, HI, PRODUCE, PRODUCED, decode, frame, produced, request, topic

from wireproof import reference
from wireproof.reference import DecodeError, EncodeError, Reason, Reference, Rules
from wireproof.reference.cursor import Reader
from wireproof.reference.dialects import DIALECTS, UnknownType
from wireproof.reference.dialects.wire_format import WireFormat, messages


def test_request_type_ids_are_configurable() -> None:
    own = WireFormat(produce_id=6, fetch_id=5)
    moved = bytes.fromhex(PRODUCE[:8] + "0006" + PRODUCE[12:])
    assert own.apis() == {6: "Produce", 5: "Fetch"}
    assert own.request_type(6) == "ProduceRequest"
    assert own.request_type(0) is None
    assert own.api_versions(5) == (0, 0)
    assert own.api_versions(1) is None
    sent, closed = own.serve([moved], {}, Rules())
    assert (sent[4:8].hex(), closed) == ("00000007", False)
    assert own.serve([bytes.fromhex(PRODUCE)], {}, Rules()) == (b"", True)
    assert own.interpret(moved, produced(7, [-1], [42]), Rules()) == {"outcome": "accepted"}


def test_request_type_ids_come_with_the_settings() -> None:
    own = Reference()
    own.configure({"request_type_ids": {"Produce": 6, "Fetch": 5}}, dialect=DIALECT)
    moved = bytes.fromhex(PRODUCE[:8] + "0006" + PRODUCE[12:])
    assert own.decode("ProduceRequest", moved, dialect=DIALECT)["request_type_id"] == 6
    sent, closed = own.serve([moved, bytes.fromhex(PRODUCE)], dialect=DIALECT)
    assert (sent[4:8].hex(), closed) == ("00000007", True)
    own.configure({}, dialect=DIALECT)
    assert own.serve([moved], dialect=DIALECT) == (b"", True)


@pytest.mark.parametrize(
    "ids",
    [
        {"Produce": 6},
        {"Produce": 6, "Fetch": 6},
        {"Produce": 6, "Fetch": 2**15},
        {"Produce": "6", "Fetch": 5},
        {"Produce": 6, "Fetch": 5, "Offsets": 7},
        [6, 5],
    ],
)
def test_request_type_ids_that_are_none(ids: Any) -> None:
    with pytest.raises(reference.SchemaError, match="two int16"):
        Reference().configure({"request_type_ids": ids}, dialect=DIALECT)


def test_types_have_no_version_but_0() -> None:
    assert DIALECTS[DIALECT].types == dict.fromkeys(
        ("MESSAGE_SET", "ProduceRequest", "ProduceResponse", "FetchRequest", "FetchResponse")
    )
    assert reference.decode("ProduceResponse", bytes.fromhex(PRODUCED), dialect=DIALECT, version=0)["offsets"] == [42]
    with pytest.raises(DecodeError, match="has version 0, not 1"):
        reference.decode("ProduceResponse", bytes.fromhex(PRODUCED), dialect=DIALECT, version=1)
    with pytest.raises(UnknownType, match="no type 'INT32'"):
        reference.decode("INT32", bytes(4), dialect=DIALECT)


def test_what_the_dialect_does_not_have_is_not_offered() -> None:
    with pytest.raises(NotImplementedError, match="does not say how versions are chosen"):
        reference.negotiate(0, (0, 0), (0, 0), dialect=DIALECT)
    with pytest.raises(NotImplementedError, match="wire-format has no headers"):
        reference.lookup("MESSAGE_SET", b"", "a", dialect=DIALECT)


def test_missing_keys_are_at_their_defaults() -> None:
    written = frame("FetchRequest", {"correlation_id": 7, "topic_offsets": [{"topic": "t"}]})
    assert decode("FetchRequest", written.hex()) == {
        "request_type_id": 1,
        "version_id": 0,
        "correlation_id": 7,
        "client_id": "",
        "replica_id": 0,
        "max_wait": 0,
        "min_bytes": 0,
        "topic_offsets": [{"topic": "t", "partitions": [], "offsets": []}],
    }
    completed = reference.complete("ProduceRequest", {"data": [{"topic": "t"}]}, dialect=DIALECT)
    assert completed["data"] == [{"topic": "t", "partition_data": []}]
    assert completed["request_type_id"] == 0


def test_long_texts_and_arrays() -> None:
    longest = "a" * 32767
    value = request(data=[]) | {"client_id": longest}
    assert decode("ProduceRequest", frame("ProduceRequest", value).hex())["client_id"] == longest
    for surplus, reason, path in (
        ({"client_id": longest + "a"}, Reason.STRING_TOO_LONG, "client_id"),
        ({"data": [topic("")] * 32768}, Reason.OUT_OF_RANGE, "data"),
    ):
        with pytest.raises(EncodeError) as caught:
            frame("ProduceRequest", value | surplus)
        assert (caught.value.reason, caught.value.path) == (reason, path)
    assert (
        len(decode("ProduceRequest", frame("ProduceRequest", request(data=[topic("")] * 32767)).hex())["data"]) == 32767
    )


@pytest.mark.parametrize(
    ("value", "reason", "path"),
    [
        ([{"magic": 1, "payload": "hi"}], Reason.OUT_OF_RANGE, "[0].payload"),
        ([{"magic": None, "payload": b""}], Reason.NULL_NOT_ALLOWED, "[0].magic"),
        ([{"magic": 0, "payload": b"", "key": b""}], Reason.UNKNOWN_FIELD, "[0]"),
        ([{"partial": b"\0"}, {"magic": 0, "payload": b""}], Reason.TRUNCATED, "[0]"),
        ([{"magic": 0, "payload": b""}, {"partial": b""}], Reason.LENGTH_MISMATCH, "[1].partial"),
        ([{"magic": 0, "payload": b""}, {"partial": bytes.fromhex(HI)}], Reason.LENGTH_MISMATCH, "[1].partial"),
        ([{"magic": 0, "payload": b""}, {"partial": b"\xff" * 4}], Reason.LENGTH_MISMATCH, "[1].partial"),
        ([{"partial": b"\0"}], Reason.TRUNCATED, "[0].partial"),
        ([{"magic": 1, "attributes": 200, "payload": b""}], Reason.OUT_OF_RANGE, "[0].attributes"),
        (None, Reason.NULL_NOT_ALLOWED, ""),
        ({}, Reason.OUT_OF_RANGE, ""),
    ],
)
def test_message_sets_that_are_not_written(value: Any, reason: Reason, path: str) -> None:
    with pytest.raises(EncodeError) as caught:
        reference.encode("MESSAGE_SET", value, dialect=DIALECT)
    assert (caught.value.reason, caught.value.path) == (reason, path)


def test_the_rest_of_a_set_is_not_copied_for_each_message(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = []
    peek = Reader.peek

    def counted(self: Reader, count: int) -> bytes:
        found = peek(self, count)
        copied.append(len(found))
        return found

    monkeypatch.setattr(Reader, "peek", counted)
    assert len(reference.decode("MESSAGE_SET", bytes.fromhex(HI) * 100, dialect=DIALECT)) == 100
    assert sum(copied) <= 100 * len(bytes.fromhex(HI))


def wrapped(content: bytes) -> bytes:
    payload = gzip.compress(content, mtime=0)
    inside = b"\x01\x01" + zlib.crc32(payload).to_bytes(4) + payload
    return len(inside).to_bytes(4) + inside


READ = Rules(wrappers="read")


def test_a_wrapper_is_not_looked_into() -> None:
    for content in (bytes(32 * 2**20 + 1), bytes.fromhex(HI[:-2] + "00"), b"\0"):
        data = wrapped(content)
        (found,) = reference.decode("MESSAGE_SET", data, dialect=DIALECT)
        assert found == {"magic": 1, "attributes": 1, "payload": data[10:]}
        assert reference.encode("MESSAGE_SET", [found], dialect=DIALECT) == data


def test_a_wrapper_that_is_read_inflates_up_to_the_bound() -> None:
    inner = bytes.fromhex(HI)
    data = wrapped(inner * 10)
    assert len(messages.unwrap(1, data[10:], Rules())) == 10
    own = Reference(Rules(wrappers="read", inflate_limit=len(inner) * 10))
    assert len(own.decode("MESSAGE_SET", data, dialect=DIALECT)) == 1
    small = Reference(Rules(wrappers="read", inflate_limit=len(inner) * 10 - 1))
    with pytest.raises(DecodeError) as caught:
        small.decode("MESSAGE_SET", data, dialect=DIALECT)
    assert (caught.value.reason, caught.value.offset, caught.value.path) == (Reason.RESOURCE_LIMIT, 10, "[0].payload")


def test_a_gzip_bomb_is_refused_where_wrappers_are_read() -> None:
    with pytest.raises(DecodeError) as caught:
        Reference(READ).decode("MESSAGE_SET", wrapped(bytes(32 * 2**20 + 1)), dialect=DIALECT)
    assert (caught.value.reason, caught.value.offset) == (Reason.RESOURCE_LIMIT, 10)


def test_a_fault_inside_a_wrapper_has_a_path() -> None:
    data = wrapped(bytes.fromhex(HI + HI[:-2] + "00"))
    with pytest.raises(DecodeError) as caught:
        Reference(READ).decode("MESSAGE_SET", data, dialect=DIALECT)
    assert (caught.value.reason, caught.value.offset, caught.value.path) == (
        Reason.CRC_MISMATCH,
        10,
        "[0].payload[1].crc",
    )
    with pytest.raises(EncodeError) as refused:
        Reference(READ).encode("MESSAGE_SET", reference.decode("MESSAGE_SET", data, dialect=DIALECT), dialect=DIALECT)
    assert (refused.value.reason, refused.value.path) == (Reason.CRC_MISMATCH, "[0].payload[1].crc")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", None),
        (bytes.fromhex(HI) + b"\0", None),
        (b"\0\0\0", None),
        (bytes.fromhex(HI[:-2]), Reason.TRUNCATED),
        (bytes.fromhex("ffffffff"), Reason.NEGATIVE_LENGTH),
        (wrapped(bytes.fromhex(HI)), None),
        (wrapped(bytes.fromhex(HI[:-2] + "00")), Reason.CRC_MISMATCH),
    ],
)
def test_what_a_wrapper_that_is_read_may_hold(content: bytes, reason: Reason | None) -> None:
    data = wrapped(content)
    kept = reference.decode("MESSAGE_SET", data, dialect=DIALECT)
    if reason is None:
        assert Reference(READ).decode("MESSAGE_SET", data, dialect=DIALECT) == kept
        return
    with pytest.raises(DecodeError) as caught:
        Reference(READ).decode("MESSAGE_SET", data, dialect=DIALECT)
    assert caught.value.reason is reason


def test_wrappers_inside_of_each_other_end() -> None:
    data = bytes.fromhex(HI)
    for _ in range(8):
        data = wrapped(data)
    assert len(Reference(READ).decode("MESSAGE_SET", data, dialect=DIALECT)) == 1
    with pytest.raises(DecodeError, match="more than 8 wrappers"):
        Reference(READ).decode("MESSAGE_SET", wrapped(data), dialect=DIALECT)


@pytest.mark.parametrize("digits", ["00", "0000", "7fffff"])
def test_a_residue_alone_may_be_kept(digits: str) -> None:
    own, data = Reference(Rules(first_residue="kept")), bytes.fromhex(digits)
    assert own.decode("MESSAGE_SET", data, dialect=DIALECT) == [{"partial": data}]
    assert own.recode("MESSAGE_SET", data, dialect=DIALECT) == data
    with pytest.raises(DecodeError):
        own.decode("MESSAGE_SET", bytes.fromhex(HI[:-2]), dialect=DIALECT)
    with pytest.raises(EncodeError):
        own.encode("MESSAGE_SET", [{"partial": bytes.fromhex("00000008")}], dialect=DIALECT)


def test_the_page_s_bytes_side_by_side_are_those_of_the_codecs() -> None:
    page = (ROOT / "docs/explanation/wire-format.md").read_text("utf-8")
    rows = page.partition("| | wire-format | Kafka 0.8")[2].partition("\n\n")[0].splitlines()[2:]
    columns: list[list[str]] = [[], []]
    for row in rows:
        side, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        for column, cell in zip(columns, cells, strict=True):
            digits = re.match(r"`([0-9a-f ]*)`", cell)
            column += ["|"] * (side == "response") + ([digits[1]] if digits else [])
    proposed, shipped = ("".join(column).replace(" ", "").split("|") for column in columns)
    assert proposed == [PRODUCE, PRODUCED]

    stored = {"offset": 0, "attributes": 0, "key": None, "value": b"hi"}
    partition = {"Index": 0, "Records": reference.encode("MessageSet", [stored], dialect="kafka", version=0)}
    topics = [{"Name": "t", "PartitionData": [partition]}]
    asked = {"Acks": 1, "TimeoutMs": 1500, "TopicData": topics}
    header = {"RequestApiKey": 0, "RequestApiVersion": 0, "CorrelationId": 7, "ClientId": "c"}
    sent = reference.encode("RequestHeader", header, dialect="kafka", version=1)
    sent += reference.encode("ProduceRequest", asked, dialect="kip-82-int-keys", version=0)
    answered = {"Responses": [{"Name": "t", "PartitionResponses": [{"Index": 0, "ErrorCode": 0, "BaseOffset": 42}]}]}
    received = bytes.fromhex("00000007")
    received += reference.encode("ProduceResponse", answered, dialect="kip-82-int-keys", version=0)
    assert shipped == [(len(one).to_bytes(4) + one).hex() for one in (sent, received)]
