"""The core: with which twin and as which op a question is asked, and the results. How blocks are asked says
test_asking_blocks.py."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from support.asked import chosen, judged, of_kind, question, verdict
from support.recorder import TYPED, RecodesMessages, Recorder, Refuser

from wireproof import reference
from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.blocks import BLOCK, KEPT_CASES, WaitingEntries
from wireproof.conformance.asking.examiner import ASKED, Examiner
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation
from wireproof.conformance.generation import expectations
from wireproof.conformance.judging.clusters import Group, group
from wireproof.conformance.model import Case, FailureKind, Observation, Op, Outcome, Status
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.questions.question import Derivation, Question
from wireproof.conformance.vectors import VectorKind

# --- Twins ------------------------------------------------------------------------------------------------------------


def test_a_question_is_asked_with_its_twin() -> None:
    connection = Recorder()
    negative = of_kind(VectorKind.INVALID)[0]
    (found,) = judged(connection, question(negative))
    assert found.verdict.outcome is Outcome.PASS
    assert found.question.twin is not None
    assert set(connection.ids) == {negative.case(Op.DECODE).id, found.question.twin.id}
    assert found.twin == Observation(found.question.twin, Status.ANSWER, found.twin.answer if found.twin else None)
    assert found.observation.case is found.question.case
    assert found.observation.status is Status.REJECT


def test_a_twin_that_was_asked_long_ago_is_asked_again() -> None:
    negative = question(of_kind(VectorKind.INVALID)[0])
    made = [
        expectations.vector_of(Op.DECODE, "kafka", "INT32", None, n.to_bytes(4)) for n in range(KEPT_CASES + 2 * BLOCK)
    ]
    connection = Recorder()
    found = judged(connection, negative, *(Question(*one) for one in made), negative)
    assert found[0] == found[-1]
    assert found[0].twin is not None
    assert connection.ids.count(found[0].twin.case.id) == 2


def test_a_refusal_whose_twin_was_refused_counts_for_nothing() -> None:
    asked = question(of_kind(VectorKind.INVALID)[0])
    assert asked.twin is not None
    found = verdict(Refuser(), asked)
    assert (found.outcome, found.detail) == (Outcome.SKIP, f"twin refused: {asked.twin.id}")


@pytest.mark.parametrize("versions", [(90, 99), (3, 3)])
def test_a_twin_of_a_version_that_is_not_offered_is_replaced_by_one_that_is(versions: tuple[int, int]) -> None:
    connection = Recorder(types={"kafka": {"ApiVersionsRequest": versions}})
    negative = next(
        one
        for one in of_kind(VectorKind.INVALID, "unsupported-versions")
        if one.type == "ApiVersionsRequest" and one.version == -1
    )
    (asked,) = selection.of_vectors([negative], connection.description)
    (found,) = judged(connection, asked)
    if versions == (3, 3):
        assert found.verdict.outcome is Outcome.PASS
        assert found.question.twin is not None
        assert found.question.twin.version == 3
        assert set(connection.ids) == {asked.case.id, found.question.twin.id}
    else:  # nothing valid of these versions is known
        assert (found.verdict.outcome, found.twin, connection.ids) == (Outcome.SKIP, None, [asked.case.id])


def test_the_simplest_value_is_the_twin_of_what_may_be_refused_on_encode() -> None:
    either = [vector for vector in vectors.load() if vector.or_reject is not None]
    assert len(either) == 10
    connection, refuser = Recorder(), Refuser()
    for vector in either:
        asked = question(vector, Op.ENCODE)
        assert asked.twin is not None
        assert (asked.twin.op, asked.twin.type, asked.twin.version) == (Op.ENCODE, vector.type, vector.version)
        simplest = find(asked.twin.id)
        assert simplest.vector.kind is VectorKind.VALID
        assert simplest.case == asked.twin
        assert verdict(connection, asked).outcome is Outcome.PASS
        refused = verdict(refuser, asked)
        assert (refused.outcome, refused.detail) == (Outcome.SKIP, f"twin refused: {asked.twin.id}")

        class Picky(Recorder):
            """Refuses this value and nothing else."""

            def observe(self, case: Case, wrong: str = asked.case.id) -> Observation:
                return Observation(case, Status.REJECT) if case.id == wrong else super().observe(case)

        assert verdict(Picky(), asked).outcome is Outcome.PASS


# --- Recode where decode is not offered -------------------------------------------------------------------------------


def negatives_of(connection: Recorder) -> list[Question]:
    """Invalid cases of types with versions: of vectors, and derived ones."""
    found = vectors.load(["kafka"], ["messages", "unsupported-versions"])
    invalid = [one for one in found if one.kind is VectorKind.INVALID and one.version is not None]
    return [*selection.of_vectors(invalid, connection.description)]


def test_what_decode_turns_out_not_to_be_offered_for_is_asked_as_recode() -> None:
    reading, recoding = Recorder(ops=TYPED), RecodesMessages(ops=TYPED)
    asked = negatives_of(reading)
    assert negatives_of(recoding) == asked
    assert len(asked) > 30
    right, recoded = judged(reading, *asked), judged(recoding, *asked)
    assert {one.verdict.outcome for one in right} == {Outcome.PASS}
    assert {one.case.op for one in right} == {Op.DECODE}
    able = [one for one, before in zip(recoded, asked, strict=True) if before.as_recode() is not None]
    assert {(one.case.op, one.verdict.outcome) for one in able} == {(Op.RECODE, Outcome.PASS)}
    assert len(able) == len(asked), "every question can be asked as recode"


def test_what_a_question_is_asked_as_does_not_hang_on_what_was_asked_before() -> None:
    asked = negatives_of(Recorder(ops=TYPED))
    together = judged(RecodesMessages(ops=TYPED), *asked)
    alone = [one for each in asked[::7] for one in judged(RecodesMessages(ops=TYPED), each)]
    assert alone == together[::7]


def test_what_is_asked_again_as_recode_leaves_the_rest_of_its_block_as_it_is() -> None:
    reading, connection = Recorder(ops=TYPED), RecodesMessages(ops=TYPED)
    message, plain = negatives_of(reading)[0], question(of_kind(VectorKind.VALID)[0])
    found = judged(connection, plain, message, plain)
    assert [one.case.op for one in found] == [Op.DECODE, Op.RECODE, Op.DECODE]
    assert {one.verdict.outcome for one in found} == {Outcome.PASS}


def test_a_type_that_is_only_recoded_is_soon_asked_by_recode_alone() -> None:
    connection = RecodesMessages(ops=TYPED)
    asked = negatives_of(connection)
    (name, version), _ = Counter((one.case.type, one.case.version) for one in asked).most_common(1)[0]
    first, *others = [one for one in asked if (one.case.type, one.case.version) == (name, version)]
    assert others
    examiner = Examiner(connection)
    for one in examiner.judge([first]):
        assert one.case.op is Op.RECODE
    connection.asked.clear()
    assert {one.case.op for one in examiner.judge(others)} == {Op.RECODE}
    assert not [case for case in connection.ids if not case.endswith("#recode")]


def test_the_twin_decides_whether_a_question_is_asked_as_recode() -> None:
    """A library may say of bytes that it does not read that it does not offer them."""

    class Shy(Recorder):
        def observe(self, case: Case) -> Observation:
            seen = super().observe(case)
            return seen if seen.status is Status.ANSWER else Observation(case, Status.UNSUPPORTED)

    (found,) = judged(Shy(ops=TYPED), negatives_of(Recorder(ops=TYPED))[0])
    assert (found.case.op, found.verdict.outcome) == (Op.DECODE, Outcome.SKIP)


class LacksZstd(Recorder):
    """Has no zstd, in whatever op reads a batch."""

    def observe(self, case: Case) -> Observation:
        data = case.args.get("data", b"")
        if case.type == "RecordBatch" and len(data) > 22 and data[22] & 7 == 4:
            return Observation(case, Status.UNSUPPORTED, detail="no zstd")
        return super().observe(case)


def test_a_type_in_which_something_is_lacking_is_decoded_all_the_same() -> None:
    """Only what has recode and no decode is asked as recode from then on: not a type of which one codec is lacking."""
    lacking, other = (find(f"kafka/framing/{name}#decode") for name in ("batch-zstd-cut", "batch-crc-one-bit"))
    examiner = Examiner(LacksZstd(ops=TYPED))
    (skipped,), (found,) = examiner.judge([lacking]), examiner.judge([other])
    assert skipped.verdict.outcome is Outcome.SKIP
    assert (found.case.op, found.verdict.outcome) == (Op.DECODE, Outcome.PASS)


def test_a_version_outside_of_the_range_is_asked_as_recode_too() -> None:
    """The version is the question."""
    connection = RecodesMessages(ops=TYPED, types={"kafka": {"ApiVersionsRequest": (0, 3)}})
    asked = [one for one in negatives_of(connection) if one.case.version not in (0, 1, 2, 3)]
    assert asked
    found = judged(connection, *asked)
    assert {(one.case.op, one.verdict.outcome) for one in found} == {(Op.RECODE, Outcome.PASS)}


def test_where_recode_is_not_offered_the_question_is_skipped() -> None:
    connection = RecodesMessages(ops=frozenset({Op.DECODE, Op.ENCODE}))
    found = judged(connection, *negatives_of(connection))
    assert {(one.case.op, one.verdict.outcome) for one in found} == {(Op.DECODE, Outcome.SKIP)}


def test_what_is_derived_comes_from_what_is_recoded() -> None:
    class Both(RecodesMessages):
        pass

    of_both = []
    for connection in (Recorder(ops=TYPED), RecodesMessages(ops=TYPED)):
        entries = [
            entry.questions
            for entry in selection.entries(connection.description, selection.NotAsked(), ["kafka"], ["messages"])
            if isinstance(entry.questions, Derivation)
        ][:20]
        of_both.append([one for found in Examiner(connection).judge_entries(entries) for one in found])
    decoded, recoded = of_both
    assert [one.case.id.replace("#decode", "#recode") for one in decoded] == [one.case.id for one in recoded]
    assert {one.verdict.outcome for one in (*decoded, *recoded)} == {Outcome.PASS}
    assert len(decoded) > 300


# --- Derived ----------------------------------------------------------------------------------------------------------


def derivation(path: str) -> Derivation:
    stored = ledger.vector(path, "kafka")
    assert stored is not None
    return Derivation(tuple(question(stored, op) for op in (Op.DECODE, Op.RECODE)))


def test_the_source_is_the_twin_of_what_is_derived() -> None:
    connection = Recorder()
    source = derivation("MetadataRequest/4/set")
    (found,) = Examiner(connection).judge_entries([source])
    assert len(found) > 10
    assert all(one.question.twin == source.sources[0].case for one in found)
    assert {one.verdict.outcome for one in found} == {Outcome.PASS}


def test_a_derivation_of_which_one_source_is_known_asks_the_others() -> None:
    """Of many cases that are asked between two sources, only the last few thousand are kept."""
    first, second = derivation("MetadataRequest/4/set").sources
    for known in (first, second):
        connection = Recorder()
        examiner = Examiner(connection)
        [*examiner.judge([known])]
        (found,) = examiner.judge_entries([Derivation((first, second))])
        assert {one.verdict.outcome for one in found} == {Outcome.PASS}
        assert {first.case.id, second.case.id} <= {*connection.ids}


def test_no_block_is_built_that_would_have_to_wait_for_the_one_that_is_asked() -> None:
    """The sources of the second derivation are asked in the first block."""
    examiner = Examiner(Recorder())
    waiting = WaitingEntries([derivation("MetadataRequest/4/set"), derivation("MetadataRequest/5/set")])
    first = examiner._begun(waiting, BLOCK)
    assert (examiner._open, waiting.built) == (first, None)
    examiner._finish(first)
    second = examiner._begun(waiting, BLOCK)
    assert [len(block.entries) for block in (first, second)] == [1, 1]
    assert not {*first.cases} & {*second.cases}


def test_the_sources_of_the_next_derivations_are_asked_together() -> None:
    connection = Recorder()
    chosen_entries = selection.entries(connection.description, selection.NotAsked(), ["kafka"], ["messages"])
    entries = [entry.questions for entry in chosen_entries if entry.name.startswith("kafka/messages/Alter")]
    assert sum(isinstance(entry, Derivation) for entry in entries) > 20
    found = [*Examiner(connection).judge_entries(entries)]
    assert {one.verdict.outcome for judged in found for one in judged} == {Outcome.PASS}
    _, *others, _ = [len(block) for block in connection.asked]
    assert len(others) > 4
    assert min(others) >= BLOCK, "only the first block ends before a derivation"


def test_a_derivation_behind_other_questions_is_not_lost() -> None:
    """Its source is in the same block, so the block ends before it, and the next one begins with it."""
    before, after = (question(vector) for vector in of_kind(VectorKind.VALID)[:2])
    source = derivation("MetadataRequest/4/set")
    alone, derived, behind = Examiner(Recorder()).judge_entries([[before, *source.sources], source, [after]])
    assert [one.question for one in alone] == [before, *source.sources]
    assert [one.question for one in derived] == [*source.questions(source.sources[0])]
    assert [one.question for one in behind] == [after]


def test_it_is_derived_from_the_first_source_that_is_read() -> None:
    class NotByDecode(Recorder):
        def observe(self, case: Case) -> Observation:
            return Observation(case, Status.REJECT) if case.op is Op.DECODE else super().observe(case)

    source = derivation("MetadataRequest/4/set")
    (found,) = Examiner(NotByDecode()).judge_entries([source])
    assert [one.question for one in found] == [*source.questions(source.sources[1])]
    (refused,) = Examiner(Refuser()).judge_entries([source])
    assert [one.question for one in refused] == [*source.questions(source.sources[0])]


def test_of_what_no_source_is_offered_nothing_is_derived() -> None:
    class Silent(Recorder):
        def observe(self, case: Case) -> Observation:
            return Observation(case, Status.UNSUPPORTED)

    assert [*Examiner(Silent()).judge_entries([derivation("MetadataRequest/4/set")])] == [[]]


# --- Settings ---------------------------------------------------------------------------------------------------------


def needy() -> Question:
    vector = next(vector for vector in vectors.load() if vector.needs)
    return question(vector, vector.ops[0])


def test_a_vector_that_needs_settings_is_asked_once_they_are_taken() -> None:
    connection = Recorder()
    assert verdict(connection, needy()).outcome is Outcome.PASS
    assert connection.configured == [needy().case.dialect]


def test_a_vector_that_needs_settings_is_skipped_where_they_are_not_taken() -> None:
    connection = Recorder(settings=False)
    found = verdict(connection, needy())
    assert found.outcome is Outcome.SKIP
    assert found.detail == "needs the settings apis, and the implementation has no `configure`"
    assert connection.ids == []
    other = next(one for one in chosen("unsupported-versions") if one.kind is VectorKind.NEGOTIATE)
    assert verdict(connection, question(other, Op.NEGOTIATE)).outcome is Outcome.PASS


# --- Conclusions ------------------------------------------------------------------------------------------------------


def test_a_known_deviation_is_named_and_nothing_else_is() -> None:
    vector = of_kind(VectorKind.VALID)[0]
    entry = KnownDeviation(kind="bug", reason="so it is", match="kafka/varints/*#decode", reported="pending")
    known = Known(None, (entry,))
    decode, encode = judged(Refuser(), question(vector), question(vector, Op.ENCODE), known=known)
    assert (decode.verdict.outcome, decode.verdict.known) == (Outcome.FAIL, "kafka/varints/*#decode")
    assert (encode.verdict.outcome, encode.verdict.known) == (Outcome.FAIL, None)
    (right,) = judged(Recorder(), question(vector), known=known)
    assert right.verdict.known is None


def test_the_connection_is_told_what_is_known_to_hang() -> None:
    class Told(Recorder):
        hangs: Callable[[str], bool] | None = None

        def expect_hangs(self, hangs: Callable[[str], bool]) -> None:
            self.hangs = hangs

    entry = KnownDeviation(kind="bug", reason="so it is", match="kafka/varints/*#decode", reported="pending")
    for known in (Known(None, ()), Known(None, (entry,))):
        connection = Told()
        Examiner(connection, known)
        assert connection.hangs is None
    hanging = msgspec.structs.replace(entry, match="kafka/framing/*", hangs=True)
    connection = Told()
    Examiner(connection, Known(None, (entry, hanging)))
    assert connection.hangs is not None
    assert [connection.hangs(f"kafka/{one}/x#decode") for one in ("varints", "framing")] == [False, True]


def test_declared_readings_are_taken_into_account() -> None:
    class Strict(Recorder):
        """Refuses overlong varints, and whatever does not end after one byte."""

        def observe(self, case: Case) -> Observation:
            return Observation(case, Status.REJECT) if len(case.args["data"]) > 1 else super().observe(case)

    overlong = next(v for v in of_kind(VectorKind.VALID) if v.canonical and v.type == "UNSIGNED_VARINT")
    minimal = next(
        v for v in of_kind(VectorKind.VALID) if not v.canonical and v.type == "UNSIGNED_VARINT" and len(v.data) > 1
    )
    # What the vector itself says of the reading is taken away: the declared one alone is left.
    asked = question(msgspec.structs.replace(overlong, also=()))
    declared = Strict(readings={"R-K-5": "other"})
    assert Examiner(declared).readings("kafka").declared == {"R-K-5": "other"}
    found = verdict(declared, asked)
    assert (found.outcome, found.rulings) == (Outcome.CONTESTED, ("R-K-5",))
    assert verdict(declared, question(minimal)).outcome is Outcome.FAIL
    assert verdict(Strict(), asked).outcome is Outcome.FAIL


@pytest.mark.parametrize("suite", [True, False])
def test_a_known_deviation_is_told_apart_where_a_reading_is_declared_for_some_types(suite: bool) -> None:
    """Lengths below -1 are null in a record alone, not in a batch of such records; known is that the time is 1 too
    much. Asked with a vector of the suite and with the same bytes in a campaign."""
    null = reference.Reference(reference.rules_with(reference.rulings("kafka").values(), {"R-K-12": "other"}))

    class Late(Recorder):
        def observe(self, case: Case) -> Observation:
            answer = null.decode(case.type or "", case.args["data"], dialect="kafka")
            record = answer if case.type == "Record" else answer["records"][0]
            record["timestampDelta"] += 1
            return Observation(case, Status.ANSWER, answer)

    def asked(identifier: str) -> Question:
        stored = find(identifier)
        return stored if suite else find(f"gen/kafka/{stored.case.type}/-/x{stored.vector.data.hex()}#decode")

    time = Group("fail", "wrong-value", "read", place="Record.timestampDelta")
    known = Known(None, (KnownDeviation("bug", "late", finding=time, reported="pending"),))
    questions = [
        asked(f"kafka/null-encodings/{name}#decode") for name in ("record-key-below-null", "record-key-null-value-set")
    ]
    for types, expected in ((("Record*",), [time, time]), (("MessageSet",), [None, time])):
        examiner = Examiner(Late(readings={"R-K-12": dict.fromkeys(types, "other")}), known)
        verdicts = [one.verdict for one in examiner.judge(questions)]
        assert [one.outcome for one in verdicts] == [Outcome.FAIL] * 2
        assert [group(one) if one.known else None for one in verdicts] == expected


def test_a_declared_reading_of_who_refuses_everything_counts_for_nothing() -> None:
    overlong = next(v for v in of_kind(VectorKind.VALID) if v.canonical and v.type == "UNSIGNED_VARINT")
    for also in ((), overlong.also):
        asked = question(msgspec.structs.replace(overlong, also=also))
        found = verdict(Refuser(readings={"R-K-5": "other"}), asked)
        assert (found.outcome, found.rulings) == (Outcome.SKIP, ())


def test_a_reading_of_no_ruling_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no ruling 'R-X-1'"):
        Examiner(Recorder(readings={"R-X-1": "other"}))


def test_a_description_in_place_of_what_the_implementation_says() -> None:
    connection = Recorder(readings={"R-K-5": "other"})
    silent = dataclasses.replace(connection.description, readings={})
    assert Examiner(connection, description=silent).readings("kafka").declared == {}


def test_what_the_writer_sets_by_itself_is_not_compared() -> None:
    class Setter(Recorder):
        def observe(self, case: Case) -> Observation:
            value = case.args["value"] | {"ThrottleTimeMs": 1234}
            written = reference.encode(case.type or "", value, dialect=case.dialect, version=case.version)
            return Observation(case, Status.ANSWER, written)

    vector = next(
        v for v in vectors.load() if v.kind is VectorKind.VALID and (v.type, v.version) == ("ApiVersionsResponse", 1)
    )
    asked = question(vector, Op.ENCODE)
    assert verdict(Setter(), asked).kind is FailureKind.WRONG_BYTES
    assert verdict(Setter(rebuilds={"ApiVersionsResponse": ("ThrottleTimeMs",)}), asked).outcome is Outcome.PASS
    others = {"ApiVersionsRequest": ("ThrottleTimeMs",)}
    assert verdict(Setter(rebuilds=others), asked).outcome is Outcome.FAIL


def test_what_counts_as_asked() -> None:
    assert set(Outcome) - ASKED == {Outcome.SKIP, Outcome.NOT_ASKED, Outcome.UNSTEADY}
