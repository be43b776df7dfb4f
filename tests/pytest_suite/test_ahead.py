"""Questions asked ahead, with entries wanted in any order: each is asked once, without a block of others."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Case
from wireproof.conformance.pytest_suite.implementations import Ahead
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.selection import Entry, NotAsked

Order = Callable[[list[Entry]], list[Entry]]


def shuffled(entries: list[Entry]) -> list[Entry]:
    return random.Random(7).sample(entries, len(entries))


def each_again(entries: list[Entry]) -> list[Entry]:
    """As pytest-rerunfailures wants them."""
    return [entry for entry in entries for _ in range(2)]


def in_two_halves(entries: list[Entry]) -> list[Entry]:
    """As a worker gets them in chunks."""
    half = len(entries) // 2
    return entries[half:] + entries[:half]


@pytest.mark.parametrize(
    ("order", "most"),
    [(list, 1.0), (in_two_halves, 1.1), (each_again, 2.0), (lambda entries: entries[::-1], 2.0), (shuffled, 2.0)],
    ids=["planned", "in two halves", "each again", "reversed", "shuffled"],
)
def test_an_order_of_one_s_own_asks_little_more(order: Order, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """`most`: how many times the questions of the planned order are asked at most; each may be asked with its twin."""
    with open_connection("reference", Options(in_process=True)) as connection:
        asked: list[str] = []
        begin = connection.begin

        def counted(cases: Sequence[Case]) -> None:
            asked.extend(case.id for case in cases)
            begin(cases)

        monkeypatch.setattr(connection, "begin", counted)
        examiner = Examiner(connection)
        entries = [*selection.entries(examiner.description, NotAsked(), ["kafka"], ["varints", "framing"])]
        monkeypatch.setattr(
            "wireproof.conformance.asking.examiner.KEPT_CASES", 1
        )  # whatever is wanted again is asked again
        ahead = Ahead(examiner)
        ahead.plan(entries)
        verdicts = {one.name: [judged.verdict.id for judged in ahead.judged(one)] for one in entries}
        planned = len(asked)
        asked.clear()
        ahead.plan(entries)
        found = {one.name: [judged.verdict.id for judged in ahead.judged(one)] for one in order(entries)}
    assert found == verdicts
    assert len(asked) <= most * planned + 600  # two blocks that were begun and are not waited for
