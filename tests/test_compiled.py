"""The fast codec and the readable one are the same codec: values and refusals, on every message-version."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from conformance import ledger, strategies
from reference import catalog
from reference.codec import NodeCodec, decode, decode_fast, encode, encode_fast
from reference.dialects import DIALECTS
from reference.errors import DecodeError, EncodeError
from reference.plan import Struct, plan
from reference.rules import Rules, take
from reference.schema import from_json

MESSAGE_VERSIONS = [
    (name, version)
    for name, (low, high) in sorted(catalog.current().messages.items())
    for version in range(low, high + 1)
]
STRICT = Rules()
LENIENT = take(
    reference.rulings("kafka").values(),
    {ruling.id: next(iter(ruling.others)) for ruling in reference.rulings("kafka").values() if ruling.others},
)


def codec_of(name: str, version: int) -> NodeCodec:
    found = DIALECTS["kafka"].codec(name, version)
    assert isinstance(found, NodeCodec)
    return found


def outcome(codec: NodeCodec, data: bytes, rules: Rules, *, fast: bool) -> Any:
    """The value, or why and where it is refused."""
    try:
        return (decode_fast if fast else decode)(codec, data, rules)
    except DecodeError as error:
        return error.reason, error.offset, error.path, error.detail


def written(codec: NodeCodec, value: Any, *, fast: bool) -> Any:
    try:
        return (encode_fast if fast else encode)(codec, value, STRICT)
    except EncodeError as error:
        return error.reason, error.path, error.detail


def test_the_catalogue_is_all_there() -> None:
    assert len(catalog.current().messages) == 195
    assert len(MESSAGE_VERSIONS) == 640


@pytest.mark.parametrize(("name", "version"), MESSAGE_VERSIONS)
def test_equal_on_ledger_values_and_their_mutations(name: str, version: int) -> None:
    codec = codec_of(name, version)
    assert isinstance(codec.node, Struct)
    dice = random.Random(f"{name} {version}")
    for case, value in ledger.values(codec.node):
        data = encode(codec, value, STRICT)
        assert encode_fast(codec, value, STRICT) == data, case
        for rules in (STRICT, LENIENT):
            assert decode_fast(codec, data, rules) == decode(codec, data, rules), case
        for mutated in mutations(data, dice):
            for rules in (STRICT, LENIENT):
                assert outcome(codec, mutated, rules, fast=True) == outcome(codec, mutated, rules, fast=False)


def mutations(data: bytes, dice: random.Random, count: int = 4) -> list[bytes]:
    """Bytes near `data`: one changed, some dropped, some put in, cut short."""
    found = []
    for _ in range(count):
        at = dice.randrange(len(data) + 1)
        kind = dice.randrange(4)
        if kind == 0 and at < len(data):
            odd = dice.choice((0, 1, 2, 0x7F, 0x80, 0xFF, dice.randrange(256)))
            found.append(data[:at] + bytes([odd]) + data[at + 1 :])
        elif kind == 1:
            found.append(data[:at] + data[at + dice.randint(1, 3) :])
        elif kind == 2:
            found.append(data[:at] + dice.randbytes(dice.randint(1, 3)) + data[at:])
        else:
            found.append(data[:at])
    return found


@pytest.mark.parametrize("tagged", list(itertools.product((False, True), repeat=3)), ids=str)
def test_structures_of_one_width_with_and_without_tags(tagged: tuple[bool, ...]) -> None:
    codec = codec_of("ApiVersionsResponse", 3)
    keys = [f"000{key} 0000 0009 {'01 05 02 abcd' if tags else '00'}" for key, tags in enumerate(tagged)]
    data = bytes.fromhex("0000 04" + "".join(keys) + "00000000 00")
    expected = [
        {"ApiKey": key, "MinVersion": 0, "MaxVersion": 9} | ({"_tags": [(5, b"\xab\xcd")]} if tags else {})
        for key, tags in enumerate(tagged)
    ]
    assert decode_fast(codec, data, STRICT)["ApiKeys"] == expected
    for length in range(len(data)):
        refused = outcome(codec, data[:length], STRICT, fast=True)
        assert refused[0] == "truncated"
        assert refused == outcome(codec, data[:length], STRICT, fast=False)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_equal_on_drawn_values(data: st.DataObject) -> None:
    name, version = data.draw(st.sampled_from(MESSAGE_VERSIONS))
    codec = codec_of(name, version)
    value = data.draw(strategies.of_node(codec.node))
    raw = written(codec, value, fast=False)
    assert written(codec, value, fast=True) == raw
    assert outcome(codec, raw, STRICT, fast=True) == outcome(codec, raw, STRICT, fast=False)
    mutated = data.draw(strategies.nearly(st.just(raw)))
    for rules in (STRICT, LENIENT):
        assert outcome(codec, mutated, rules, fast=True) == outcome(codec, mutated, rules, fast=False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ErrorCode": 40000}, "out-of-range"),
        ({"ErrorCode": None}, "null-not-allowed"),
        ({"ApiKeys": None}, "null-not-allowed"),
        ({"ZkMigrationReady": 1}, "out-of-range"),
        ({"Nonsense": 1}, "unknown-field"),
        ({"_tags": [[0, b""]]}, "known-tag"),
    ],
)
def test_refused_values_are_refused_alike(change: dict[str, Any], reason: str) -> None:
    codec = codec_of("ApiVersionsResponse", 3)
    value = next(value for case, value in ledger.values(codec.node) if case == "set") | change  # type: ignore[arg-type]
    assert written(codec, value, fast=True)[0] == reason
    assert written(codec, value, fast=True) == written(codec, value, fast=False)


def test_a_tagged_minus_zero_is_no_default() -> None:
    schema = from_json(
        {
            "name": "Weighed",
            "type": "data",
            "validVersions": "0",
            "flexibleVersions": "0+",
            "fields": [
                {"name": "Weight", "type": "float64", "versions": "0+", "tag": 0, "taggedVersions": "0+"},
                {"name": "Pair", "type": "P", "versions": "0+", "tag": 1, "taggedVersions": "0+", "fields": [
                    {"name": "X", "type": "float64", "versions": "0+"}]},
            ],
        }
    )  # fmt: skip
    codec = NodeCodec(plan(schema, 0))
    for weight, inner in ((0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (1.5, -2.5)):
        value = {"Weight": weight, "Pair": {"X": inner}}
        assert written(codec, value, fast=True) == written(codec, value, fast=False)
    assert written(codec, {"Weight": -0.0, "Pair": {"X": 0.0}}, fast=True).hex() == "0100088000000000000000"
