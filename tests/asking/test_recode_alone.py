"""Implementations whose messages have only recode are asked as much as others, whether they declare it or answer
"unsupported"."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from support.recoding import MESSAGES, recode
from support.recorder import TYPED, Recorder
from support.thorough import some

from wireproof import reference
from wireproof.conformance import ledger
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.model import Case, Observation, Op, Outcome, Status
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.question import Derivation, Question
from wireproof.conformance.questions.selection import NotAsked
from wireproof.conformance.vectors import VectorKind

#: Messages whose stored and derived cases are asked beside the vectors.
FROM_THE_LEDGER = some(("ApiVersionsResponse", "HeartbeatRequest", "MetadataResponse", "ProduceRequest"), 2)


class Faulty(Recorder):
    """Reads messages with the three faults of `recoding`, in every op that reads."""

    def observe(self, case: Case) -> Observation:
        if case.type is None or case.type not in MESSAGES or case.op not in (Op.DECODE, Op.RECODE):
            return super().observe(case)
        try:
            data = recode(case.type, case.args["data"], dialect=case.dialect, version=case.version)
        except reference.DecodeError as error:
            return Observation(case, Status.REJECT, reason=error.reason, offset=error.offset)
        if case.op is Op.RECODE:
            return Observation(case, Status.ANSWER, data)
        value = reference.decode(case.type, data, dialect=case.dialect, version=case.version)
        return Observation(case, Status.ANSWER, value)


class Unsupported(Faulty):
    """The same, but decode and encode of messages turn out not to be offered."""

    def observe(self, case: Case) -> Observation:
        if case.type in MESSAGES and case.op is not Op.RECODE:
            return Observation(case, Status.UNSUPPORTED, detail="no values")
        return super().observe(case)


def connection(name: str) -> Recorder:
    everything: dict[str, Any] = {"types": {"kafka": reference.types["kafka"]}, "dialects": ("kafka",), "ops": TYPED}
    narrowed = {"kafka": dict.fromkeys(MESSAGES, frozenset({Op.RECODE}))}
    match name:
        case "by decode":
            return Faulty(**everything)
        case "as declared":
            return Faulty(**everything, type_ops=narrowed)
    return Unsupported(**everything)


@cache
def judged(name: str) -> tuple[Judged, ...]:
    """All invalid cases of messages, of vectors and derived ones."""
    with Examiner(connection(name)) as examiner:
        entries = [
            entry.questions
            for entry in selection.entries(examiner.description, NotAsked(), ["kafka"])
            if entry.name.split("/")[1] != ledger.AREA
            or entry.name.split("/")[2] in FROM_THE_LEDGER
            or "#" in entry.name
        ]
        wanted = [one for one in entries if isinstance(one, Derivation) or any(map(is_wanted, one))]
        found = [one for each in examiner.judge_entries(wanted) for one in each]
    return tuple(filter(is_wanted, found))


def is_wanted(one: Question | Judged) -> bool:
    return one.vector.kind is VectorKind.INVALID and one.case.type in MESSAGES


def by_stem(name: str) -> dict[str, Outcome]:
    """The verdicts by the cases' ids without the op."""
    return {one.case.id.rpartition("#")[0]: one.verdict.outcome for one in judged(name)}


ALONE = ("as declared", "as it turns out")


@pytest.mark.parametrize("name", ALONE)
def test_the_same_questions_are_judged_as_of_one_that_decodes(name: str) -> None:
    assert len(judged(name)) == len(judged("by decode")) > 3000
    assert {one.case.op for one in judged("by decode")} == {Op.DECODE}
    assert {one.case.op for one in judged(name)} == {Op.RECODE}
    assert by_stem(name) == by_stem("by decode")
    assert Counter(by_stem(name).values())[Outcome.SKIP] == 0


@pytest.mark.parametrize("name", ["by decode", *ALONE])
def test_all_three_faults_are_found(name: str) -> None:
    found = by_stem(name)
    for path in (
        "kafka/null-encodings/metadata-request-9-name-null",  # null is empty
        "kafka/null-encodings/metadata-request-1-topics-minus-2",  # a count below −1 is 0
        "kafka/unsupported-versions/response-v1-without-throttle",  # zeros behind the end
    ):
        assert found[path] is Outcome.FAIL
    failed = [one.vector.reject for one in judged(name) if one.verdict.outcome is Outcome.FAIL]
    reasons = {str(reject.reason) for reject in failed if reject is not None}
    assert reasons == {"null-not-allowed", "negative-length", "truncated"}
