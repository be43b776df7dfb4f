"""A session: what is asked, when, how often, and what is made of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conformance.session import ASKED, BLOCK, Question, Session

import reference
from conformance import generated, vectors
from conformance.connection.base import AtOnce
from conformance.known import Deviation, Known
from conformance.model import Case, Description, Observation, Op, Outcome, Status
from conformance.readings import ask
from conformance.twins import twin_of
from conformance.vectors import Kind, Vector
from reference.errors import Reason

TYPED = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE})
EVERYTHING = frozenset(Op)
NOTHING_KNOWN = Known(None, ())


class Recorder(AtOnce):
    """A connection to the reference that remembers what it was asked."""

    def __init__(self, *, settings: bool = True, **description: Any) -> None:
        self.description = Description("recorder", **{"ops": EVERYTHING} | description)
        self.asked: list[list[Case]] = []
        self.configured: list[str] = []
        self.closed = 0
        self._settings = settings
        self._own = reference.Reference()

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        self.configured.append(dialect)
        self._own.configure(settings, dialect=dialect)
        return self._settings

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        self.asked.append(list(cases))
        return [self.observe(case) for case in cases]

    def observe(self, case: Case) -> Observation:
        return ask(self._own, case)

    def close(self) -> None:
        self.closed += 1

    @property
    def ids(self) -> list[str]:
        return [case.id for block in self.asked for case in block]


class Refuser(Recorder):
    """Refuses whatever it is asked."""

    def observe(self, case: Case) -> Observation:
        return Observation(case, Status.REJECT)


def chosen(area: str = "varints") -> tuple[Vector, ...]:
    return vectors.load(["kafka"], [area])


def of_kind(kind: Kind, area: str = "varints") -> tuple[Vector, ...]:
    return tuple(vector for vector in chosen(area) if vector.kind is kind)


# --- What is asked ----------------------------------------------------------------------------------------------------


def test_an_invalid_vector_is_asked_once() -> None:
    negatives = of_kind(Kind.INVALID)
    for ops, expected in (
        (TYPED, {Op.DECODE}),
        ({Op.DECODE}, {Op.DECODE}),
        ({Op.RECODE, Op.ENCODE}, {Op.RECODE}),
        ({Op.ENCODE}, set()),
    ):
        found = Session(Recorder(ops=frozenset(ops)), NOTHING_KNOWN).select(negatives)
        assert {question.case.op for question in found.questions} == expected
        assert len(found.questions) == (len(negatives) if expected else 0)


def test_a_valid_vector_is_asked_in_every_op_that_there_is() -> None:
    valid = of_kind(Kind.VALID)
    found = Session(Recorder(ops=TYPED), NOTHING_KNOWN).select(valid)
    assert [question.case for question in found.questions] == [vector.case(op) for vector in valid for op in vector.ops]
    assert not found.not_offered


def test_what_is_not_offered_is_counted_by_what_is_not_offered() -> None:
    found = Session(Recorder(ops=frozenset({Op.DECODE}), types={"kafka": {"VARINT": None}}), NOTHING_KNOWN).select(
        [*of_kind(Kind.VALID), *of_kind(Kind.SERVE, "unsupported-versions")]
    )
    assert {question.case.type for question in found.questions} == {"VARINT"}
    assert {question.case.op for question in found.questions} == {Op.DECODE}
    serves = len(of_kind(Kind.SERVE, "unsupported-versions"))
    assert found.not_offered["serve"] == serves
    assert found.not_offered["VARINT encode"] > 0
    assert "VARINT decode" not in found.not_offered
    every = sum(len(vector.ops) for vector in of_kind(Kind.VALID)) + serves
    assert len(found.questions) + found.not_offered.total() == every


def test_another_dialects_implementation_is_asked_nothing() -> None:
    vectors = list(chosen())
    found = Session(Recorder(dialects=("wire-format",)), NOTHING_KNOWN).select(vectors)
    assert found.questions == ()
    assert found.not_offered == {"kafka": sum(len(vector.ops) for vector in vectors)}
    assert found.not_offered.total() > 0


def test_versions_outside_the_offered_range_are_not_asked_unless_they_are_the_question() -> None:
    session = Session(Recorder(types={"kafka": {"ApiVersionsRequest": (1, 3)}}), NOTHING_KNOWN)
    area = [*chosen("unsupported-versions"), *chosen("framing")]
    asked = [question for question in session.select(area).questions if question.case.type == "ApiVersionsRequest"]
    about_versions = [
        question
        for question in asked
        if question.vector.reject and question.vector.reject.reason is Reason.UNSUPPORTED_VERSION
    ]
    others = [question for question in asked if question not in about_versions]
    assert {question.case.version for question in others} <= {1, 2, 3}
    assert others
    assert any(question.case.version not in (1, 2, 3) for question in about_versions)


# --- How it is asked --------------------------------------------------------------------------------------------------


def test_each_case_is_asked_once_whatever_is_wanted_how_often() -> None:
    connection = Recorder()
    session = Session(connection, NOTHING_KNOWN)
    questions = session.select(chosen()).questions
    session.prepare(questions)
    for question in (*questions, *questions[:10]):
        session.verdict(question)
    assert sorted(connection.ids) == sorted(set(connection.ids))
    assert set(connection.ids) == {question.case.id for question in questions}
    assert connection.configured == ["kafka"]


def twin_case(negative: Vector) -> Case:
    twin = twin_of(negative)
    assert twin is not None
    return twin.case(Op.DECODE)


def test_cases_are_asked_ahead_in_blocks() -> None:
    connection = Recorder()
    session = Session(connection, NOTHING_KNOWN)
    questions = session.select(chosen()).questions
    session.prepare(questions)
    session.verdict(questions[0])
    assert len(connection.asked) == 1
    assert BLOCK <= len(connection.asked[0]) <= 2 * BLOCK  # with the twins of those that need one
    assert set(connection.ids) >= {question.case.id for question in questions[:BLOCK]}
    for question in questions[:BLOCK]:
        session.verdict(question)
    assert len(connection.asked) == 1
    for question in questions:
        session.verdict(question)
    assert len(connection.asked) <= len(questions) / BLOCK + 2


def test_without_a_plan_a_case_is_asked_with_its_twin_alone() -> None:
    connection = Recorder()
    session = Session(connection, NOTHING_KNOWN)
    negative = of_kind(Kind.INVALID)[0]
    verdict = session.verdict(Question(negative, negative.case(Op.DECODE)))
    assert verdict.verdict is Outcome.PASS
    assert set(connection.ids) == {negative.case(Op.DECODE).id, twin_case(negative).id}


def test_a_refusal_whose_twin_was_refused_counts_for_nothing() -> None:
    session = Session(Refuser(), NOTHING_KNOWN)
    negative = of_kind(Kind.INVALID)[0]
    verdict = session.verdict(Question(negative, negative.case(Op.DECODE)))
    assert (verdict.verdict, verdict.detail) == (
        Outcome.SKIP,
        f"twin refused: {twin_case(negative).id}",
    )


def test_a_twin_that_is_not_offered_is_not_asked() -> None:
    negative = next(v for v in of_kind(Kind.INVALID, "unsupported-versions") if v.version != twin_case(v).version)
    connection = Refuser(types={"kafka": {str(negative.type): (90, 99)}})
    session = Session(connection, NOTHING_KNOWN)
    (question,) = session.select([negative]).questions
    assert session.verdict(question).verdict is Outcome.PASS
    assert connection.ids == [question.case.id]


def test_what_was_observed_is_remembered() -> None:
    session = Session(Recorder(), NOTHING_KNOWN)
    vector = of_kind(Kind.VALID)[0]
    question = Question(vector, vector.case(Op.DECODE))
    session.verdict(question)
    assert session.observation(question.case) == Observation(question.case, Status.ANSWER, vector.value)


def test_other_cases_are_asked_anew_each_time_and_after_the_settings() -> None:
    connection = Recorder()
    session = Session(connection, NOTHING_KNOWN)
    question = Question(*generated.parse("gen/kafka/INT8/-/x05#decode"))
    for _ in range(2):
        (judged,) = session.put([question])
        assert (judged.observation.answer, judged.verdict.verdict) == (5, Outcome.PASS)
    assert connection.ids == [question.case.id, question.case.id]
    assert connection.configured == ["kafka"]


def test_leaving_closes_the_connection() -> None:
    connection = Recorder()
    with Session(connection, NOTHING_KNOWN) as session:
        assert session.connection is connection
        assert connection.closed == 0
    assert connection.closed == 1


# --- Settings ---------------------------------------------------------------------------------------------------------


def needy() -> Vector:
    return next(vector for vector in vectors.load() if vector.needs)


def test_a_vector_that_needs_settings_is_asked_once_they_are_taken() -> None:
    connection = Recorder()
    vector = needy()
    verdict = Session(connection, NOTHING_KNOWN).verdict(Question(vector, vector.case(vector.ops[0])))
    assert verdict.verdict is Outcome.PASS
    assert connection.configured == [vector.dialect]


def test_a_vector_that_needs_settings_is_skipped_where_they_are_not_taken() -> None:
    connection = Recorder(settings=False)
    session = Session(connection, NOTHING_KNOWN)
    vector = needy()
    question = Question(vector, vector.case(vector.ops[0]))
    session.prepare([question])
    verdict = session.verdict(question)
    assert verdict.verdict is Outcome.SKIP
    assert verdict.detail == "needs the settings apis, and the implementation has no `configure`"
    assert connection.ids == []
    other = next(v for v in chosen("unsupported-versions") if v.kind is Kind.NEGOTIATE)
    assert session.verdict(Question(other, other.case(Op.NEGOTIATE))).verdict is Outcome.PASS


# --- Conclusions ------------------------------------------------------------------------------------------------------


def test_a_known_deviation_is_named_and_nothing_else_is() -> None:
    vector = of_kind(Kind.VALID)[0]
    entry = Deviation(kind="bug", reason="so it is", match="kafka/varints/*#decode", reported="pending")
    session = Session(Refuser(), Known(None, (entry,)))
    decode, encode = (session.verdict(Question(vector, vector.case(op))) for op in (Op.DECODE, Op.ENCODE))
    assert (decode.verdict, decode.known) == (Outcome.FAIL, "kafka/varints/*#decode")
    assert (encode.verdict, encode.known) == (Outcome.FAIL, None)
    right = Session(Recorder(), Known(None, (entry,)))
    assert right.verdict(Question(vector, vector.case(Op.DECODE))).known is None


def test_declared_readings_are_taken_into_account() -> None:
    overlong = next(v for v in of_kind(Kind.VALID) if v.canonical and v.type == "UNSIGNED_VARINT")
    minimal = next(v for v in of_kind(Kind.VALID) if not v.canonical and v.type == "UNSIGNED_VARINT")
    # What the vector itself says of the reading is taken away: the declared one alone is left.
    question = Question(dataclasses.replace(overlong, also=()), overlong.case(Op.DECODE))
    declared = Session(Refuser(readings={"R-K-5": "other"}), NOTHING_KNOWN)
    silent = Session(Refuser(), NOTHING_KNOWN)
    assert declared.readings("kafka").declared == {"R-K-5": "other"}
    assert declared.verdict(question).rulings == ("R-K-5",)
    assert declared.verdict(question).verdict is Outcome.CONTESTED
    assert declared.verdict(Question(minimal, minimal.case(Op.DECODE))).verdict is Outcome.FAIL
    assert silent.verdict(question).verdict is Outcome.FAIL


def test_a_reading_of_no_ruling_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no ruling 'R-X-1'"):
        Session(Recorder(readings={"R-X-1": "other"}), NOTHING_KNOWN).readings("kafka")


def test_what_the_writer_sets_by_itself_is_not_compared() -> None:
    class Setter(Recorder):
        def observe(self, case: Case) -> Observation:
            value = case.args["value"] | {"ThrottleTimeMs": 1234}
            written = reference.encode(case.type or "", value, dialect=case.dialect, version=case.version)
            return Observation(case, Status.ANSWER, written)

    vector = next(
        v for v in vectors.load() if v.kind is Kind.VALID and (v.type, v.version) == ("ApiVersionsResponse", 1)
    )
    question = Question(vector, vector.case(Op.ENCODE))
    assert Session(Setter(), NOTHING_KNOWN).verdict(question).verdict is Outcome.FAIL
    rebuilds = {"ApiVersionsResponse": ("ThrottleTimeMs",)}
    assert Session(Setter(rebuilds=rebuilds), NOTHING_KNOWN).verdict(question).verdict is Outcome.PASS
    others = {"ApiVersionsRequest": ("ThrottleTimeMs",)}
    assert Session(Setter(rebuilds=others), NOTHING_KNOWN).verdict(question).verdict is Outcome.FAIL


def test_what_counts_as_asked() -> None:
    assert set(Outcome) - ASKED == {Outcome.SKIP, Outcome.NOT_ASKED}
