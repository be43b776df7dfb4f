"""The second opinion on KIP-35 agrees with the reference, and differs where a wrong reading is planted."""

from __future__ import annotations

import dataclasses
import struct
from random import Random
from typing import Any

import pytest
from second_opinion import kip_35 as opinion
from support import opinions
from support.opinions import Plant
from support.trying import nearly, tried, values_of

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.conformance.vectors.patterns import mismatch
from wireproof.reference import message
from wireproof.reference.dialects import kip_35
from wireproof.reference.dialects.kip_35 import broker, layouts, protocol_versions, tags
from wireproof.reference.primitives import PRIMITIVES, Primitive, read_int16, read_int32
from wireproof.reference.schema.plan import Array

DIALECT = "kip-35-v7"
VECTORS = vectors.load([DIALECT])
CLUSTER = vectors.settings(DIALECT)["cluster"]


def decoded(type_name: str, data: bytes, version: int | None) -> Any:
    """What the second opinion reads; "refused" where it refuses."""
    try:
        return opinion.decode(type_name, data, version)
    except opinion.RefusedError:
        return "refused"


def history(vector: Vector) -> list[Any]:
    old = vector.args["old"]
    return old if isinstance(old, list) else [old]


def said(vector: Vector) -> Any:
    """The second opinion's answer to a vector's question."""
    case = vector.case(vector.ops[0])
    match vector.ops[0]:
        case Op.SERVE:
            return opinion.serve(b"".join(case.args["chunks"]), CLUSTER)
        case Op.INTERPRET:
            return opinion.interpret(case.args["request"], case.args["response"])
        case Op.NEGOTIATE:
            return opinion.negotiate(case.args["client"], case.args["broker"])
        case Op.LOOKUP:
            return opinion.lookup(vector.type or "", case.args["data"], case.args["key"])
        case Op.EVOLVE:
            return opinion.is_lawful(history(vector), case.args["new"])
    assert vector.type is not None
    return decoded(vector.type, vector.data, vector.version)


def reference_under() -> reference.Reference:
    own = reference.Reference()
    own.configure({"cluster": CLUSTER}, dialect=DIALECT)
    return own


def asked() -> list[Vector]:
    """All but those that are only written."""
    return [vector for vector in VECTORS if vector.kind is not VectorKind.UNENCODABLE]


def test_it_has_every_type() -> None:
    assert opinion.TYPES.keys() == reference.dialect_named(DIALECT).types.keys()
    assert len(asked()) > 0.9 * len(VECTORS)


@pytest.mark.parametrize("vector", asked(), ids=lambda vector: vector.path)
def test_it_concludes_what_the_vectors_demand(vector: Vector) -> None:
    found = said(vector)
    match vector.kind:
        case VectorKind.VALID:
            assert vector.type is not None
            assert equal(vector.value, found)
            assert opinion.encode(vector.type, vector.value) == vector.canonical_data
        case VectorKind.INVALID:
            assert found == "refused"
        case VectorKind.SERVE:
            patterns, closes = vector.expected
            assert mismatch(patterns, found[0], DIALECT) is None
            assert found[1] is closes
        case VectorKind.EVOLVE:
            assert found is not bool(vector.expected)
        case _:
            assert equal(vector.expected, found)


#: Type → its version, and how many of its values are drawn: 10,000 messages and more.
DRAWN = {
    "BrokerMetadataRequest": (0, 4000),
    "BrokerMetadataResponse": (0, 4000),
    "RequestFrame": (None, 1000),
    "ResponseFrame:BrokerMetadata": (0, 1000),
    "EmptyResponse": (None, 200),
}


def test_every_type_is_drawn() -> None:
    assert DRAWN.keys() == opinion.TYPES.keys()
    assert sum(count for _, count in DRAWN.values()) >= 10_000


@pytest.mark.parametrize("name", DRAWN)
def test_it_reads_generated_messages_as_the_reference_wrote_them(name: str) -> None:
    version, examples = DRAWN[name]
    count = 0

    def check(value: Any) -> None:
        nonlocal count
        count += 1
        data = reference.encode(name, value, dialect=DIALECT, version=version)
        assert equal(value, opinion.decode(name, data))
        assert opinion.encode(name, value) == data

    tried(examples, check, values_of(name, DIALECT, version), name)
    assert count >= examples


@pytest.mark.parametrize("name", DRAWN)
def test_it_reads_and_refuses_the_same_bytes(name: str) -> None:
    version, examples = DRAWN[name]
    found = {"read": 0, "refused": 0}

    def check(data: bytes) -> None:
        try:
            own = reference.decode(name, data, dialect=DIALECT, version=version)
        except reference.DecodeError:
            own = "refused"
        found["refused" if own == "refused" else "read"] += 1
        assert equal(own, decoded(name, data, version)), data.hex()

    values = values_of(name, DIALECT, version)

    def canonical(random: Random) -> bytes:
        return reference.encode(name, values(random), dialect=DIALECT, version=version)

    tried(examples, check, nearly(canonical), f"nearly {name}")
    assert min(found.values()) > 0, found


def frame(key: int, version: int, correlation_id: int, rest: bytes) -> bytes:
    inside = struct.pack(">hhi", key, version, correlation_id) + rest
    return struct.pack(">i", len(inside)) + inside


def behind(random: Random) -> bytes:
    """What stands behind the correlation id of a BrokerMetadata request: a client's name, node ids."""
    client = random.choice([b"\xff\xff", b"\0\0", b"\0\3kit"])
    ids = random.choices([-2, -1, 0, 1, 2, 3, 99], k=random.randint(0, 5))
    return client + struct.pack(f">i{len(ids)}i", len(ids), *ids)


def sent_to_it(random: Random) -> list[bytes]:
    """One to three requests, half of them with small faults behind their header."""
    return [
        frame(
            random.choice([17, 17, 17, 17, 0, 999, -1]),
            random.choice([0, 0, 0, 0, 1, -1]),
            random.randint(-(2**31), 2**31 - 1),
            random.choice([behind, nearly(behind)])(random),
        )
        for _ in range(random.randint(1, 3))
    ]


def test_its_broker_answers_the_same_to_generated_requests() -> None:
    own = reference_under()
    found: set[tuple[bool, bool]] = set()

    def check(requests: list[bytes]) -> None:
        sent, closed = own.serve(requests, dialect=DIALECT)
        assert (sent, closed) == opinion.serve(b"".join(requests), CLUSTER)
        found.add((bool(sent), closed))

    tried(1000, check, sent_to_it, "requests")
    assert found == {(True, False), (True, True), (False, True)}


def test_its_client_concludes_the_same_of_generated_answers() -> None:
    values = values_of("ResponseFrame:BrokerMetadata", DIALECT, 0)

    def whole(random: Random) -> bytes:
        value = values(random) | {"header": {"CorrelationId": 7}}
        return reference.encode("ResponseFrame:BrokerMetadata", value, dialect=DIALECT, version=0)

    def empty(random: Random) -> bytes:
        return bytes.fromhex(random.choice(["00000004 00000007", "00000000 00000007"]))

    def answers(random: Random) -> bytes:
        return random.choice([whole, nearly(whole), nearly(empty), empty])(random)

    asked = frame(17, 0, 7, b"\xff\xff\0\0\0\0")
    found: set[str] = set()

    def check(answer: bytes) -> None:
        outcome = reference.interpret(asked, answer, dialect=DIALECT)
        assert outcome == opinion.interpret(asked, answer)
        found.add(outcome["outcome"])

    tried(1000, check, answers, "answers")
    assert found == {"accepted", "unsupported", "malformed"}


# --- Wrong readings, planted in the reference -------------------------------------------------------------------------


def disagreements(own: reference.Reference) -> set[str]:
    """The vectors on which the reference and the second opinion part."""
    known = [
        (vector, vector.ops[0])
        for vector in asked()
        if vector.kind is not VectorKind.EVOLVE  # which says no more than yes or no
    ]
    found = opinions.disagreements(own, known, lambda vector, _: said(vector))
    for vector in (vector for vector in VECTORS if vector.kind is VectorKind.EVOLVE):
        told = own.evolve(vector.args["old"], vector.args["new"], dialect=DIALECT)
        found |= {vector.id} if said(vector) is bool(told) else set()
    return found


def test_without_a_plant_they_agree() -> None:
    assert disagreements(reference_under()) == set()


def _count_of_two_bytes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(message, "read_int32", read_int16)


def _wide_strings(patch: pytest.MonkeyPatch) -> None:
    """A string's length in four bytes, as bytes have it."""

    def read(reader: Any) -> str:
        return bytes(PRIMITIVES["BYTES"].read(reader)).decode("utf-8", "replace")

    def append(writer: Any, value: Any) -> None:
        PRIMITIVES["BYTES"].append(writer, value.encode())

    wide = dataclasses.replace(PRIMITIVES["STRING"], read=read, append=append)
    planted = _with(layouts.BROKER, "Host", wide)
    brokers = dataclasses.replace(
        layouts.BODIES["BrokerMetadataResponse"].fields[0], node=Array(planted, compact=False, nullable=False)
    )
    body = dataclasses.replace(layouts.BODIES["BrokerMetadataResponse"], fields=(brokers,), plain=(brokers,))
    patch.setitem(layouts.BODIES, "BrokerMetadataResponse", body)


def _with(struct: Any, name: str, node: Primitive) -> Any:
    fields = tuple(dataclasses.replace(field, node=node) if field.name == name else field for field in struct.fields)
    return dataclasses.replace(struct, fields=fields, plain=fields)


def _minus_1_is_all(patch: pytest.MonkeyPatch) -> None:
    select = broker.Kip35Cluster.select
    patch.setattr(
        broker.Kip35Cluster,
        "select",
        lambda self, ids, rules: list(self.brokers) if -1 in ids else select(self, ids, rules),
    )


def _repeated_ids_repeat(patch: pytest.MonkeyPatch) -> None:
    def select(self: broker.Kip35Cluster, ids: list[int], _: reference.Rules) -> list[Any]:
        by_id = {one["NodeId"]: one for one in self.brokers}
        wanted = [self.this_broker if node == -1 else node for node in ids]
        return [by_id[node] for node in wanted if node in by_id] if ids else list(self.brokers)

    patch.setattr(broker.Kip35Cluster, "select", select)


def _closes(patch: pytest.MonkeyPatch) -> None:
    answer = broker.Kip35Broker.answer

    def planted(self: broker.Kip35Broker, frame: bytes, now: float) -> bytes | None:
        found = answer(self, frame, now)
        return None if found is not None and len(found) == 8 else found

    patch.setattr(broker.Kip35Broker, "answer", planted)


def _needs_a_name(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(broker, "LEAST_FRAME", 10)


def _answers_short_requests(patch: pytest.MonkeyPatch) -> None:
    answer = broker.Kip35Broker.answer
    patch.setattr(broker.Kip35Broker, "answer", lambda self, frame, now: answer(self, frame.ljust(8, b"\0"), now))


def _tells_no_tags(patch: pytest.MonkeyPatch) -> None:
    select = broker.Kip35Cluster.select
    patch.setattr(
        broker.Kip35Cluster,
        "select",
        lambda self, ids, rules: [{**one, "Tags": []} for one in select(self, ids, rules)],
    )


def _another_api_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reference.dialect_named(DIALECT), "layouts", layouts.Layouts(18))


def _negative_counts_are_none(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(message, "read_int32", lambda reader, what: max(0, read_int32(reader, what)))


def _greatest_of_the_client(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kip_35, "common", lambda ranges, rules: ranges[0][1])


def _any_number(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(protocol_versions, "_numbers", lambda old, new: ())


def _values_as_text(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tags, "tag_value", lambda key, value, rules: value)


PLANTS: dict[str, tuple[Plant, str]] = {
    "R-35-1, counts": (_count_of_two_bytes, "request-one"),
    "R-35-1, strings": (_wide_strings, "response-one"),
    "R-35-2, −1": (_minus_1_is_all, "broker-this"),
    "R-35-12": (_repeated_ids_repeat, "broker-repeated"),
    "R-35-3, closing": (_closes, "broker-unknown-api-999"),
    "R-35-2, null": (_negative_counts_are_none, "ids-null"),
    "R-35-4": (_another_api_key, "broker-this"),
    "R-35-5": (_tells_no_tags, "broker-keeps-tags"),
    "R-35-5, parsers": (_values_as_text, "look-up-endpoints"),
    "R-35-15": (_greatest_of_the_client, "choose-highest"),
    "R-35-7, numbers": (_any_number, "from-1-to-40"),
    "R-35-9": (_needs_a_name, "broker-needs-8-bytes"),
    "R-35-14": (_answers_short_requests, "broker-7-bytes"),
    "R-D-3": (_negative_counts_are_none, "brokers-minus-2"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_wrong_reading_in_the_reference_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, shown_by = PLANTS[name]
    plant(monkeypatch)
    assert shown_by in disagreements(reference_under())


@pytest.mark.parametrize(
    ("ruling", "shown_by"),
    [
        ("R-35-3", "client-literal"),
        ("R-35-7", "two-added-under-one-number"),
        ("R-35-8", "client-produce"),
        ("R-35-9", "broker-does-not-read-on"),
        ("R-35-10", "removed-under-the-current-number"),
        ("R-35-11", "broker-body-cut"),
        ("R-35-12", "broker-repeated-apart"),
        ("R-35-13", "broker-this-and-another"),
        ("R-35-14", "broker-5-bytes"),
        ("R-35-15", "choose-highest"),
        ("R-D-2", "value-not-utf-8"),
    ],
)
def test_another_reading_of_the_reference_is_noticed(ruling: str, shown_by: str) -> None:
    own = reference.Reference(reference.rules_with(reference.rulings(DIALECT).values(), {ruling: "other"}))
    own.configure({"cluster": CLUSTER}, dialect=DIALECT)
    assert shown_by in disagreements(own)


def test_left_over_bytes_in_the_reference_are_noticed() -> None:
    own = reference.Reference(reference.Rules(trailing_bytes="ignored"))
    own.configure({"cluster": CLUSTER}, dialect=DIALECT)
    assert "request-trailing" in disagreements(own)
