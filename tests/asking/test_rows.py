"""Questions and their results survive as JSON; other rows are refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support.recorder import TYPED, RecodesMessages, Recorder, Refuser

from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking import rows
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.asking.rows import RowError
from wireproof.conformance.connection.protocol.shapes import plain
from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.questions.question import Derivation, Question
from wireproof.conformance.values.compare import equal


class Dying(Recorder):
    """Dies in every other way of every third case."""

    def observe(self, case: Case) -> Observation:
        how = [Status.CRASH, Status.HANG, Status.OOM, Status.VIOLATION][len(case.id) % 4]
        if len(case.id) % 3:
            return super().observe(case)
        return Observation(case, how, error="SIGABRT", frame="it:read", detail="\ud800 it\nended")


CONNECTIONS = {
    "right": Recorder(),
    "refuses": Refuser(),
    "recodes": RecodesMessages(ops=TYPED),
    "dies": Dying(),
    "other reading": Refuser(readings={"R-K-5": "other", "R-K-7": "other"}),
    "few versions": Recorder(types={"kafka": {"ApiVersionsRequest": (2, 3), "MetadataResponse": (3, 9)}}),
}


def through_json(row: rows.Row) -> rows.Row:
    found: rows.Row = json.loads(json.dumps(row))
    return found


def asked_of(connection: Recorder) -> list[Judged]:
    """Questions of every kind: of vectors, of the ledger, derived, generated."""
    described = connection.description
    examiner = Examiner(connection)
    found = [*examiner.judge(selection.of_vectors(vectors.load()[::5], described))]
    stored = ledger.load("MetadataResponse", "kafka").vectors[-4:]
    questions = [*selection.of_vectors(stored, described)]
    found += examiner.judge(questions)
    for question in (one for one in questions if one.case.op is not Op.ENCODE):
        found += [one for each in examiner.judge_entries([Derivation((question,))]) for one in each][::20]
    made = ("gen/kafka/FLOAT64/-/x7ff0000000000000#encode", "gen/kafka/INT64/-/x7fffffffffffffff+prefix:3#decode")
    return [*found, *examiner.judge(map(find, made))]


@pytest.mark.parametrize("name", CONNECTIONS)
def test_nothing_is_lost(name: str) -> None:
    found = asked_of(CONNECTIONS[name])
    assert len(found) > 100
    for one in found:
        row = through_json(rows.judged_row(one))
        back = rows.judged_of(row)
        assert back.question == one.question, one.case.id
        assert back.verdict == one.verdict
        for seen, before in ((back.observation, one.observation), (back.twin, one.twin)):
            assert_same(seen, before)
        assert rows.question_of(through_json(rows.question_row(one.question))) == one.question


def assert_same(seen: Observation | None, before: Observation | None) -> None:
    if seen is None or before is None:
        assert seen is before
        return
    assert equal(plain(seen.answer), plain(before.answer))
    for name in Observation.__struct_fields__:
        if name != "answer":
            assert getattr(seen, name) == getattr(before, name)


QUESTION = rows.question_row(find("kafka/varints/varint-minus-1#decode"))
NEGATIVE = next(
    rows.question_row(question)
    for question in (Question.of(v, v.case(v.ops[0])) for v in vectors.load(["kafka"], ["varints"]))
    if question.twin is not None
)


@pytest.mark.parametrize(
    ("row", "changed", "says"),
    [
        (QUESTION, {"id": None}, "id: found None, where str is expected"),
        (QUESTION, {"id": "kafka/varints/nothing#decode"}, "id: There is no vector"),
        (QUESTION, {"args": []}, "args: found"),
        (QUESTION, {"args": {}}, "this is not what the vectors here ask under that id"),
        (QUESTION, {"args": {"data": {"hex": "02"}}}, "this is not what the vectors here ask under that id"),
        (QUESTION, {"args": {"data": {"hex": "0"}}}, "args of kafka/varints/varint-minus-1#decode: "),
        (NEGATIVE, {"twin": 5}, "twin: found 5, where str is expected"),
        (NEGATIVE, {"twin": "gen/kafka/INT8/-/x#encode"}, "twin: "),
    ],
)
def test_a_row_that_is_no_question_is_refused(row: rows.Row, changed: dict[str, Any], says: str) -> None:
    with pytest.raises(RowError, match=re.escape(says)):
        rows.question_of(row | changed)


@pytest.mark.parametrize(
    ("member", "changed", "says"),
    [
        ("observation", None, "observation: found None, where dict is expected"),
        ("observation", {}, "observation: KeyError"),
        ("verdict", {}, "verdict: Object missing required field `id`"),
        ("verdict", "pass", "verdict: found 'pass', where dict is expected"),
    ],
)
def test_a_row_that_is_no_verdict_is_refused(member: str, changed: Any, says: str) -> None:
    (judged,) = Examiner(Recorder()).judge([find("kafka/varints/varint-minus-1#decode")])
    row = rows.judged_row(judged)
    assert rows.judged_of(row) == judged
    with pytest.raises(RowError, match=re.escape(says)):
        rows.judged_of(row | {member: changed})


def test_an_observation_of_another_case_is_refused() -> None:
    one, other = Examiner(Recorder()).judge(
        [find("kafka/varints/varint-minus-1#decode"), find("kafka/varints/varint-minus-1#recode")]
    )
    row = rows.judged_row(one) | {"observation": rows.judged_row(other)["observation"]}
    with pytest.raises(RowError, match="is another case than kafka/varints/varint-minus-1#decode"):
        rows.judged_of(row)
