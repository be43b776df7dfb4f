"""How many questions are open at a time, and how many bytes of them."""

from __future__ import annotations

import msgspec
import pytest
from support.conversing import DEATH, begun, cases_of

from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.connection.protocol.conversation import FEWEST, WINDOW, WINDOW_BYTES, Conversation
from wireproof.conformance.model import Case, Op


def test_the_window_bounds_number_and_bytes() -> None:
    talk, side = begun(3 * WINDOW)
    assert len(side.take()) == WINDOW
    assert side.take() == []
    first = next(iter(side.open))
    side.answer(first)
    assert side.take() == [], "not one by one"
    for seq in list(side.open)[: WINDOW // 2 - 2]:
        side.answer(seq)
    assert side.take() == [], "more than half of them are open"
    side.answer(next(iter(side.open)))
    assert len(side.take()) == WINDOW // 2

    talk = Conversation(ordered=True)
    large = {"data": bytes(WINDOW_BYTES)}
    talk.begin([Case(str(n), Op.DECODE, "kafka", "BYTES", args=large) for n in range(3)])
    assert talk.data_to_send().count(b"\n") == 1


def test_the_window_is_bounded_after_a_death_too() -> None:
    _talk, side = begun(3 * WINDOW, ordered=False)
    side.take()
    side.die()
    for _ in range(WINDOW):  # those that were open, one at a time, and then as many as before
        (first,) = side.take()
        side.answer(first)
    assert len(side.take()) == WINDOW


def test_of_those_that_are_answered_in_order_few_are_open_after_a_death_and_more_with_each_answer() -> None:
    _talk, side = begun(4 * WINDOW)
    side.take()
    side.die()
    assert len(side.take()) == FEWEST
    for _ in range(FEWEST // 2):
        side.answer(next(iter(side.open)))
    assert len(side.take()) == FEWEST
    assert len(side.open) == FEWEST + FEWEST // 2
    while len(side.open) < WINDOW:
        side.answer(next(iter(side.open)))
        side.take()
    for _ in range(WINDOW // 2):
        side.answer(next(iter(side.open)))
    assert len(side.take()) == WINDOW // 2, "no more than at first"
    side.die()
    assert len(side.take()) == FEWEST


def case_of_line(size: int, seq: int) -> Case:
    """A case whose question is a line of so many bytes."""
    for type_name in ("BYTES", "BYTESX"):
        plain = Case("long", Op.DECODE, "kafka", type_name, args={"data": b""})
        missing, odd = divmod(size - len(lines.question(seq, plain)), 2)
        if not odd:
            return msgspec.structs.replace(plain, args={"data": bytes(missing)})
    raise AssertionError(size)


@pytest.mark.parametrize("calm", [True, False])
@pytest.mark.parametrize(("size", "more"), [(WINDOW_BYTES - 1, 1), (WINDOW_BYTES, 0), (WINDOW_BYTES + 1, 0)])
def test_a_line_that_fills_the_window_is_alone(calm: bool, size: int, more: int) -> None:
    talk = Conversation(ordered=True)
    seq = 1
    if not calm:
        talk.begin(cases_of(1))
        talk.data_to_send()
        talk.ended(DEATH)
        talk.finish()
        seq = 2
    talk.begin([case_of_line(size, seq), *cases_of(1)])
    sent = talk.data_to_send().splitlines(keepends=True)
    assert [len(sent[0]), len(sent)] == [size, 1 + more]


def test_what_it_may_be_working_on_is_what_is_open() -> None:
    for ordered in (False, True):
        talk = Conversation(ordered=ordered)
        talk.begin([*cases_of(3), Case("long", Op.DECODE, "kafka", "BYTES", args={"data": bytes(500)})])
        sizes = [len(line) for line in talk.data_to_send().splitlines(keepends=True)]
        assert talk.at_work == (sizes[0] if ordered else sum(sizes))
        talk.hear(b"junk")
        assert talk.at_work == (sizes[1] if ordered else sum(sizes[1:]))
        talk.hear(b'{"seq":2,"value":1}')
        assert talk.at_work == (sizes[2] if ordered else sum(sizes[2:]))
        talk.ended(DEATH)
        assert talk.at_work == 0
