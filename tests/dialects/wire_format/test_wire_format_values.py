"""The values that are generated for wire-format: partial tails, wrappers of both codecs, arrays of equal length."""

from __future__ import annotations

from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance.generation import expectations
from wireproof.conformance.model import Description, Op
from wireproof.conformance.properties import strategies
from wireproof.conformance.properties.deterministic import each
from wireproof.conformance.properties.properties import offered
from wireproof.conformance.values.compare import equal
from wireproof.reference import DecodeError, Reason, Rules
from wireproof.reference.dialects.wire_format import messages

DIALECT = "wire-format"
TYPES = tuple(reference.types[DIALECT])


def generated(type_name: str, count: int = 300) -> list[Any]:
    """So many values, always the same ones."""
    found: list[Any] = []

    each(strategies.values(type_name, dialect=DIALECT), count, found.append)
    return found


@pytest.fixture(scope="module")
def sets() -> list[list[dict[str, Any]]]:
    return generated("MESSAGE_SET", 600)


@pytest.fixture(scope="module")
def whole(sets: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [message for found in sets for message in found if "partial" not in message]


def test_messages_are_of_both_magics_and_of_any_attributes(
    sets: list[list[dict[str, Any]]], whole: list[dict[str, Any]]
) -> None:
    assert [] in sets
    assert {message["magic"] for message in whole} == {0, 1}
    assert {("attributes" in message, message["magic"]) for message in whole} == {(False, 0), (True, 1)}
    attributes = {message["attributes"] for message in whole if message["magic"] == 1}
    assert {value & messages.CODEC for value in attributes} == {0, 1, 2}
    assert min(attributes) < 0 < max(attributes)
    assert any(value & ~messages.CODEC for value in attributes)
    assert b"" in {message["payload"] for message in whole}
    assert any(len({message.get("magic") for message in found} - {None}) > 1 for found in sets)


@pytest.mark.parametrize("codec", [messages.GZIP, messages.SNAPPY])
def test_wrappers_hold_messages_of_both_magics(codec: int, whole: list[dict[str, Any]]) -> None:
    wrappers = [message for message in whole if message.get("attributes", 0) & messages.CODEC == codec]
    inside = [messages.unwrap(codec, wrapper["payload"], Rules()) for wrapper in wrappers]
    assert {len(found) for found in inside} == {1, 2, 3}
    assert {message["magic"] for found in inside for message in found} == {0, 1}
    assert not any(message.get("attributes", 0) & messages.CODEC for found in inside for message in found)


def test_some_sets_end_with_a_part_of_a_message(sets: list[list[dict[str, Any]]]) -> None:
    ends = [found[-1]["partial"] for found in sets if found and "partial" in found[-1]]
    assert len(sets) * 0.1 < len(ends) < len(sets) * 0.9
    lengths = {len(part) for part in ends}
    assert lengths >= {1, 2, 3, 4}
    assert len(lengths) > 5
    assert max(lengths) > 8
    assert any(len(part) < 4 and part.strip(b"\0") for part in ends)  # no size begins so
    sizes = [int.from_bytes(part[:4], signed=True) for part in ends if len(part) >= 4]
    assert min(sizes) < 64
    assert max(sizes) > 2**16
    assert all("partial" not in message for found in sets for message in found[:-1])
    assert all(len(found) > 1 for found in sets if found and "partial" in found[-1])


@pytest.mark.parametrize("name", ["ProduceRequest", "FetchResponse"])
def test_frames_hold_any_message_sets(name: str) -> None:
    rows = [row["partition_data"] for value in generated(name) for row in value["data"]]
    assert {len(row) for row in rows} == {0, 1, 2, 3}
    found = [part["messages"] for row in rows for part in row]
    assert [] in found
    assert any("partial" in message for one in found for message in one)
    assert {message.get("attributes", 0) & messages.CODEC for one in found for message in one} == {0, 1, 2}


def test_arrays_beside_each_other_are_of_one_length() -> None:
    answers = generated("ProduceResponse")
    assert {len(value["errors"]) for value in answers} == {0, 1, 2, 3}
    assert all(len(value["errors"]) == len(value["offsets"]) for value in answers)
    assert {-(2**15), -1, 0, 2**15 - 1} <= {error for value in answers for error in value["errors"]}
    offsets = [offset for value in answers for offset in value["offsets"]]
    assert min(offsets) < -(2**48)
    assert max(offsets) > 2**48
    rows = [row for value in generated("FetchRequest") for row in value["topic_offsets"]]
    assert {len(row["partitions"]) for row in rows} == {0, 1, 2, 3}
    assert all(len(row["partitions"]) == len(row["offsets"]) for row in rows)
    assert any(row["partitions"] != row["offsets"] for row in rows)


@pytest.mark.parametrize("name", TYPES)
def test_values_can_be_written_and_read_back(name: str) -> None:
    for value in generated(name, 60):
        written = reference.encode(name, value, dialect=DIALECT)
        assert equal(value, reference.decode(name, written, dialect=DIALECT))
        assert reference.recode(name, written, dialect=DIALECT) == written
        assert equal(value, reference.complete(name, value, dialect=DIALECT))


# --- Properties -------------------------------------------------------------------------------------------------------


def test_every_type_has_every_property() -> None:
    usual = {"round-trip", "prefixes", "arbitrary-bytes", "wrong-values"}
    expected = {(name, one) for name in TYPES for one in usual} | {("MESSAGE_SET", "flipped-bits")}
    everything = Description("all", dialects=(DIALECT,), ops=frozenset({Op.DECODE, Op.ENCODE, Op.RECODE}))
    assert {(found.type, found.name) for found in offered(everything)} == expected
    assert expectations.area(DIALECT, "MESSAGE_SET") == "framing"
    assert expectations.area(DIALECT, "FetchRequest") == "messages"


@pytest.mark.parametrize(
    ("value", "first"),
    [([{"magic": 0, "payload": b"hi"}], 5), ([{"magic": 1, "attributes": 4, "payload": b"hi"}, {"partial": b"\0"}], 6)],
)
def test_a_flipped_bit_is_refused_from_the_crc_on(value: list[dict[str, Any]], first: int) -> None:
    data = reference.encode("MESSAGE_SET", value, dialect=DIALECT)
    guarded = messages.guarded(data)
    assert guarded == range(first, first + 6)
    for at in guarded:
        for bit in range(8):
            flipped = bytes([*data[:at], data[at] ^ 1 << bit, *data[at + 1 :]])
            with pytest.raises(DecodeError) as caught:
                reference.decode("MESSAGE_SET", flipped, dialect=DIALECT)
            assert (caught.value.reason, caught.value.offset) == (Reason.CRC_MISMATCH, first)
