"""Vectors, observations and conclusions for the tests of the judge."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.alternatives import Readings
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Case, Description, FailureKind, Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Vector

API_VERSIONS_0 = "00000010 00000007 0023 00000001 0012 0000 0005"


def make(raw: dict[str, Any], **twin: Any) -> Vector:
    """A vector from its fields; `twin`: the fields of its twin, which then is a vector of the same file."""
    found = [{"id": "it", "about": "made here", **raw}]
    if twin:
        found[0]["twin"] = "twin"
        found.append({"id": "twin", "about": "its twin", "type": raw.get("type"), **twin})
        if "version" in raw:
            found[1]["version"] = raw["version"]
    document = {"format": 1, "dialect": "kafka", "area": "varints", "vectors": found}
    return vectors.parse(json.dumps(document).encode(), "made.json").vectors[0]


def valid(**fields: Any) -> Vector:
    return make({"type": "INT8", "bytes": [["05", "five"]], "value": 5} | fields)


def invalid(**fields: Any) -> Vector:
    raw = {
        "type": "INT8",
        "bytes": [["05", "five"], ["06", "more"]],
        "reject": {"reason": "trailing-bytes", "offset": 1},
    }
    return make(raw | fields, bytes=[["05", "five"]], value=5)


def unencodable(**fields: Any) -> Vector:
    raw = {"type": "INT8", "value": 128, "reject": {"reason": "out-of-range"}}
    return make(raw | fields, bytes=[["05", "five"]], value=5)


def lookup(**fields: Any) -> Vector:
    return make({"type": "INT8", "bytes": [["05", "five"]], "key": "a", "values": [{"hex": "01"}, None]} | fields)


def convert(**fields: Any) -> Vector:
    return make({"type": "INT8", "bytes": [["05", "five"]], "to": "magic-1", "gives": [["06", "six"]]} | fields)


#: A record as an application gets it.
DELIVERED = {
    "offset": 5, "timestamp": 7, "timestamp_type": "create", "key": None, "value": b"v", "headers": [["a", None]]
}  # fmt: skip


def consume(**fields: Any) -> Vector:
    delivers = {"records": [{**DELIVERED, "value": {"hex": "76"}}], "position": 6}
    return make({"bytes": [["05", "five"]], "position": 5, "delivers": delivers} | fields)


#: A record as an application gives it to a producer.
GIVEN = {"timestamp": 7, "key": None, "value": b"v", "headers": [["a", None]]}
#: A producer that is neither idempotent nor transactional.
PLAIN = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1, "transactional": False}


def written(**changed: Any) -> list[dict[str, Any]]:
    """The batch of a producer that has written `GIVEN`, as it is compared."""
    record = {"attributes": 0, "offsetDelta": 0, **GIVEN, "value": {"hex": "76"}}
    batch = {
        "magic": 2, "attributes": 0, "lastOffsetDelta": 0, "maxTimestamp": 7, "producerId": -1, "records": [record],
    }  # fmt: skip
    return [batch | changed]


def produce(**fields: Any) -> Vector:
    return make({"records": [GIVEN | {"value": {"hex": "76"}}], "magic": 2, "writes": written()} | fields)


def serve(**fields: Any) -> Vector:
    pattern = {"type": "ResponseFrame:ApiVersions", "version": 0, "value": {"body": {"ErrorCode": 35}}}
    return make({"chunks": [[["00", "a byte"]]], "sends": [pattern], "closes": False} | fields)


def interpret(**fields: Any) -> Vector:
    outcome = {"outcome": "retry", "version": 3}
    return make({"request": [["00", "a byte"]], "response": None, "outcome": outcome} | fields)


def negotiate(**fields: Any) -> Vector:
    return make({"api_key": 18, "client": [0, 5], "broker": [0, 3], "chooses": 3} | fields)


def evolve(**fields: Any) -> Vector:
    return make({"old": {}, "new": {}, "breaks": [{"kind": "tag-reused", "path": "a"}]} | fields)


def refused_schema() -> Vector:
    schemas: dict[str, Any] = {"old": {}, "new": {}}
    return make(schemas | {"reject": {"reason": "invalid-schema"}}, **schemas, breaks=[])


def answer(vector: Vector, op: Op, given: Any) -> Observation:
    return Observation(vector.case(op), Status.ANSWER, given)


def refusal(vector: Vector, op: Op, **named: Any) -> Observation:
    return Observation(vector.case(op), Status.REJECT, **named)


def accepted(case: Case) -> Observation:
    """What an implementation did with the valid twin of a case, when it took it."""
    return Observation(msgspec.structs.replace(case, id=f"kafka/varints/twin#{case.op}"), Status.ANSWER)


def judged(
    vector: Vector, observation: Observation, readings: Readings | None = None, rebuilds: Iterable[str] = ()
) -> Verdict:
    """The verdict on an implementation that accepted the valid twin, so that a refusal counts."""
    return judge(vector, observation, readings, accepted(observation.case), rebuilds)


def judged_by_asking(
    codec: reference.Reference, vector: Vector, case: Case, readings: Readings | None = None
) -> tuple[Observation, Verdict]:
    """What a codec of this process does with a case, and the verdict: it is asked the valid twin too."""
    described = Description(
        "codec", dialects=(vector.dialect,), ops=frozenset(Op), readings={} if readings is None else readings.declared
    )
    twin = Question.of(vector, case).as_offered(described).twin
    seen = ask(codec, case)
    return seen, judge(vector, seen, readings, None if twin is None else ask(codec, twin))


def conclusion(verdict: Verdict) -> tuple[Outcome, FailureKind | None]:
    return verdict.outcome, verdict.kind


PASS = (Outcome.PASS, None)
CONTESTED = (Outcome.CONTESTED, None)
ACCEPTED = (Outcome.FAIL, FailureKind.ACCEPTED_INVALID)
REFUSED = (Outcome.FAIL, FailureKind.REFUSED_VALID)
WRONG_VALUE = (Outcome.FAIL, FailureKind.WRONG_VALUE)
WRONG_BYTES = (Outcome.FAIL, FailureKind.WRONG_BYTES)
WRONG_ANSWER = (Outcome.FAIL, FailureKind.WRONG_ANSWER)

RIGHT_FRAME = bytes.fromhex(API_VERSIONS_0)
NO_ERROR_FRAME = RIGHT_FRAME.replace(b"\x00\x23", b"\x00\x00")

#: Every kind and op, with an answer and what follows from it.
