"""The second opinion on the wire format proposals agrees with the reference, and differs where a wrong reading is
planted."""

from __future__ import annotations

from random import Random
from typing import Any, TypeGuard

import pytest
from second_opinion import wire_format as opinion
from support import altered_parts, opinions
from support.opinions import Plant
from support.trying import nearly, tried, values_of

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.conformance.vectors.patterns import mismatch
from wireproof.reference.cursor import Reader
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.dialects.wire_format import WireFormat, broker, client, messages, waiting
from wireproof.reference.dialects.wire_format.parts import Fixed, MessageSet, NamedParts, Part, Scalar, Several
from wireproof.reference.dialects.wire_format.sets import message_sets, pair
from wireproof.reference.primitives import PRIMITIVES

DIALECT = "wire-format"
VECTORS = vectors.load([DIALECT])
ASKED = [vector for vector in VECTORS if vector.ops[0] is not Op.ENCODE]


def decoded(type_name: str, data: bytes) -> Any:
    """What the second opinion reads; "refused" where it refuses."""
    try:
        return opinion.decode(type_name, data)
    except opinion.RefusedError:
        return "refused"


def whole(received: bytes) -> bytes:
    """The whole frames at the beginning: the second opinion's broker has no patience."""
    end = 0
    while len(received) - end >= 4 and end + 4 + int.from_bytes(received[end : end + 4]) <= len(received):
        end += 4 + int.from_bytes(received[end : end + 4])
    return received[:end]


def said(vector: Vector) -> Any:
    """The second opinion's answer to a vector's question."""
    case = vector.case(vector.ops[0])
    match vector.ops[0]:
        case Op.SERVE:
            return opinion.serve(whole(b"".join(case.args["chunks"]))), False
        case Op.INTERPRET:
            return opinion.interpret(case.args["request"], case.args["response"])
    assert vector.type is not None
    return decoded(vector.type, vector.data)


def test_every_vector_with_bytes_is_asked() -> None:
    assert len(ASKED) > 200
    assert {vector.ops[0] for vector in ASKED} == {Op.DECODE, Op.SERVE, Op.INTERPRET}


@pytest.mark.parametrize("vector", ASKED, ids=lambda vector: vector.path)
def test_it_concludes_what_the_vectors_demand(vector: Vector) -> None:
    found = said(vector)
    match vector.kind:
        case VectorKind.VALID:
            assert equal(vector.value, found)
            assert opinion.encode(vector.type or "", vector.value) == vector.data
        case VectorKind.INVALID:
            assert found == "refused"
        case VectorKind.SERVE:
            patterns, closes = vector.expected
            assert mismatch(patterns, found[0], DIALECT) is None
            assert found[1] is closes
        case _:
            assert equal(vector.expected, found)


@pytest.mark.parametrize("name", opinion.TYPES)
def test_it_reads_2000_generated_messages_of_a_type_as_the_reference_wrote_them(name: str) -> None:
    count = 0

    def check(value: Any) -> None:
        nonlocal count
        count += 1
        data = reference.encode(name, value, dialect=DIALECT)
        assert equal(value, opinion.decode(name, data))
        assert opinion.encode(name, value) == data

    tried(2000, check, values_of(name, DIALECT), name)
    assert count * len(opinion.TYPES) >= 10_000


@pytest.mark.parametrize("name", opinion.TYPES)
def test_it_reads_and_refuses_the_same_bytes(name: str) -> None:
    values = values_of(name, DIALECT)

    def canonical(random: Random) -> bytes:
        return reference.encode(name, values(random), dialect=DIALECT)

    def check(data: bytes) -> None:
        try:
            own = reference.decode(name, data, dialect=DIALECT)
        except reference.DecodeError:
            own = "refused"
        assert equal(own, decoded(name, data)), data.hex()

    tried(500, check, nearly(canonical), f"nearly {name}")


# --- Wrong readings, planted in the reference -------------------------------------------------------------------------


def disagreements(own: reference.Reference) -> set[str]:
    """The vectors on which the reference and the second opinion part."""
    return opinions.disagreements(own, [(vector, vector.ops[0]) for vector in ASKED], lambda vector, _: said(vector))


def test_without_a_plant_they_agree() -> None:
    assert disagreements(reference.Reference()) == set()


def _laid_out(change: altered_parts.Change) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        planted = WireFormat()
        planted.codecs = altered_parts.altered(change)
        patch.setitem(DIALECTS, DIALECT, planted)

    return plant


def _wide_counts(part: Part) -> Part:
    from miniatures.wire_format_counts_in_four_bytes import Wide

    return Wide(part.element, part.beside) if isinstance(part, Several) else part


def _bare_sets(part: Part) -> Part:
    return MessageSet(sized=False) if isinstance(part, MessageSet) else part


def _uncounted(part: Part) -> Part:
    return Several(part.element) if isinstance(part, Several) else part


def _wide_offsets(part: Part) -> Part:
    wide = Several(Scalar(PRIMITIVES["INT64"]), beside="partitions")
    return (
        NamedParts({**part.parts, "offsets": wide})
        if isinstance(part, NamedParts) and "partitions" in part.parts
        else part
    )


def _error_first(part: Part) -> Part:
    if not isinstance(part, NamedParts) or "error" not in part.parts:
        return part
    names = dict.fromkeys(("correlation_id", "error", "version_id", *part.parts))
    return NamedParts({name: part.parts[name] for name in names})


def _any_version(part: Part) -> Part:
    versions = isinstance(part, Fixed) and part.reason is reference.Reason.UNSUPPORTED_VERSION
    return Scalar(PRIMITIVES["INT16"]) if versions else part


def _with_acks(part: Part) -> Part:
    return NamedParts({**part.parts, "acks": Several(Scalar(PRIMITIVES["INT16"]))}) if _has_errors(part) else part


def _has_errors(part: Part) -> TypeGuard[NamedParts]:
    return isinstance(part, NamedParts) and "errors" in part.parts


class _Nullable(Several):
    """A negative count is that of no array at all."""

    def read(self, reader: Reader, expected: int | None = None) -> list[Any]:
        if int.from_bytes(reader.peek(2), signed=True) < 0:
            reader.take(2, reader.pos, "count")
            return []
        return Several.read(self, reader, expected)


def _null_arrays(part: Part) -> Part:
    return _Nullable(part.element, part.beside) if isinstance(part, Several) else part


def _no_partial_messages(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(messages, "is_partial", lambda size, there: False)


def _no_codecs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(messages, "CODEC", 0)


def _any_crc(patch: pytest.MonkeyPatch) -> None:
    def planted(window: Reader, checked: bool) -> bytes:
        window.take(4, window.pos, "crc")
        return window.take(window.remaining, window.pos, "payload")

    patch.setattr(messages, "_read_payload", planted)


def _answers_acks_0(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(broker, "NO_ACKS", None)


def _counts_nothing(patch: pytest.MonkeyPatch) -> None:
    append = broker.Logs.append
    patch.setattr(broker.Logs, "append", lambda self, place, found: 0 * append(self, place, found))


def _success_for_all_acks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(broker, "enough_acks", lambda acks, partition, end, rules: True)
    patch.setattr(waiting, "enough_acks", lambda acks, partition, end, rules: True)


def _last_one_s_id(patch: pytest.MonkeyPatch) -> None:
    answer, ids = broker.WireFormatBroker._framed, []

    def planted(self: broker.WireFormatBroker, *of: Any) -> bytes | None:
        found = answer(self, *of)
        if not found:
            return found
        ids.append(found[4:8])
        return found[:4] + ids[-2:][0] + found[8:]

    patch.setattr(broker.WireFormatBroker, "_framed", planted)


def _sorts_offsets(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(broker, "message_sets", lambda asked: sorted(message_sets(asked), key=lambda found: found[:2]))


def _matches_no_id(patch: pytest.MonkeyPatch) -> None:
    answer = client.WireFormatClient._answer

    def planted(self: client.WireFormatClient, api: str, asked: Any, response: bytes) -> Any:
        return answer(self, api, asked, response[:4] + asked["correlation_id"].to_bytes(4, signed=True) + response[8:])

    patch.setattr(client.WireFormatClient, "_answer", planted)


def _does_not_pair(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(client, "pair", lambda request, response: [])


def _pairs_topics(patch: pytest.MonkeyPatch) -> None:
    def planted(request: Any, response: Any) -> Any:
        one = [{"partition": 0, "messages": []}]
        return pair({**request, "data": [{**topic, "partition_data": one} for topic in request["data"]]}, response)

    patch.setattr(client, "pair", planted)


PLANTS: dict[str, tuple[Plant, str]] = {
    "R-WF-2": (_laid_out(_wide_counts), "produce"),
    "R-WF-3": (_laid_out(_bare_sets), "produce"),
    "R-WF-6, unequal": (_laid_out(_uncounted), "produced-offset-missing"),
    "R-WF-6, not counted": (_does_not_pair, "client-none-of-one"),
    "R-WF-7": (_laid_out(_wide_offsets), "fetch"),
    "R-WF-8": (_laid_out(_error_first), "produced-error"),
    "R-WF-10": (_no_partial_messages, "partial-3"),
    "R-WF-4": (_success_for_all_acks, "broker-acks-2"),
    "R-WF-6, order": (_sorts_offsets, "broker-topics-descending"),
    "R-WF-11": (_matches_no_id, "client-other-correlation-id"),
    "R-WF-11, broker": (_last_one_s_id, "broker-pipelined-kinds"),
    "R-WF-12": (_laid_out(_with_acks), "produced-acks"),
    "R-WF-13": (_laid_out(_any_version), "produced-version-1"),
    "R-WF-14, codec": (_no_codecs, "codec-3"),
    "R-WF-14, CRC": (_any_crc, "crc-flipped"),
    "R-WF-15": (_answers_acks_0, "broker-acks-0"),
    "R-WF-16": (_pairs_topics, "client-three-of-two"),
    "R-WF-18": (_counts_nothing, "broker-one-partition-twice"),
    "R-D-3": (_laid_out(_null_arrays), "topics-minus-2"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_wrong_reading_in_the_reference_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, shown_by = PLANTS[name]
    plant(monkeypatch)
    assert shown_by in disagreements(reference.Reference())


@pytest.mark.parametrize(
    ("ruling", "reading", "shown_by"),
    [
        ("R-WF-1", "other", "fetch-correlation-first"),
        ("R-WF-4", "error", "broker-acks-minus-1"),
        ("R-WF-4", "closed", "broker-acks-minus-1"),
        ("R-WF-5", "other", "broker-produce"),
        ("R-WF-9", "other", "client-id-null"),
        ("R-WF-10", "other", "partial-first-3"),
        ("R-WF-14", "other", "snappy-bad-crc"),
        ("R-WF-15", "other", "broker-acks-0"),
        ("R-WF-17", "other", "client-error-0"),
        ("R-D-2", "other", "client-id-not-utf-8"),
    ],
)
def test_another_reading_of_the_reference_is_noticed(ruling: str, reading: str, shown_by: str) -> None:
    own = reference.Reference(reference.rules_with(reference.rulings(DIALECT).values(), {ruling: reading}))
    assert shown_by in disagreements(own)


def test_left_over_bytes_in_the_reference_are_noticed() -> None:
    own = reference.Reference(reference.Rules(trailing_bytes="ignored"))
    assert "frame-with-a-byte" in disagreements(own)
