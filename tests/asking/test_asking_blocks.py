"""The core asks in blocks: which questions are taken and asked when, and how often."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence

import pytest
from support.asked import chosen, judged, numbers, of_kind, question, questions_of
from support.recorder import Recorder

from wireproof.conformance import vectors
from wireproof.conformance.asking.blocks import (
    ADDED_PER_POLL,
    BLOCK,
    BLOCKS_AHEAD,
    JUDGED_PER_POLL,
    KEPT_CASES,
    LARGEST_BLOCK,
    LOOKAHEAD,
    WaitingEntries,
)
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.generation import expectations
from wireproof.conformance.model import Case, Observation, Op, Outcome
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import VectorKind


class Taken:
    """Questions without end, of which it is counted how many were taken."""

    def __init__(self) -> None:
        self.count = 0

    def __iter__(self) -> Iterator[Question]:
        for one in numbers():
            self.count += 1
            yield one


def test_each_question_is_judged_in_its_order_and_each_case_is_asked_once() -> None:
    connection = Recorder()
    questions = questions_of(connection)
    found = judged(connection, *questions, *questions[:10])
    assert [one.case.id for one in found] == [one.case.id for one in (*questions, *questions[:10])]
    assert sorted(connection.ids) == sorted(set(connection.ids))
    twins = {one.twin.id for one in questions if one.twin is not None}
    assert set(connection.ids) == {one.case.id for one in questions} | twins
    assert connection.configured == ["kafka"]
    assert {one.verdict.outcome for one in found} == {Outcome.PASS}


def test_questions_are_taken_three_blocks_ahead_and_no_further() -> None:
    """One block is judged, one asked and one built; the entries behind it are looked at for derivations."""
    connection, taken = Recorder(), Taken()
    found = Examiner(connection).judge(taken)
    assert taken.count == 0
    next(found)
    assert len(connection.asked) == 1
    assert BLOCK <= len(connection.asked[0]) < BLOCK + 2
    assert taken.count <= 3 * BLOCK + LOOKAHEAD
    for _ in range(5 * BLOCK):
        next(found)
    assert len(connection.asked) == 6


def test_the_next_block_is_built_while_one_is_asked() -> None:
    class Slow(Recorder):
        def finish(self) -> list[Observation]:
            finished.append(taken.count)
            return super().finish()

    finished: list[int] = []
    taken = Taken()
    next(Examiner(Slow()).judge(taken))
    assert finished[0] >= 2 * BLOCK + LOOKAHEAD


def test_what_the_open_block_asks_is_not_asked_again_by_one_that_is_built_meanwhile() -> None:
    """Each case of the first block is asked in the second one too, and each is the twin of a question of its own."""
    connection = Recorder()
    some = [*itertools.islice(numbers(), BLOCK)]
    negative = question(of_kind(VectorKind.INVALID)[0])
    repeated = [dataclasses.replace(negative, twin=one.case) for one in some]
    found = judged(connection, *some, *some, *repeated)
    assert [one.observation for one in found[:BLOCK]] == [one.observation for one in found[BLOCK : 2 * BLOCK]]
    assert [one.twin for one in found[2 * BLOCK :]] == [one.observation for one in found[:BLOCK]]
    assert len(connection.ids) == BLOCK + 1


def test_the_connection_is_looked_after_while_a_block_is_judged() -> None:
    """After each few judged questions, not before: a child works on the next block meanwhile."""

    class Polled(Recorder):
        def poll(self) -> bool:
            polled.append(True)
            return False

    polled: list[bool] = []
    counts = [len(polled) for _ in itertools.islice(Examiner(Polled()).judge(numbers()), 100)]
    assert [count - counts[0] for count in counts] == [(number + 1) // JUDGED_PER_POLL for number in range(100)]


def test_a_connection_of_which_nothing_is_awaited_is_left_alone() -> None:
    class Unawaited(Recorder):
        def poll(self) -> bool:
            raise AssertionError("all its questions are answered")

    connection = Unawaited()
    questions = questions_of(connection)[:100]
    assert len(judged(connection, *questions)) == len(questions)


def test_the_connection_is_looked_after_while_the_next_block_is_built() -> None:
    """Building it takes longer than answering the few questions that a child has at a time."""

    class Polled(Recorder):
        def poll(self) -> bool:
            polled.append(True)
            return super().poll()

        def finish(self) -> list[Observation]:
            finished.append(len(polled))
            return super().finish()

    polled: list[bool] = []
    finished: list[int] = []
    next(Examiner(Polled()).judge(numbers()))
    assert finished[0] == BLOCK // ADDED_PER_POLL


def test_the_first_block_of_another_dialect_is_asked_while_the_last_one_is_judged() -> None:
    """Settings are sent between two blocks, so the open one has to be finished for them."""
    connection = Quick()
    other = question(vectors.load(["kip-82-string-keys"], ["varints"])[0])
    questions = [*itertools.islice(numbers(), 2 * BLOCK), other]
    found = Examiner(connection).judge(questions)
    for _ in range(2 * JUDGED_PER_POLL):
        next(found)
    assert connection.configured == ["kafka", "kip-82-string-keys"]
    assert [len(block) for block in connection.asked] == [BLOCK, BLOCK, 1]
    assert len([*found]) == 2 * (BLOCK - JUDGED_PER_POLL) + 1


class Quick(Recorder):
    """Answers a block as soon as it has begun."""

    def poll(self) -> bool:
        return self._block is not None


def test_one_that_answers_quickly_is_some_blocks_ahead_and_no_further() -> None:
    connection = Quick()
    found = Examiner(connection).judge(numbers())
    for ahead in range(1, BLOCKS_AHEAD + 1):
        for _ in range(JUDGED_PER_POLL):
            next(found)
        assert len(connection.asked) == min(ahead + 1, BLOCKS_AHEAD)
    judged = BLOCKS_AHEAD * JUDGED_PER_POLL
    while judged < 3 * LARGEST_BLOCK:
        asked = [len(block) for block in connection.asked]
        assert sum(asked) - judged < BLOCKS_AHEAD * (LARGEST_BLOCK + 2)
        next(found)
        judged += 1
    assert len(asked) > BLOCKS_AHEAD
    assert asked == sorted(asked), "each block is as large as the last one, or larger"
    assert [BLOCK <= asked[0] < BLOCK + 2, LARGEST_BLOCK <= asked[-1] < LARGEST_BLOCK + 2] == [True, True]


def test_one_that_takes_its_time_gets_small_blocks() -> None:
    connection = Recorder()
    found = Examiner(connection).judge(numbers())
    for _ in range(5 * BLOCK):
        next(found)
    assert max(map(len, connection.asked)) < BLOCK + 2


def test_entries_are_looked_at_before_they_are_taken_and_no_more_than_that() -> None:
    made = itertools.count()
    waiting = WaitingEntries([question(chosen()[next(made)])] for _ in range(20))
    looked_at = waiting.following(3)
    assert waiting.following(3) == looked_at
    assert waiting.following(2) == looked_at[:2]
    assert next(made) == 3
    assert waiting.next_entry() is looked_at[0]
    waiting.put_back(looked_at[0])
    assert waiting.following(3) == looked_at
    assert len(waiting.following(100)) == 20
    assert [waiting.next_entry() for _ in range(3)] == looked_at
    assert sum(waiting.next_entry() is not None for _ in range(20)) == 17


def test_questions_that_were_asked_before_do_not_fill_a_block_without_end() -> None:
    found = Examiner(Recorder()).judge(itertools.cycle(itertools.islice(numbers(), 3)))
    assert [one.case.args["data"][-1] for one in itertools.islice(found, 1000)] == [0, 1, 2] * 333 + [0]


def test_verdicts_do_not_depend_on_how_far_it_is_ahead() -> None:
    slow, quick = Recorder(), Quick()
    rows = [[(one.case.id, one.verdict) for one in judged(each, *questions_of(each))] for each in (slow, quick)]
    assert rows[0] == rows[1]
    assert [*slow.ids] == [*quick.ids]


def test_a_connection_that_loses_an_observation_is_no_silent_pass() -> None:
    class Losing(Recorder):
        def ask(self, cases: Sequence[Case]) -> list[Observation]:
            return super().ask(cases)[:-1]

    with pytest.raises(ValueError, match="shorter"):
        judged(Losing(), *questions_of(Recorder())[:20])


def test_nothing_but_the_last_few_observations_is_kept() -> None:
    connection = Recorder()
    examiner = Examiner(connection)
    made = (expectations.vector_of(Op.DECODE, "kafka", "INT32", None, n.to_bytes(4)) for n in range(KEPT_CASES + 500))
    assert sum(1 for _ in examiner.judge(Question.of(*one) for one in made)) == KEPT_CASES + 500
    assert len(examiner._kept) == KEPT_CASES


def test_a_driver_that_leaves_off_and_begins_anew_gets_the_same() -> None:
    connection = Recorder()
    examiner = Examiner(connection)
    questions = questions_of(connection)
    expected = judged(Recorder(), *questions)
    left = examiner.judge(questions)
    first = [*itertools.islice(left, 5)]
    again = [*examiner.judge(questions)]
    assert first == expected[:5]
    assert again == expected
    assert [*left] == expected[5:]


def test_leaving_closes_the_connection() -> None:
    connection = Recorder()
    with Examiner(connection) as examiner:
        assert examiner.connection is connection
        assert connection.closed == 0
    assert connection.closed == 1
