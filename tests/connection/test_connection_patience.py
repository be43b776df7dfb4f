"""Hangs cost little: how long the kit waits for which case, tested without a process and without a clock."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireproof.conformance import ledger
from wireproof.conformance.connection.patience import (
    HANGS,
    HANGS_IN_ALL,
    SILENT,
    SILENT_IN_ALL,
    Patience,
    brief,
    kind_of,
)
from wireproof.conformance.connection.process.endings import Ending, hung
from wireproof.conformance.connection.protocol.conversation import SLOW, WINDOW, Conversation
from wireproof.conformance.model import Case, Observation, Op, Status

WHOLE, BRIEF = 5.0, 0.5
#: No conversation of these tests takes as many rounds.
MOST_STEPS = 5_000


def case(identifier: str, number: int = 0, type: str = "INT32") -> Case:
    return Case(identifier, Op(identifier.rpartition("#")[2]), "kafka", type, args={"data": number.to_bytes(4)})


def plain(count: int, first: int = 0) -> list[Case]:
    return [case(f"kafka/varints/{number}#decode", number) for number in range(first, first + count)]


@dataclass
class Program:
    """Answers whatever does not hang, and counts how long it was waited for.

    `parallel`: it answers what it can, whatever hangs beside it; else nothing behind a question that hangs.
    """

    hangs: Callable[[Sequence[int]], Collection[int]]
    parallel: bool = False
    whole: int = 0
    brief: int = 0
    #: How many questions it had when it was found to be silent.
    beside: list[int] = field(default_factory=list)

    def talk(self, conversation: Conversation, cases: Sequence[Case]) -> list[Observation]:
        conversation.begin(cases)
        opened: dict[int, dict[str, Any]] = {}
        steps = 0
        while not conversation.done:
            steps += 1
            assert steps < MOST_STEPS, "it does not end"
            for line in conversation.data_to_send().splitlines():
                question = json.loads(line)
                opened[question["seq"]] = question
            hanging = self.hangs([int(question["data"], 16) for question in opened.values()])
            for question in list(opened.values()):
                if int(question["data"], 16) in hanging:
                    if self.parallel:
                        continue
                    break
                del opened[question["seq"]]
                conversation.hear(answer(question))
            if opened:
                self.beside.append(len(opened))
                opened.clear()
                self._wait(conversation)
        return conversation.finish()

    def _wait(self, conversation: Conversation) -> None:
        if conversation.brief:
            self.brief += 1
            conversation.silent(hung(BRIEF, b""))
        elif conversation.known_to_hang:
            self.brief += 1
            conversation.ended(hung(BRIEF, b"", known=True))
        else:
            self.whole += 1
            conversation.ended(hung(WHOLE, b""))


def answer(question: dict[str, Any]) -> bytes:
    member = {"value": int(question["data"], 16)} if question["op"] == "decode" else {"data": question["data"]}
    return json.dumps({"seq": question["seq"], **member}).encode()


def at(*numbers: int) -> Callable[[Sequence[int]], Collection[int]]:
    """Hangs at these questions, whatever was asked before."""
    there = frozenset(numbers)
    return lambda _: there


def statuses(observations: Sequence[Observation]) -> list[str]:
    return [str(one.status) for one in observations]


# A hang costs its limit once.


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
def test_a_hang_is_waited_for_once(ordered: bool, parallel: bool) -> None:
    program = Program(at(7), parallel=parallel and not ordered)
    observations = program.talk(Conversation(ordered=ordered), plain(20))
    assert [one.case.id for one in observations if one.status is not Status.ANSWER] == ["kafka/varints/7#decode"]
    assert observations[7].status is Status.HANG
    assert observations[7].detail.startswith("no answer within 5 seconds"), "the limit, not the brief wait"
    assert program.whole == 1
    assert program.brief == (0 if ordered or parallel else 1)


def known(*numbers: int) -> Callable[[str], bool]:
    return frozenset(f"kafka/varints/{number}#decode" for number in numbers).__contains__


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
def test_a_known_hang_is_waited_for_briefly(ordered: bool, parallel: bool) -> None:
    """And it is a hang, where another brief silence is none. The limit is waited for what is not known."""
    program = Program(at(7, 12), parallel=parallel and not ordered)
    conversation = Conversation(ordered=ordered)
    conversation.expect_hangs(known(7, 8))
    observations = program.talk(conversation, plain(20))
    others = ["answer"] * 20
    others[7] = others[12] = "hang"
    assert statuses(observations) == others, "8 is known to hang, and answered"
    assert observations[7].detail.startswith("no answer within 0.5 seconds, a brief wait because it is known to hang")
    assert observations[12].detail.startswith("no answer within 5 seconds:")
    assert program.whole == 1


def test_a_known_hang_is_asked_alone() -> None:
    """So that it is clear whose silence it is."""
    program = Program(at(2, 7))
    conversation = Conversation(ordered=False)
    conversation.expect_hangs(known(2, 7))
    assert statuses(program.talk(conversation, plain(10))).count("hang") == 2
    assert program.beside == [1, 1]
    assert program.whole == 0


def test_known_hangs_count_like_others() -> None:
    """After a few of a kind the rest is asked briefly, and silence is no hang, whether it is known or not."""
    ends = []
    for knows in (known(), known(*range(40))):
        conversation = Conversation(ordered=True)
        conversation.expect_hangs(knows)
        ends.append(statuses(Program(at(*range(40))).talk(conversation, plain(40))))
    assert ends[0] == ends[1]
    assert ends[0] == ["hang"] * HANGS + ["not-asked"] * (40 - HANGS)


def test_a_slow_program_is_not_blamed() -> None:
    """It is silent for a while when many questions are open, once; alone it answers each."""
    seen: list[Sequence[int]] = []

    def hangs(opened: Sequence[int]) -> Collection[int]:
        seen.append(list(opened))
        return opened[3:4] if len(seen) == 1 else ()

    program = Program(hangs)
    conversation = Conversation(ordered=False)
    observations = program.talk(conversation, plain(10))
    assert [one.answer for one in observations] == list(range(10))
    assert (program.brief, program.whole) == (1, 0)
    assert seen[-1] == list(range(3, 10)), "once more together, for as long as it may take"
    assert not conversation.brief
    conversation.begin(plain(5))
    conversation.data_to_send()
    assert not conversation.brief, "from now on it has its time"


def test_a_slow_question_explains_a_silence() -> None:
    """It took longer than a brief wait when it was asked alone: what was answered then is not asked again."""
    conversation = Conversation(ordered=False)
    for _ in range(SLOW):
        conversation.begin(plain(4))
        assert len(conversation.data_to_send().splitlines()) == 4
        assert conversation.brief
        conversation.silent(hung(BRIEF, b""))
        asked = []
        while lines := conversation.data_to_send().splitlines():
            (question,) = map(json.loads, lines)
            asked.append(int(question["data"], 16))
            if asked[-1] == 2:
                conversation.answered_slowly()
            conversation.hear(answer(question))
        assert asked == [0, 1, 2, 3], "each once"
        assert [one.answer for one in conversation.finish()] == [0, 1, 2, 3]
    conversation.begin(plain(4))
    conversation.data_to_send()
    assert not conversation.brief, "what is slow again and again gets its time"


def test_a_slow_answer_before_a_silence_does_not_explain_it() -> None:
    program = Program(lambda opened: opened if len(opened) > 1 else ())
    conversation = Conversation(ordered=False)
    conversation.answered_slowly()
    assert statuses(program.talk(conversation, plain(3))) == ["hang", "answer", "answer"]


def test_what_hangs_only_beside_others_is_a_hang_as_ever() -> None:
    program = Program(lambda opened: opened if len(opened) > 1 else ())
    observations = program.talk(Conversation(ordered=False), plain(3))
    assert statuses(observations) == ["hang", "answer", "answer"]
    assert "none of them repeats this" in observations[0].detail
    assert program.whole == 1


# After a few of a kind.


@pytest.mark.parametrize("ordered", [False, True])
def test_the_rest_of_a_kind_is_asked_briefly_and_then_no_more(ordered: bool) -> None:
    cases = [*plain(40), *(case(f"kafka/framing/{n}#decode", n) for n in range(40, 45))]
    # Of the kind every second one hangs; of another kind one.
    program = Program(at(*range(1, 40, 2), 44))
    observations = program.talk(Conversation(ordered=ordered), cases)
    expected = [["answer", "hang"][number % 2] for number in range(2 * HANGS)]
    expected += [["answer", "not-asked"][number % 2] for number in range(2 * HANGS, 2 * SILENT)]
    expected += ["not-asked"] * (40 - 2 * SILENT)
    expected += ["answer"] * 4 + ["hang"]
    assert statuses(observations) == expected
    assert program.whole == HANGS + 1
    waited, closed = observations[2 * HANGS + 1].detail, observations[39].detail
    kind = "decode of INT32 in kafka/varints"
    assert waited.startswith(
        f"after {HANGS} of its kind ({kind}) hung, the wait for this one was brief: no answer within 0.5"
    )
    assert closed.startswith(f"not asked: {SILENT} cases of its kind ({kind}) gave no answer")
    for detail in (waited, closed):
        assert detail.endswith("`wireproof repro` with its id asks it alone, with the whole time limit")


def test_after_many_hangs_in_all_a_silence_of_several_is_looked_into() -> None:
    """Of kinds of which none has hung several are asked at once, as ever; a brief wait for each alone tells whose it
    was, and then that kind is asked one at a time."""
    hanging = [case(f"kafka/area-{number}/{number}#decode", number) for number in range(HANGS_IN_ALL)]
    conversation = Conversation(ordered=False)
    Program(at(*range(HANGS_IN_ALL))).talk(conversation, hanging)
    program = Program(at(105, 107))
    observations = program.talk(conversation, plain(10, 100))
    assert statuses(observations) == ["answer"] * 5 + ["not-asked", "answer"] * 2 + ["answer"]
    assert program.beside == [5, 1, 1]
    assert program.whole == 0


def test_after_many_hangs_in_all_who_is_silent_only_beside_others_is_asked_one_at_a_time() -> None:
    hanging = [case(f"kafka/area-{number}/{number}#decode", number) for number in range(HANGS_IN_ALL)]
    conversation = Conversation(ordered=False)
    Program(at(*range(HANGS_IN_ALL))).talk(conversation, hanging)
    program = Program(lambda opened: opened if len(opened) > 1 else ())
    assert statuses(program.talk(conversation, plain(10, 100))) == ["answer"] * 10
    assert program.beside == [10]
    assert program.whole == 0


def test_after_many_hangs_in_all_every_kind_is_asked_briefly() -> None:
    kinds = HANGS_IN_ALL + SILENT_IN_ALL + 5
    cases = [case(f"kafka/area-{number // 2}/{number}#decode", number) for number in range(2 * kinds)]
    program = Program(at(*range(2 * kinds)))
    observations = program.talk(Conversation(ordered=True), cases)
    assert program.whole == HANGS_IN_ALL
    assert program.brief < SILENT_IN_ALL + kinds
    assert Counter(statuses(observations)) == {"hang": HANGS_IN_ALL, "not-asked": len(cases) - HANGS_IN_ALL}
    assert f"after {HANGS_IN_ALL} cases hung" in observations[HANGS_IN_ALL].detail
    assert observations[-1].detail.startswith("not asked: 1 cases of its kind"), "the last kinds close at once"


def test_on_probation_a_program_is_asked_one_at_a_time() -> None:
    program = Program(at(0, 1, 2, 10, 11))
    observations = program.talk(Conversation(ordered=False), plain(20))
    assert [one.status for one in observations].count(Status.ANSWER) == 15
    assert program.beside[-2:] == [1, 1]


@pytest.mark.parametrize(("ordered", "together"), [(False, [[0], [1, 2], [3], [4]]), (True, [[0, 1, 2, 3, 4]])])
def test_what_is_on_probation_is_asked_alone_and_the_rest_together(ordered: bool, together: list[list[int]]) -> None:
    conversation = Conversation(ordered=ordered)
    assert statuses(Program(at(*range(HANGS))).talk(conversation, plain(HANGS))) == ["hang"] * HANGS
    others = {1, 2, 4}
    conversation.begin([case(f"kafka/{'framing' if n in others else 'varints'}/{n}#decode", n) for n in range(5)])
    asked = []
    while not conversation.done:
        questions = [json.loads(line) for line in conversation.data_to_send().splitlines()]
        asked.append([int(question["data"], 16) for question in questions])
        assert len(asked) <= len(together)
        for question in questions:
            conversation.hear(answer(question))
    assert asked == together


@pytest.fixture(scope="module")
def every_case() -> list[Case]:
    """All cases of the ledger but those of encode, and what is derived of some, in the order of a run."""
    found: list[Case] = []
    for name in ledger.names("kafka"):
        read = ledger.load(name, "kafka")
        for vector in read.vectors:
            found += [vector.case(op) for op in vector.ops if op is not Op.ENCODE]
        if name.startswith("Metadata"):
            for sources in ledger.richest_first(read).values():
                found += [made for _, made in ledger.prefixes(sources[0], Op.DECODE)]
    # Numbers for bytes: it is the ids that count.
    return [case(one.id, number, one.type or "") for number, one in enumerate(found)]


@pytest.fixture(scope="module")
def hanging(every_case: list[Case]) -> frozenset[int]:
    """Those with tags in them, as far as a prefix still has them."""
    return frozenset(
        number
        for number, one in enumerate(every_case)
        if "/unknown-tags" in one.id and (not one.derived or number % 7 > 0)
    )


@pytest.fixture(scope="module")
def alone(every_case: list[Case], hanging: frozenset[int]) -> list[Status]:
    """What comes of it when one question after the other is asked."""
    program, conversation = Program(lambda _: hanging), Conversation(ordered=True)
    return [program.talk(conversation, [one])[0].status for one in every_case]


@pytest.mark.parametrize(
    ("ordered", "parallel", "size"), [(True, False, 256), (False, False, 256), (False, True, 256), (False, False, 7000)]
)
def test_a_fault_in_every_tag_buffer_costs_a_bounded_number_of_waits(
    every_case: list[Case],
    hanging: frozenset[int],
    alone: list[Status],
    ordered: bool,
    parallel: bool,
    size: int,
) -> None:
    assert sum(not every_case[number].derived for number in hanging) > 600
    program, conversation = Program(lambda _: hanging, parallel=parallel), Conversation(ordered=ordered)
    observations: list[Observation] = []
    for start in range(0, len(every_case), size):
        observations += program.talk(conversation, every_case[start : start + size])
    assert [one.case for one in observations] == every_case
    assert [one.status for one in observations] == alone, "the order of the cases decides, and nothing else"
    found = Counter(alone)
    assert found.keys() == {Status.HANG, Status.ANSWER, Status.NOT_ASKED}
    assert program.whole == found[Status.HANG] <= HANGS_IN_ALL
    assert program.brief <= 2 * HANGS_IN_ALL + 4 * SILENT
    for number, one in enumerate(observations):
        assert one.status is not (Status.ANSWER if number in hanging else Status.HANG)
        if "/unknown-tags" not in one.case.id:
            assert one.status is Status.ANSWER, "what is of another kind is asked as ever"


# Kinds, and seconds.


@pytest.mark.parametrize(
    ("identifier", "type_name", "kind"),
    [
        ("kafka/tag-ordering/tag-1#decode", "TAG_BUFFER", "decode of TAG_BUFFER in kafka/tag-ordering"),
        ("kafka/tag-ordering/tag-1#recode", "TAG_BUFFER", "recode of TAG_BUFFER in kafka/tag-ordering"),
        ("kafka/messages/A/3/unknown-tags#decode", "A", "decode of unknown-tags in kafka/messages"),
        ("kafka/messages/A/3/set+prefix:9#decode", "A", "decode of set+prefix in kafka/messages"),
        ("kafka/messages/A/3/set+bomb:9#decode", "A", "decode of set+bomb in kafka/messages"),
        ("kafka/messages/by-hand#decode", "A", "decode of A in kafka/messages"),
        ("gen/kafka/A/3/x00ff#decode", "A", "decode of A in gen/kafka"),
        ("gen/kafka/A/3/x00ff+prefix:1#decode", "A", "decode of A+prefix in gen/kafka"),
    ],
)
def test_kinds(identifier: str, type_name: str, kind: str) -> None:
    assert str(kind_of(case(identifier, type=type_name))) == kind


def test_a_brief_wait() -> None:
    assert [brief(limit) for limit in (0.1, 1.0, 5.0, 60.0)] == [0.1, 0.25, 0.5, 6.0]
    assert [brief(limit, known=True) for limit in (0.1, 1.0, 5.0, 60.0)] == [0.1, 0.25, 0.25, 3.0]


def test_the_place_of_a_case_decides_not_when_it_was_noted() -> None:
    patience = Patience()
    for index in (9, 8, 7):
        patience.hung(index, plain(1)[0])
    assert not patience.on_probation(9, plain(1)[0]), "two before it"
    assert patience.on_probation(10, plain(1)[0])


# Whatever happens.


@given(st.integers(0, 2**32), st.booleans(), st.integers(0, 40))
def test_whatever_is_silent_each_case_has_one_observation(seed: int, ordered: bool, count: int) -> None:
    chance = random.Random(seed)
    conversation = Conversation(ordered=ordered)
    death = Ending(Status.CRASH, "SIGABRT", "the process was ended by SIGABRT")
    for _ in range(2):
        cases = plain(count)
        conversation.begin(cases)
        opened: dict[int, int] = {}
        steps = 0
        while not conversation.done:
            steps += 1
            assert steps < MOST_STEPS, "it does not end"
            for line in conversation.data_to_send().splitlines():
                question = json.loads(line)
                opened[question["seq"]] = int(question["data"], 16)
            event = chance.random() if steps < 500 else 1.0
            if event < 0.2 and opened:
                opened.clear()
                if conversation.brief:
                    conversation.silent(hung(BRIEF, b""))
                else:
                    conversation.ended(hung(WHOLE, b""))
            elif event < 0.25:
                opened.clear()
                conversation.ended(death)
            elif event < 0.3:
                conversation.hear(b"junk")
            elif opened:
                seq = next(iter(opened)) if ordered else chance.choice([*opened])
                conversation.hear(json.dumps({"seq": seq, "value": opened.pop(seq)}).encode())
        observations = conversation.finish()
        assert [one.case for one in observations] == cases
        for number, one in enumerate(observations):
            assert one.status is not Status.ANSWER or one.answer == number


def test_a_window_of_questions_is_open_beside_a_hang() -> None:
    """Else these tests would say nothing of the silence of many."""
    program = Program(at(5))
    program.talk(Conversation(ordered=False), plain(2 * WINDOW))
    assert program.beside[0] > WINDOW // 2
