"""An implementation that refuses everything passes nothing and takes no other reading, however it is asked."""

from __future__ import annotations

from collections import Counter

import pytest
from click.testing import CliRunner
from support.paths import TESTS
from support.recorder import TYPED, Refuser

from wireproof import reference
from wireproof.cli import group
from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.model import FailureKind, Op, Outcome, Verdict
from wireproof.conformance.properties import properties
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.questions.question import Derivation, Question
from wireproof.conformance.questions.selection import NotAsked

#: All that its answers may come to.
NOTHING_SAID = {(Outcome.FAIL, FailureKind.REFUSED_VALID), (Outcome.SKIP, None)}
#: Messages whose stored and derived cases are asked.
MESSAGES = ("ApiVersionsResponse", "FetchRequest", "HeartbeatRequest", "MetadataResponse", "ProduceRequest")


def conclusions(verdicts: list[Verdict]) -> set[tuple[Outcome, FailureKind | None]]:
    return {(one.outcome, one.kind) for one in verdicts}


@pytest.mark.parametrize("dialect", reference.dialects)
def test_of_vectors(dialect: str) -> None:
    examiner = Examiner(Refuser())
    found = [one.verdict for one in examiner.judge(selection.of_vectors(vectors.load([dialect]), examiner.description))]
    assert conclusions(found) == NOTHING_SAID
    skipped = [one for one in found if one.outcome is Outcome.SKIP]
    assert all(one.detail.startswith(("twin refused: ", "refused, but nothing valid of this type")) for one in skipped)


@pytest.mark.parametrize("ops", [TYPED, {Op.DECODE}, {Op.RECODE}, {Op.ENCODE}], ids=lambda ops: "-".join(sorted(ops)))
def test_of_the_ledger_and_what_is_derived(ops: frozenset[Op]) -> None:
    examiner = Examiner(Refuser(ops=frozenset(ops)))
    entries = [
        entry
        for entry in selection.entries(examiner.description, NotAsked(), ["kafka"], [ledger.AREA])
        if entry.name.split("/")[2] in MESSAGES
    ]
    derived = sum(isinstance(entry.questions, Derivation) for entry in entries)
    assert bool(derived) is (ops != {Op.ENCODE})
    found = [one.verdict for each in examiner.judge_entries(e.questions for e in entries) for one in each]
    assert conclusions(found) == (NOTHING_SAID if derived else {(Outcome.FAIL, FailureKind.REFUSED_VALID)})
    assert all(one.outcome is Outcome.SKIP for one in found if "+" in one.id)
    assert Counter("+" in one.id for one in found)[True] > 1000 or not derived


TYPES = ("INT32", "UNSIGNED_VARINT", "COMPACT_STRING", "TAG_BUFFER", "MetadataResponse", "RequestHeader", "RecordBatch")
PROPERTIES = [
    found
    for found in properties.offered(Refuser(ops=TYPED).description, ["kafka"])
    if found.type in TYPES and found.version in (None, 1, 9)
]


@pytest.mark.parametrize("check", PROPERTIES, ids=lambda found: found.id)
def test_of_generated_cases(check: properties.Property) -> None:
    verdict = properties.run(check, Examiner(Refuser(ops=TYPED)), 20).verdict
    wanted = (Outcome.FAIL, FailureKind.REFUSED_VALID) if check.name == "round-trip" else (Outcome.NOT_ASKED, None)
    assert (verdict.outcome, verdict.kind) == wanted


def test_every_property_is_tried() -> None:
    assert {check.name for check in PROPERTIES} == {
        "round-trip",
        "prefixes",
        "arbitrary-bytes",
        "flipped-bits",
        "wrong-values",
    }


ALONE = [
    "kafka/messages/MetadataResponse/12/set+prefix:3#decode",
    "kafka/messages/MetadataResponse/12/set+prefix:3#recode",
    "gen/kafka/INT32/-/x00000005+prefix:3#decode",
    "gen/kafka/INT32/-/x000000#decode",
    "gen/kafka/ApiVersionsRequest/3/x0101+prefix:1#recode",
    "kafka/varints/uvarint-max-and-bit-32#decode",
    "kafka/tag-ordering/descending#decode",
    "kafka/tag-ordering/descending#recode",
]


@pytest.mark.parametrize("identifier", ALONE)
def test_of_one_case_alone(identifier: str) -> None:
    question = find(identifier)
    assert question.vector.reject is not None
    (judged,) = Examiner(Refuser()).judge([question])
    assert judged.verdict.outcome is Outcome.SKIP
    assert judged.twin is not None
    assert judged.verdict.detail == f"twin refused: {judged.twin.case.id}"
    # Nor does it pass when whoever asks forgot the twin.
    (forgotten,) = Examiner(Refuser()).judge([Question(question.vector, question.case)])
    assert forgotten.verdict.outcome is Outcome.SKIP


@pytest.mark.parametrize("identifier", [ALONE[0], ALONE[2], ALONE[5]])
def test_of_wireproof_repro(identifier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)
    done = CliRunner().invoke(group, ["repro", identifier, "--impl=miniatures.always_refuses"])
    assert done.exit_code == 1, done.output
    assert "valid twin" in done.output
    assert "skip: always_refuses" in done.output.replace("miniatures.", "")
