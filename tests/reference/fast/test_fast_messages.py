"""The fast codec and the readable one are equal: values and refusals, for every version of every message."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.trying import tried

from wireproof import reference
from wireproof.conformance import ledger
from wireproof.conformance.generation import random_values
from wireproof.conformance.properties import byte_corruption
from wireproof.conformance.values.compare import equal
from wireproof.reference import catalog, fast
from wireproof.reference.codec import NodeCodec, decode, encode
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.errors import DecodeError, EncodeError, SchemaError
from wireproof.reference.rules import Rules, rules_with
from wireproof.reference.schema import from_json
from wireproof.reference.schema.plan import Struct, plan

MESSAGE_VERSIONS = [
    (name, version)
    for name, (low, high) in sorted(catalog.current().messages.items())
    for version in range(low, high + 1)
]
STRICT = Rules()
LENIENT = rules_with(
    reference.rulings("kafka").values(),
    {ruling.id: next(iter(ruling.others)) for ruling in reference.rulings("kafka").values() if ruling.others},
)


def codec_of(name: str, version: int) -> NodeCodec:
    found = DIALECTS["kafka"].codec(name, version)
    assert isinstance(found, NodeCodec)
    return found


def outcome(codec: NodeCodec, data: bytes, rules: Rules, *, quick: bool) -> Any:
    """The value, or why and where it is refused."""
    try:
        return (fast.decode if quick else decode)(codec, data, rules)
    except DecodeError as error:
        return error.reason, error.offset, error.path, error.detail


def written(codec: NodeCodec, value: Any, *, quick: bool) -> Any:
    try:
        return (fast.encode if quick else encode)(codec, value, STRICT)
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
        assert fast.encode(codec, value, STRICT) == data, case
        for rules in (STRICT, LENIENT):
            assert fast.decode(codec, data, rules) == decode(codec, data, rules), case
        for mutated in mutations(data, dice):
            for rules in (STRICT, LENIENT):
                assert outcome(codec, mutated, rules, quick=True) == outcome(codec, mutated, rules, quick=False)


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
    assert fast.decode(codec, data, STRICT)["ApiKeys"] == expected
    for length in range(len(data)):
        refused = outcome(codec, data[:length], STRICT, quick=True)
        assert refused[0] == "truncated"
        assert refused == outcome(codec, data[:length], STRICT, quick=False)


@pytest.mark.parametrize(("name", "version"), MESSAGE_VERSIONS)
def test_equal_on_drawn_values(name: str, version: int) -> None:
    codec = codec_of(name, version)

    def made(random: Random) -> tuple[Any, Random]:
        return random_values.of_node(codec.node, random), random

    def check(drawn: tuple[Any, Random]) -> None:
        value, random = drawn
        raw = written(codec, value, quick=False)
        assert written(codec, value, quick=True) == raw
        for data, rules in itertools.product((raw, byte_corruption.nearly(random, raw)), (STRICT, LENIENT)):
            given, readable = outcome(codec, data, rules, quick=True), outcome(codec, data, rules, quick=False)
            assert given == readable or (equal(given, readable) and equal(readable, given)), (
                data.hex()
            )  # NaN is not NaN

    tried(3, check, made, f"{name} {version}")


_SCHEMAS = [path for path in sorted(Path(catalog.__file__).parent.glob("*.json")) if path.stem != "index"]
#: Values for the keys of a schema: right ones of other fields, and odd ones.
_PARTS: dict[str, list[Any]] = {
    "type": [
        "bool",
        "int8",
        "uint16",
        "uint32",
        "float64",
        "uuid",
        "string",
        "bytes",
        "records",
        "[]int32",
        "[]string",
    ],
    "versions": ["0+", "1+", "2-3", "0", "none", "5-2"],
    "nullableVersions": ["0+", "1+", "none"],
    "flexibleVersions": ["0+", "1+", "2+", "none"],
    "taggedVersions": ["0+", "1+", "2+"],
    "tag": [0, 1, 2, 300, -1],
    "default": ["null", "-1", "true", "0x10", 7, "a"],
    "validVersions": ["0", "0-2", "0-5", "3-4"],
    "ignorable": [True, False],
}


def changed_schema(dice: random.Random) -> Any:
    """A schema of the catalogue with one to three changes."""
    raw = json.loads(dice.choice(_SCHEMAS).read_text("utf-8"))
    for _ in range(dice.randint(1, 3)):
        places = [raw]
        for place in places:  # grows while it is walked
            places += [field for field in place.get("fields", []) if isinstance(field, dict)]
        place = dice.choice(places)
        match dice.randrange(4):
            case 0:
                place.pop(dice.choice(sorted(place)))
            case 1 if place.get("fields"):
                dice.shuffle(place["fields"])
            case 2 if place.get("fields"):
                place["fields"] = [*place["fields"], dice.choice(places[1:]) | {"name": "Another"}]
            case _:
                key = dice.choice(sorted(_PARTS))
                place[key] = dice.choice(_PARTS[key])
    return raw


def test_equal_for_every_schema_that_the_parser_takes() -> None:
    """Schemas that nobody has written: each is refused, or both codecs make the same of it."""
    counts = Counter[str]()

    def check(drawn: tuple[Any, Random]) -> None:
        raw, random = drawn
        try:
            schema = from_json(raw)
        except SchemaError:
            counts["refused"] += 1
            return
        if not schema.versions:
            return
        version = random.randint(schema.versions.low, min(schema.versions.high, 40))
        codec = NodeCodec(plan(schema, version))
        value = random_values.of_node(codec.node, random)
        data = written(codec, value, quick=False)
        assert written(codec, value, quick=True) == data, (raw, version)
        if not isinstance(data, bytes):
            return
        counts["written"] += 1
        for changed in (data, *mutations(data, random)):
            for rules in (STRICT, LENIENT):
                given = outcome(codec, changed, rules, quick=True)
                readable = outcome(codec, changed, rules, quick=False)
                same = given == readable or (equal(given, readable) and equal(readable, given))  # NaN is not NaN
                assert same, (raw, version, changed.hex())

    tried(1500, check, lambda random: (changed_schema(random), random), "schemas")
    assert min(counts["refused"], counts["written"]) > 200, counts


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
    assert written(codec, value, quick=True)[0] == reason
    assert written(codec, value, quick=True) == written(codec, value, quick=False)


@pytest.mark.parametrize(("length", "prefix"), [(32_767, "808002"), (32_768, "818002")])
@pytest.mark.parametrize(
    ("name", "version", "head", "tail"),
    [
        ("ApiVersionsRequest", 3, "", "02 76 00"),  # COMPACT_STRING; behind it another, of one character
        ("MetadataResponse", 12, "00000000 01", "00000001 01 00"),  # COMPACT_NULLABLE_STRING
    ],
)
def test_the_string_limit_holds_inside_a_message(
    name: str, version: int, head: str, tail: str, length: int, prefix: str
) -> None:
    codec = codec_of(name, version)
    data = bytes.fromhex(head + prefix) + b"x" * length + bytes.fromhex(tail)
    assert isinstance(codec.node, Struct)
    if length <= 32_767:
        assert fast.decoder(codec.node)(data, 0)[1] == len(data)
    else:
        with pytest.raises(fast.Fault):
            fast.decoder(codec.node)(data, 0)
        assert outcome(codec, data, STRICT, quick=True)[0] == "string-too-long"
    assert outcome(codec, data, STRICT, quick=True) == outcome(codec, data, STRICT, quick=False)


#: Messages with arrays of structures: the path to these arrays, and what a structure's own variable parts may be.
_REPLICAS: dict[str, list[Any]] = {
    "ReplicaNodes": [[], [1], [1, 2, 3], [0] * 256, [7] * 130],
    "IsrNodes": [[], [2]],
    "OfflineReplicas": [[]],
}
_ARRAYS: list[tuple[str, int, tuple[str, str], dict[str, list[Any]]]] = [
    ("MetadataResponse", 5, ("Topics", "Partitions"), _REPLICAS),
    ("MetadataResponse", 12, ("Topics", "Partitions"), _REPLICAS),
    (
        "DescribeTopicPartitionsResponse",
        0,
        ("Topics", "Partitions"),
        {"EligibleLeaderReplicas": [None, [], [3, 4]], "LastKnownElr": [None, [9]], "IsrNodes": [[], [5, 6]]},
    ),
    ("OffsetFetchResponse", 5, ("Topics", "Partitions"), {"Metadata": [None, "", "m", "x" * 255, "y" * 256]}),
    ("OffsetFetchResponse", 7, ("Topics", "Partitions"), {"Metadata": [None, "", "m", "x" * 255]}),
    (
        "FetchResponse",
        11,
        ("Responses", "Partitions"),
        {"AbortedTransactions": [None, [], [{}]], "Records": [None, b"", b"r"]},
    ),
    (
        "FetchResponse",
        12,
        ("Responses", "Partitions"),
        {"AbortedTransactions": [None, [], [{}]], "Records": [None, b"", b"r"], "CurrentLeader": [{}, {"LeaderId": 3}]},
    ),
    (
        "ProduceResponse",
        9,
        ("Responses", "PartitionResponses"),
        {"RecordErrors": [[], [{}]], "ErrorMessage": [None, "", "e"], "_tags": [[], [(7, b"t")]]},
    ),
]


@pytest.mark.parametrize(("name", "version", "path", "parts"), _ARRAYS, ids=lambda part: str(part)[:24])
def test_arrays_of_structures_of_equal_and_other_sizes(
    name: str, version: int, path: tuple[str, str], parts: dict[str, list[Any]]
) -> None:
    codec = codec_of(name, version)
    dice = random.Random(f"{name} {version}")
    layouts = [dict(zip(parts, choice, strict=True)) for choice in itertools.product(*parts.values())]
    for layout in layouts:
        for odd in (None, 0, 4):
            inner = [dict(layout) for _ in range(5)]
            if odd is not None:
                inner[odd] = dice.choice(layouts)
            value = codec.complete({path[0]: [{path[1]: inner}]})
            data = written(codec, value, quick=False)
            assert isinstance(data, bytes), data
            read = outcome(codec, data, STRICT, quick=False)
            assert outcome(codec, data, STRICT, quick=True) == read
            assert written(codec, read, quick=True) == data
            for changed in mutations(data, dice):
                assert outcome(codec, changed, STRICT, quick=True) == outcome(codec, changed, STRICT, quick=False)


def test_neither_lists_nor_dictionaries_are_shared() -> None:
    codec = codec_of("MetadataResponse", 12)
    value = codec.complete({"Topics": [{"Partitions": [{"ReplicaNodes": [1, 2]}] * 6}]})
    read = fast.decode(codec, encode(codec, value, STRICT), STRICT)
    parts = read["Topics"][0]["Partitions"]
    lists = [part[name] for part in parts for name in ("ReplicaNodes", "IsrNodes", "OfflineReplicas")]
    assert len({id(item) for item in [*parts, *lists]}) == 24


def test_unknown_tags_stand_among_known_ones() -> None:
    codec = codec_of("ApiVersionsResponse", 3)
    assert isinstance(codec.node, Struct)
    value = codec.complete({"ZkMigrationReady": True, "FinalizedFeaturesEpoch": 1, "_tags": [(2**31 - 2, b"z")]})
    expected = bytes.fromhex("0000 01 00000000 03 01 08 0000000000000001 03 01 01 feffffff07 01 7a")
    assert fast.encoder(codec.node)(value) == expected
    assert written(codec, value, quick=False) == expected


@pytest.mark.parametrize(
    "tags",
    [
        None,
        [(5, b"a"), (4, b"b")],
        [(5, b"a"), (5, b"b")],
        [(-1, b"a")],
        [(True, b"a")],
        [(2**32, b"a")],
        [(2**31 - 1, b"a")],
        [(5, "a")],
        [(5, bytearray(b"a"))],
        [(5, b"a", 1)],
        [[5, b"a"], [6, b"b"]],
        ((5, b"a"),),
        5,
    ],
    ids=repr,
)
@pytest.mark.parametrize("surplus", [{}, {"Nonsense": 1}])
def test_unknown_tags_that_are_not_plain_are_written_and_refused_alike(tags: Any, surplus: dict[str, Any]) -> None:
    for name in ("ApiVersionsRequest", "ApiVersionsResponse"):
        codec = codec_of(name, 3)
        value = codec.complete({"ClientSoftwareName": "c"} if name.endswith("Request") else {"ZkMigrationReady": True})
        value |= {"_tags": tags} | surplus
        assert written(codec, value, quick=True) == written(codec, value, quick=False)
