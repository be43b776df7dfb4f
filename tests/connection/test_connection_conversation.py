"""Which question is blamed: the conversation without its pipes."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.conversing import DEATH, MOST_STEPS, Side, begun, cases_of, told

from wireproof.conformance.connection.process.endings import Ending, died
from wireproof.conformance.connection.protocol.conversation import Conversation
from wireproof.conformance.model import Observation, Status


def test_ordered_the_first_open_is_the_culprit() -> None:
    talk, side = begun(5)
    first, second, *_ = side.take()
    side.answer(first)
    side.answer(second)
    side.die()
    side.answer_all()
    assert told(talk.finish()) == ["0", "1", "SIGABRT", "3", "4"]
    assert side.asked == [0, 1, 2, 3, 4, 3, 4]


def test_unordered_all_open_ones_are_put_again_one_at_a_time() -> None:
    talk, side = begun(6, ordered=False)
    numbers = side.take()
    side.answer(numbers[5])
    side.die()
    assert [len(side.take()), list(side.open.values())] == [1, [5]], "the last answered one first"
    assert side.take() == []
    assert not talk.doubtful
    side.answer(next(iter(side.open)))
    assert talk.doubtful
    for expected in (0, 1):
        side.take()
        assert list(side.open.values()) == [expected]
        side.answer(next(iter(side.open)))
        assert not talk.doubtful
    side.take()
    side.die()
    assert len(side.take()) == 2, "back to many at a time"
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["0", "1", "SIGABRT", "3", "4", "5"]
    assert observations[2].detail == DEATH.detail, "not that it had answered"


def test_unordered_one_alone_is_the_culprit_at_once() -> None:
    talk, side = begun(3, ordered=False)
    numbers = side.take()
    side.answer(numbers[0])
    side.answer(numbers[2])
    side.die()
    assert talk.done
    assert told(talk.finish()) == ["0", "SIGABRT", "2"]


def test_unordered_a_death_that_does_not_repeat_is_the_oldest_ones() -> None:
    talk, side = begun(4, ordered=False)
    side.answer(side.take()[0])
    side.die()
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["0", "SIGABRT", "2", "3"]
    assert observations[1].detail == (
        "the process was ended by SIGABRT\n"
        "several questions were open, and none of them repeats this when asked alone; this was the oldest"
    )


def test_unordered_a_second_death_before_anything_is_asked_again_is_the_oldest_ones() -> None:
    talk, side = begun(3, ordered=False)
    side.take()
    side.die()
    side.die()
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["SIGABRT", "1", "2"]
    assert "it had answered" not in observations[0].detail  # nothing was


def test_unordered_a_death_after_the_answer_is_the_answered_ones() -> None:
    talk, side = begun(3, ordered=False)
    side.answer(side.take()[0])
    side.die()
    side.answer(side.take()[0])
    side.die()
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["SIGABRT", "1", "2"]
    assert observations[0].detail.endswith("it had answered the question before it ended")


@pytest.mark.parametrize("ordered", [True, False])
def test_a_death_between_two_rounds_is_the_next_ones(ordered: bool) -> None:
    talk, side = begun(2, ordered=ordered)
    side.answer_all()
    assert told(talk.finish()) == ["0", "1"]
    side.die()
    talk.begin(cases_of(3))
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["SIGABRT", "1", "2"]
    assert observations[0].detail == (
        "the process was ended by SIGABRT\n"
        "this happened while no question was open, after the question before this one had been answered"
    )


def test_junk_is_the_oldest_open_ones_and_its_answer_may_follow() -> None:
    talk, side = begun(4)
    numbers = side.take()
    assert not talk.hear(b"loading tables")
    assert not talk.hear(b"still loading"), "more of the same"
    for seq in numbers:
        assert side.answer(seq)
    observations = talk.finish()
    assert told(observations) == ["garbage", "1", "2", "3"]
    assert "'loading tables'" in observations[0].detail


def test_junk_at_each_question_is_each_ones() -> None:
    talk, side = begun(3)
    for seq in side.take():
        talk.hear(b"debug")
        side.answer(seq)
    assert told(talk.finish()) == ["garbage"] * 3


def test_junk_in_place_of_answers() -> None:
    talk, side = begun(4)
    numbers = side.take()
    talk.hear(b"debug")
    side.answer(numbers[1])
    talk.hear(b"debug")
    side.answer(numbers[3])
    assert told(talk.finish()) == ["garbage", "1", "garbage", "3"]


@pytest.mark.parametrize("ordered", [True, False])
def test_an_end_after_junk_is_of_the_same_case(ordered: bool) -> None:
    talk, side = begun(3, ordered=ordered)
    side.answer(side.take()[0])
    talk.hear(b"panic!")
    side.die()
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["0", "garbage", "2"]
    assert [one.case for one in observations] == cases_of(3)
    assert observations[1].detail.endswith("then: the process was ended by SIGABRT")


def test_a_runtime_that_says_on_stdout_that_it_has_no_memory() -> None:
    talk, side = begun(3)
    side.answer(side.take()[0])
    talk.hear(b"# There is insufficient memory")
    side.open.clear()
    talk.ended(died(1, b"# There is insufficient memory for the Java Runtime Environment to continue."))
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["0", "exit 1", "2"]
    assert [one.case for one in observations] == cases_of(3)
    assert observations[1].status is Status.OOM
    assert "then: the process ended with exit code 1" in observations[1].detail


def test_a_late_answer_to_junk_of_the_round_before_is_passed_over() -> None:
    talk, side = begun(1)
    (seq,) = side.take()
    talk.hear(b"debug")
    assert told(talk.finish()) == ["garbage"]
    talk.begin(cases_of(2))
    side.answer(seq)
    side.answer_all()
    assert told(talk.finish()) == ["0", "1"]


def test_a_late_answer_that_another_overtook_is_passed_over() -> None:
    """The answer to what was judged as a violation may come behind those to later questions."""
    talk, side = begun(4)
    first, second, third, fourth = side.take()
    talk.hear(b"debug")
    assert side.answer(second)
    assert side.answer(first)
    assert side.answer(third)
    assert side.answer(fourth)
    assert told(talk.finish()) == ["garbage", "1", "2", "3"]


def test_an_end_after_junk_of_the_round_before_blames_nobody() -> None:
    talk, side = begun(1)
    side.take()
    talk.hear(b"debug")
    talk.begin(cases_of(2))
    side.take()
    side.die()
    side.answer_all()
    assert told(talk.finish()) == ["0", "1"]


def test_a_second_answer() -> None:
    talk, side = begun(3)
    numbers = side.take()
    side.answer(numbers[0])
    assert not side.say(seq=numbers[0], value=0)
    side.answer(numbers[1])
    side.answer(numbers[2])
    assert told(talk.finish()) == ["answered twice", "1", "2"]
    side.say(seq=numbers[1], value=1)
    talk.begin(cases_of(2))
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["answered twice", "1"]


def test_a_second_answer_to_an_earlier_question_names_it() -> None:
    talk, side = begun(2)
    numbers = side.take()
    for seq in numbers:
        side.answer(seq)
    talk.finish()
    talk.begin(cases_of(2))
    side.take()
    side.say(seq=numbers[1], value=1)
    side.answer_all()
    observations = talk.finish()
    assert told(observations) == ["answered twice", "1"]
    assert "a second answer came to an earlier question, 1: " in observations[0].detail


def test_an_answer_in_a_wrong_form_is_its_own() -> None:
    talk, side = begun(3)
    numbers = side.take()
    assert side.say(seq=numbers[2], values=3)
    assert side.say(seq=numbers[1], data="00")
    side.open = {numbers[0]: 0}
    side.answer(numbers[0])
    observations = talk.finish()
    assert told(observations) == ["0", "wrong form", "wrong form"]
    assert [observation.case for observation in observations] == cases_of(3)
    assert observations[1].detail == (
        """`data` cannot answer decode: `value` was expected: '{"seq": 2, "data": "00"}'"""
    )
    assert observations[2].detail.endswith("""this one has none of them: '{"seq": 3, "values": 3}'""")


def test_no_restart_in_the_middle_of_a_trial() -> None:
    talk, side = begun(4, ordered=False)
    side.answer(side.take()[0])
    side.die()
    talk.not_started(Ending(Status.CRASH, "no restart", "it does not start again"))
    talk.not_started(Ending(Status.CRASH, "no restart", "it does not start again"))
    talk.give_up("not asked: it is gone")
    assert talk.done
    observations = talk.finish()
    assert told(observations) == ["0", "SIGABRT", "no restart", "not-asked"]
    assert [observation.case for observation in observations] == cases_of(4)
    assert observations[3].detail == "not asked: it is gone"
    assert observations[1].detail.endswith("then: it does not start again")


def test_no_restart_after_a_brief_silence() -> None:
    talk, side = begun(3, ordered=False)
    side.take()
    talk.silent(Ending(Status.HANG, "silent", "it was silent"))
    talk.not_started(Ending(Status.CRASH, "no restart", "it does not start again"))
    talk.give_up("not asked: it is gone")
    observations = talk.finish()
    assert told(observations) == ["no restart", "not-asked", "not-asked"]
    assert observations[0].detail == "it was silent\nthen: it does not start again"


def test_quarantine_does_not_depend_on_the_order_of_answers() -> None:
    for reverse in (False, True):
        talk = Conversation(ordered=False)
        talk.begin(cases_of(6, derived=True))
        side = Side(talk)
        for seq in sorted(side.take(), reverse=reverse):
            side.say(seq=seq, error="KeyError: x")
        assert told(talk.finish()) == ["KeyError"] * 3 + ["not-asked"] * 3


@pytest.mark.parametrize("deadly", [range(5, 25), range(5, 25, 3)])
def test_a_kind_that_often_ends_the_process_is_asked_alone(deadly: range) -> None:
    """The first three deaths happen twice, because others were asked beside them; the later ones once."""
    talk = Conversation(ordered=False)
    cases = [
        msgspec.structs.replace(one, id=f"kafka/messages/A/{number}/set#decode", type="A", version=number)
        for number, one in enumerate(cases_of(30))
    ]
    talk.begin(cases)
    side, deaths = Side(talk), 0
    for _ in range(MOST_STEPS):
        if talk.done:
            break
        side.take()
        for seq in list(side.open):
            if side.open[seq] in deadly:
                deaths += 1
                side.die()
                break
            side.answer(seq)
    assert told(talk.finish()) == ["SIGABRT" if number in deadly else str(number) for number in range(30)]
    assert deaths == len(deadly) + 3


def test_after_three_deaths_what_is_derived_of_the_type_is_not_put() -> None:
    talk = Conversation(ordered=True)
    talk.begin(cases_of(6, derived=True))
    side = Side(talk)
    for _ in range(3):
        side.take()
        side.die()
    assert side.take() == []
    assert told(talk.finish()) == ["SIGABRT"] * 3 + ["not-asked"] * 3


def test_numbers_of_lines_never_come_twice() -> None:
    talk, side = begun(2)
    numbers = [talk.next_seq(), talk.next_seq(), *side.take(), talk.next_seq()]
    assert numbers == [1, 2, 3, 4, 5]


def test_unordered_a_death_before_any_answer_is_put_to_the_test_by_the_oldest() -> None:
    talk, side = begun(3, ordered=False)
    side.take()
    side.die()
    side.take()
    assert list(side.open.values()) == [0]
    side.die()
    side.answer_all()
    assert told(talk.finish()) == ["SIGABRT", "1", "2"]


def test_a_second_answer_is_told_with_its_line() -> None:
    talk, side = begun(1)
    (seq,) = side.take()
    side.answer(seq)
    side.say(seq=seq, value=5)
    (seen,) = talk.finish()
    assert (seen.status, seen.error) == (Status.VIOLATION, "answered twice")
    assert seen.detail == f'a second answer came to the same question: \'{{"seq": {seq}, "value": 5}}\''


def test_a_second_answer_leaves_what_was_wrong_with_the_first() -> None:
    talk, side = begun(1)
    (seq,) = side.take()
    side.say(seq=seq, values=3)
    side.say(seq=seq, value=0)
    assert told(talk.finish()) == ["wrong form"]


def test_an_answer_between_two_rounds_is_to_an_earlier_question_or_to_none() -> None:
    for ahead, error in ((0, "answered twice"), (1, "unasked answer")):
        talk, side = begun(1)
        (seq,) = side.take()
        side.answer(seq)
        talk.finish()
        side.say(seq=seq + ahead, value=0)
        talk.begin(cases_of(1))
        side.take()
        (seen,) = talk.finish()
        assert (seen.status, seen.error) == (Status.VIOLATION, error)


def test_a_wrong_form_with_a_number_that_is_not_open_is_junk() -> None:
    talk, side = begun(1)
    side.take()
    assert not side.say(seq=99, values=3)
    assert told(talk.finish()) == ["garbage"]


def test_late_answers_that_others_overtook_are_passed_over_each() -> None:
    talk, side = begun(5)
    first, second, third, fourth, fifth = side.take()
    for later in (second, fourth):
        talk.hear(b"debug")
        assert side.answer(later)
    for seq in (first, third):
        assert side.answer(seq)
        assert not side.say(seq=seq, value=0), "once"
    assert side.answer(fifth)
    assert told(talk.finish()) == ["garbage", "1", "garbage", "3", "4"]


def test_after_a_brief_silence_of_who_answers_in_order_all_is_asked_again_at_once() -> None:
    talk, side = begun(3)
    side.take()
    side.open.clear()
    talk.silent(Ending(Status.HANG, "silent", "it was silent"))
    assert len(side.take()) == 3
    side.answer_all()
    assert told(talk.finish()) == ["0", "1", "2"]


def test_no_question_has_the_number_zero() -> None:
    talk, side = begun(1)
    side.take()
    side.say(seq=0, value=0)
    assert told(talk.finish()) == ["unasked answer"]


def test_a_number_that_the_process_before_was_asked_is_no_answer_to_it() -> None:
    talk, side = begun(2)
    first, _ = side.take()
    side.die()
    side.take()
    side.say(seq=first, value=0)
    assert told(talk.finish()) == ["SIGABRT", "answered twice"]


def test_what_is_asked_again_after_a_brief_silence_has_nothing_to_add_to() -> None:
    """What was wrong in the test of a silence is forgotten, and the end of the process then blames nobody."""
    talk, side = begun(2, ordered=False)
    side.take()
    side.open.clear()
    talk.silent(Ending(Status.HANG, "silent", "it was silent"))
    side.answer(side.take()[0])
    side.take()
    talk.hear(b"junk")
    side.open.clear()
    assert len(side.take()) == 2, "together"
    side.die()
    side.answer_all()
    assert told(talk.finish()) == ["0", "1"]


def test_an_answer_to_what_nobody_asked_is_told_with_its_number() -> None:
    talk, side = begun(1)
    side.take()
    side.say(seq=99, value=0)
    (seen,) = talk.finish()
    assert seen.detail == ("""an answer came to a question that nobody asked, seq 99: '{"seq": 99, "value": 0}'""")


def test_a_second_answer_to_a_question_long_ago_names_none() -> None:
    talk, side = begun(1)
    (seq,) = side.take()
    side.answer(seq)
    for _ in range(2):
        talk.finish()
        talk.begin(cases_of(1))
        side.take()
        side.answer_all()
    talk.finish()
    talk.begin(cases_of(1))
    side.take()
    side.say(seq=seq, value=0)
    (seen,) = talk.finish()
    assert seen.detail.startswith("a second answer came to an earlier question: ")


def test_what_is_observed_of_an_end_is_all_that_it_says() -> None:
    talk, side = begun(1)
    side.take()
    talk.ended(Ending(Status.CRASH, "SIGABRT", "it ended", frame="mine:read"))
    assert talk.finish() == [
        Observation(cases_of(1)[0], Status.CRASH, error="SIGABRT", detail="it ended", frame="mine:read")
    ]


@given(st.integers(0, 2**32), st.booleans(), st.integers(0, 30))
def test_whatever_happens_each_case_has_one_observation(seed: int, ordered: bool, count: int) -> None:
    """Answers in random order: each case gets its own answer or a deviation; nothing is lost, and it ends."""
    chance = random.Random(seed)
    talk = Conversation(ordered=ordered)
    side = Side(talk)
    for _ in range(2):
        cases = cases_of(count)
        talk.begin(cases)
        steps = 0
        observations: list[Observation] = []
        while not talk.done:
            steps += 1
            assert steps < MOST_STEPS, "it does not end"
            if chance.random() < 0.1:
                observations += talk.certain(settled=chance.random() < 0.5)
            side.take()
            numbers = list(side.open)
            event = chance.random() if steps < 500 else 1.0
            if event < 0.1:
                side.die()
            elif event < 0.15:
                talk.hear(b"junk")
            elif event < 0.2:
                side.say(seq=chance.randrange(1, 200), value=99_999)
            elif numbers:
                side.answer(numbers[0] if ordered else chance.choice(numbers))
        observations += talk.finish()
        assert [observation.case for observation in observations] == cases
        for number, observation in enumerate(observations):
            if observation.status is Status.ANSWER:
                assert observation.answer in (number, 99_999)


def test_what_is_certain_is_returned_before_the_end_of_the_block() -> None:
    talk, side = begun(4)
    first, second, third, fourth = side.take()
    side.answer(first)
    side.answer(third)
    assert told(talk.certain(settled=True)) == ["0"]
    side.answer(second)
    assert told(talk.certain(settled=True)) == ["1", "2"]
    assert talk.certain(settled=True) == []
    side.answer(fourth)
    assert told(talk.finish()) == ["3"]


def test_the_last_answer_is_not_certain_while_the_process_may_die_of_it() -> None:
    talk, side = begun(4, ordered=False)
    first, second, *_ = side.take()
    side.answer(first)
    side.answer(second)
    assert told(talk.certain(settled=False)) == ["0"]
    side.die()
    assert talk.certain(settled=True) == [], "it is asked once more"
    side.take()
    side.answer(next(iter(side.open)))
    side.die()
    side.answer_all()
    assert told(talk.finish()) == ["SIGABRT", "2", "3"]


def test_a_second_answer_does_not_change_what_was_returned() -> None:
    talk, side = begun(2)
    first, _ = side.take()
    side.answer(first)
    assert told(talk.certain(settled=True)) == ["0"]
    side.say(seq=first, value=99)
    (observation,) = talk.finish()
    assert (observation.status, observation.error) == (Status.VIOLATION, "answered twice")
    assert observation.detail.startswith("a second answer came to an earlier question, 0: ")


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_what_is_spared_does_not_depend_on_when_one_asks_for_what_is_certain(
    seed: int, hangs: bool, derived: bool
) -> None:
    """Some cases end the process or hang: the same ones are closed whether observations are taken at once or at the end
    of their block."""
    bad = {*random.Random(seed).sample(range(30), 14)}
    ending = Ending(Status.HANG, "timeout", "no answer") if hangs else DEATH
    found = []
    for early in (False, True):
        talk = Conversation(ordered=True)
        side = Side(talk)
        observations = []
        for block in range(2):
            cases = cases_of(30, derived=derived)
            talk.begin(cases[15 * block :][:15])
            while not talk.done:
                side.take()
                if not side.open:
                    continue
                seq, number = next(iter(side.open.items()))
                if number not in bad:
                    side.answer(seq)
                else:
                    side.open.clear()
                    (talk.silent if talk.brief else talk.ended)(ending)
                if early:
                    observations += talk.certain(settled=True)
            observations += talk.finish()
        found.append([(one.case.id, one.status, one.detail) for one in observations])
    assert found[0] == found[1]
    assert Status.NOT_ASKED in {status for _, status, _ in found[0]} or not (hangs or derived)
