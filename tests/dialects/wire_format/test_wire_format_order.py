"""Errors and offsets pass only in the request's order, and responses only with the request's own correlation id."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from support.wire_format_answers import Answer, changed, sorted_sets

from wireproof.conformance import vectors
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Observation, Op, Outcome, Status

DIALECT = "wire-format"
SERVED = [vector for vector in vectors.load([DIALECT]) if vector.ops == (Op.SERVE,)]
Change = Callable[[list[Answer], list[Answer]], list[Answer]]


def failed(change: Change) -> set[str]:
    """The vectors that a broker fails whose answers are changed so."""
    found = set()
    for vector in SERVED:
        case = vector.case(Op.SERVE)
        told = Observation(case, Status.ANSWER, changed(case.args["chunks"], change))
        if judge(vector, told).outcome is Outcome.FAIL:
            found.add(vector.id)
    return found


def _down(text: str) -> list[int]:
    return [-ord(letter) for letter in text]


ORDERS: dict[str, Callable[[tuple[str, int]], Any]] = {
    "topics up": lambda place: place[0],
    "topics down": lambda place: _down(place[0]),
    "partitions up": lambda place: place[1],
    "partitions down": lambda place: -place[1],
    "topics up, partitions up": lambda place: place,
    "topics up, partitions down": lambda place: (place[0], -place[1]),
    "topics down, partitions up": lambda place: (_down(place[0]), place[1]),
    "topics down, partitions down": lambda place: (_down(place[0]), -place[1]),
    "partitions up, topics up": lambda place: (place[1], place[0]),
    "partitions down, topics down": lambda place: (-place[1], _down(place[0])),
}


@pytest.mark.parametrize("order", ORDERS)
def test_sets_in_another_order_are_noticed(order: str) -> None:
    assert failed(sorted_sets(ORDERS[order]))


def _each(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Change:
    return lambda asked, answers: [(api, answer | change(answer)) for api, answer in answers]


def _offsets(order: Callable[[list[int]], Sequence[int]]) -> Change:
    return _each(lambda answer: {"offsets": [*order(answer["offsets"])]} if "offsets" in answer else {})


@pytest.mark.parametrize(
    "change",
    [
        _offsets(sorted),
        _offsets(lambda offsets: sorted(offsets, reverse=True)),
        _offsets(lambda offsets: offsets[::-1]),
        _offsets(lambda offsets: offsets[1:] + offsets[:1]),
        _offsets(lambda offsets: offsets[:1] * len(offsets)),
        _offsets(lambda offsets: [0] * len(offsets)),
    ],
)
def test_other_offsets_are_noticed(change: Change) -> None:
    assert failed(change)


def _of_three(order: Sequence[int]) -> Change:
    return _offsets(lambda offsets: [offsets[at] for at in order] if len(offsets) == 3 else offsets)


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))][1:])
def test_every_other_order_of_three_partitions_is_noticed(order: Sequence[int]) -> None:
    assert failed(_of_three(order)) & {"broker-partitions-descending", "broker-partitions-ascending"}


def _ids(change: Callable[[list[int]], list[int]]) -> Change:
    def act(asked: list[Answer], answers: list[Answer]) -> list[Answer]:
        numbers = change([answer["correlation_id"] for _, answer in answers])
        pairs = zip(answers, numbers, strict=True)
        return [(api, answer | {"correlation_id": number}) for (api, answer), number in pairs]

    return act


@pytest.mark.parametrize(
    "change",
    [
        lambda ids: ids[::-1],
        lambda ids: ids[1:] + ids[:1],
        lambda ids: ids[:1] * len(ids),
        lambda ids: ids[-1:] * len(ids),
        sorted,
        lambda ids: [*range(len(ids))],
        lambda ids: [number & 0x7FFFFFFF for number in ids],
    ],
)
def test_other_correlation_ids_are_noticed(change: Callable[[list[int]], list[int]]) -> None:
    assert failed(_ids(change))


def _turned(answers: list[Answer], by: int) -> list[Answer]:
    return answers[::-1] if by < 0 else answers[by:] + answers[:by]


@pytest.mark.parametrize("by", [1, 2, -1])
def test_answers_in_another_order_are_not(by: int) -> None:
    assert failed(lambda asked, answers: _turned(answers, by)) == set()
