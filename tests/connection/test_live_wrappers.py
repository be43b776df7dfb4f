"""Wrappers of clients that run: the vectors of `consume` and `produce` travel in Fetch answers and Produce requests."""

from __future__ import annotations

import sys

import msgspec
import pytest
from support.paths import ROOT, TESTS

from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.base import ImplementationError
from wireproof.conformance.connection.live.wrapper import WrapperConnection
from wireproof.conformance.connection.protocol.check import Inspection, Result
from wireproof.conformance.model import FailureKind, Op, Outcome, Status, Verdict
from wireproof.conformance.questions.lookup import find
from wireproof.fuzz.campaign.run import describe
from wireproof.fuzz.errors import FuzzError

CLIENTS = "programs.live_clients"
#: The smallest client as a program.
PROGRAM = f"exec:{sys.executable} -m {CLIENTS} right"
#: Vectors of each sort: headers, transactions, markers, compaction, a broken batch, every codec.
DELIVERED = (
    *("kafka/delivery/compacted-gaps#consume", "kafka/delivery/refused-crc#consume"),
    *("kafka/delivery/magic-1-wrapper-from-its-middle#consume", "kafka/delivery/empty-batch-last#consume"),
)
WRITTEN = (
    *("kafka/delivery/produce-three-records#produce", "kafka/delivery/produce-null-beside-empty#produce"),
    *("kafka/delivery/produce-magic-1-gzip#produce", "kafka/delivery/produce-magic-1-idempotent#produce"),
)


@pytest.fixture(autouse=True)
def _in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)


def asked(spec: str, ids: tuple[str, ...], options: Options | None = None) -> dict[str, Verdict]:
    with Examiner(open_connection(spec, options or Options())) as examiner:
        return {judged.verdict.id: judged.verdict for judged in examiner.judge(map(find, ids))}


@pytest.mark.parametrize("spec", [f"{CLIENTS}:right", f"{CLIENTS}:old", PROGRAM])
def test_a_client_that_is_right_passes(spec: str) -> None:
    """Also one that does not have the versions that are offered alone, and a program."""
    found = asked(spec, DELIVERED + WRITTEN)
    assert {one.outcome for one in found.values()} == {Outcome.PASS}
    assert len(found) == len(DELIVERED + WRITTEN)


@pytest.mark.parametrize(
    ("name", "ids", "kind"),
    [
        ("sorts_headers", ("kafka/header-multimaps/produce-headers-in-order#produce",), FailureKind.WRONG_ANSWER),
        ("stays_where_it_is", (DELIVERED[0], WRITTEN[0]), FailureKind.WRONG_ANSWER),
    ],
)
def test_what_arrives_is_judged(name: str, ids: tuple[str, ...], kind: FailureKind) -> None:
    found = asked(f"{CLIENTS}:{name}", ids, Options(in_process=True))
    assert {(one.outcome, one.kind) for one in found.values()} == {(Outcome.FAIL, kind)}


def test_who_sends_nothing_has_not_answered() -> None:
    (one,) = asked(f"{CLIENTS}:sends_nothing", WRITTEN[:1], Options(in_process=True)).values()
    assert one.outcome is Outcome.VIOLATION
    assert "no Produce request came" in one.detail


def test_versions_are_offered_alone_until_the_client_does_not_ask_them() -> None:
    with open_connection(f"{CLIENTS}:old", Options(in_process=True)) as connection:
        assert isinstance(connection, WrapperConnection)
        cases = [msgspec.structs.replace(find(WRITTEN[0]).case, id=f"{number}") for number in range(40)]
        assert {one.status for one in connection.ask(cases)} == {Status.ANSWER}
        assert connection.alone(Op.PRODUCE) == [*range(3, 9)]


@pytest.mark.parametrize("library", ["kafka_python", "aiokafka"])
def test_a_released_client_gives_and_sends_what_it_should(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its answers: `pytest --impl=implementations.clients.live_kafka_python`."""
    monkeypatch.chdir(ROOT)
    found = asked(f"implementations.clients.live_{library}", (DELIVERED[0], DELIVERED[3], WRITTEN[0]))
    assert {one.outcome for one in found.values()} == {Outcome.PASS}


def test_a_wrapper_of_a_client_has_no_other_ops() -> None:
    with pytest.raises(ImplementationError, match="only consume and produce beside `bootstrap`"):
        open_connection(f"{CLIENTS}:decodes", Options(in_process=True))
    with pytest.raises(ImplementationError, match="cannot be called as the contract says"):
        open_connection(f"{CLIENTS}:takes_data", Options(in_process=True))


def test_wrapper_check_asks_a_client_through_a_broker() -> None:
    found = {one.name: one for one in Inspection(PROGRAM, Options()).run()}
    assert {one.result for one in found.values()} == {Result.GOOD}
    assert found["talks to the broker"].detail == "consume: answer, produce: answer"
    found = {one.name: one for one in Inspection(PROGRAM.replace(" right", " sends_nothing"), Options()).run()}
    assert found["talks to the broker"].result is Result.BAD
    assert "nothing sent" in found["talks to the broker"].detail


def test_a_campaign_says_that_it_asks_codecs() -> None:
    with pytest.raises(FuzzError, match="a client that runs: campaigns ask codecs"):
        describe(f"{CLIENTS}:right", Options(), None)
