"""Every switch of Rules has all its readings tested, and every ruling names switches that exist."""

from __future__ import annotations

import dataclasses
import typing

import pytest
from support.switches import SWITCHES
from support.wire import KAFKA, Refused, decode, encode, recode

from wireproof.reference import Reference, Rules, Ruling, dialects, message, rules_with, rulings

#: All switches; the bound on what is inflated is a parameter, not a reading.
FIELDS = [one for one in dataclasses.fields(Rules) if one.name != "inflate_limit"]


#: Tested in tests/dialects/kip_482/test_kip_482_rulings.py: they need schemas.
ELSEWHERE = {switch for ruling in rulings("kip-482-v1").values() for switch, _ in ruling.others.values()}


def readings_of(switch: str) -> tuple[str, ...]:
    """All readings of a switch, the demanded one first."""
    return typing.get_args(typing.get_type_hints(Rules)[switch])


def test_every_switch_is_tested_under_every_reading() -> None:
    assert set(SWITCHES) | ELSEWHERE == {one.name for one in FIELDS}
    for switch, questions in SWITCHES.items():
        assert questions
        for _, expected in questions:
            assert tuple(expected) == readings_of(switch)
        demanded, *others = readings_of(switch)
        for other in others:
            told_apart = any(expected[demanded] != expected[other] for _, expected in questions)
            assert told_apart, f"{switch}: no question tells {other} from {demanded}"


@pytest.mark.parametrize(
    ("switch", "number"), [(switch, number) for switch, asked in SWITCHES.items() for number in range(len(asked))]
)
def test_each_reading_does_what_it_says(switch: str, number: int) -> None:
    question, expected = SWITCHES[switch][number]
    for value, answer in expected.items():
        assert question(**{switch: value}) == answer, value


def test_policy_limits_are_the_most_that_is_read() -> None:
    assert message.POLICY_TAGS == 10_000
    most = 1_000_000
    assert len(decode("ARRAY<INT8>", f"{most:08x}" + most * "00", policy_limits="kafka-4.4")) == most
    one_more = "c2843d" + (most + 1) * "00"  # the count and one, as a varint: 0x42 0x42 0x3d in groups of seven bits
    assert decode("COMPACT_ARRAY<INT8>", one_more, policy_limits="kafka-4.4") == Refused("resource-limit", 0)
    assert len(decode("COMPACT_ARRAY<INT8>", one_more)) == most + 1


def test_the_demanded_reading_is_the_default() -> None:
    for one in FIELDS:
        assert one.default == readings_of(one.name)[0]
        assert len(readings_of(one.name)) >= 2


def test_each_ruling_names_switches_and_readings_that_exist() -> None:
    taken = set()
    for ruling in (one for dialect in dialects for one in rulings(dialect).values()):
        assert ruling.contested or not ruling.others
        for switch, value in ruling.others.values():
            assert value in readings_of(switch)[1:], ruling.id
            taken.add((switch, value))
    others = {(one.name, value) for one in FIELDS for value in readings_of(one.name)[1:]}
    assert taken == others


def test_every_contested_ruling_has_a_switch() -> None:
    every = (one for dialect in dialects for one in rulings(dialect).values())
    # A reference without a limit would take the memory of the judge; and it is no client that runs.
    assert {one.id for one in every if one.contested and not one.others} == {"R-K-35", "R-K-41", "R-K-65"}


def test_rulings_are_whole() -> None:
    for identifier, ruling in (item for dialect in dialects for item in rulings(dialect).items()):
        assert identifier == ruling.id
        assert identifier.startswith("R-")
        assert ruling.question
        assert ruling.demanded
        assert ruling.source


def test_take() -> None:
    mine = (
        Ruling("R-1", "q", "d", {"other": ("tag_order", "any")}, "o"),
        Ruling("R-2", "q", "d", {"empty": ("fallback_keys", "empty"), "full": ("fallback_keys", "full")}, "o"),
        Ruling("R-3", "q", "d"),
        Ruling("R-4", "q", "d", {}, "o"),
    )
    assert rules_with(mine, {}) == Rules()
    assert rules_with(mine, {"R-1": "other", "R-2": "full"}) == Rules(tag_order="any", fallback_keys="full")
    base = Rules(high_bits="dropped", tag_order="any")
    assert rules_with(mine, {"R-2": "empty"}, base) == Rules(
        high_bits="dropped", tag_order="any", fallback_keys="empty"
    )
    for readings, text in (
        ({"R-9": "other"}, "there is no contested ruling 'R-9'; contested are R-1, R-2, R-4"),
        ({"R-3": "other"}, "there is no contested ruling 'R-3'"),
        ({"R-1": "any"}, "R-1 has no reading 'any'; it has other"),
        ({"R-2": "other"}, "R-2 has no reading 'other'; it has empty, full"),
        ({"R-4": "other"}, "R-4 has no reading 'other'; it has none yet"),
    ):
        with pytest.raises(ValueError, match=text):
            rules_with(mine, readings)


def test_rules_are_no_global() -> None:
    lenient = Reference(Rules(high_bits="dropped"))
    assert lenient.decode("UNSIGNED_VARINT", bytes.fromhex("ffffffff1f"), dialect=KAFKA) == 2**32 - 1
    assert decode("UNSIGNED_VARINT", "ffffffff1f") == Refused("varint-overflow", 0)


def test_what_is_read_leniently_is_written_canonically_or_refused() -> None:
    assert recode("NULLABLE_STRING", "fffe", negative_length="null") == "ffff"
    assert recode("UNSIGNED_VARINT", "ffffffff1f", high_bits="dropped") == "ffffffff0f"
    assert recode("STRING", "0001ff", invalid_text="replaced") == "0003efbfbd"
    assert recode("STRING", "0001ff", invalid_text="kept") == "0001ff"
    assert (
        recode("Record", "12" + "000000" + "0101" + "02" + "02ff01", invalid_text="kept")
        == "12" + "000000" + "0101" + "02" + "02ff01"
    )
    assert recode("TAG_BUFFER", "0202000100", tag_order="any") == Refused("tag-order")
    assert recode("TAG_BUFFER", "0202000200", tag_order="any") == Refused("tag-duplicate")
    assert recode("TAG_BUFFER", "03" + "0201aa" + "0100" + "0201bb", tag_order="map") == "02" + "0100" + "0201bb"
    assert encode("TAG_BUFFER", [(2, b"a"), (1, b""), (2, b"b")], tag_order="map") == "02" + "0100" + "020162"
    assert recode("TAG_BUFFER", "01ffffffff0f00", tag_numbers="signed") == Refused("out-of-range")
