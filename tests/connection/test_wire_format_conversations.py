"""Conversations of the dialect wire-format: when a broker answers, which the vectors of `serve` cannot ask."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.listening import spec
from support.paths import TESTS
from support.served import served

from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import DEVIATIONS, Outcome, Verdict
from wireproof.conformance.questions import UnknownId, conversations, find
from wireproof.conformance.questions.selection import NotAsked, entries

DIALECT = "wire-format"
#: Those that a broker which counts nobody as a replica does without.
NTH = {"the-nth-error-is-of-the-nth-set", "the-nth-error-is-of-the-nth-set-without-the-last"}
OF_REPLICAS = {
    "two-acks-wait-for-a-replica",
    "the-ack-timeout-passes",
    "a-client-s-fetch-is-no-acknowledgement",
    *NTH,
}
OF_OFFSETS = {"a-set-is-at-the-offset-that-was-told", "a-third-set-is-at-the-offset-that-was-told"}
TOO_FEW, ALL_OF = "max-wait-passes-with-too-few-bytes", "a-fetch-waits-for-all-of-min-bytes"
#: By program: the conversations that it does not hold as it should.
WRONG: Mapping[str, set[str]] = {
    "never_waits": {"max-wait-passes", TOO_FEW, "a-produce-wakes-a-fetch", ALL_OF},
    "sleeps_on": {"a-produce-wakes-a-fetch", ALL_OF},
    "waits_for_any_byte": {TOO_FEW, ALL_OF},
    "waits_for_seconds": {"max-wait-passes", TOO_FEW},
    "always_waits": {"a-fetch-that-waits-for-no-bytes", "a-fetch-that-waits-no-time"},
    "starts_over": OF_OFFSETS,
    "tells_the_end": {*OF_OFFSETS, "what-was-produced-is-fetched-from-0"},
    "waits_for_no_replica": OF_REPLICAS,
    "times_out_early": OF_REPLICAS - {"two-acks-wait-for-a-replica"},
    "times_out_late": OF_REPLICAS - {"two-acks-wait-for-a-replica"},
    "times_out_without_an_error": OF_REPLICAS - {"two-acks-wait-for-a-replica"},
    "counts_clients": {"a-client-s-fetch-is-no-acknowledgement", "the-nth-error-is-of-the-nth-set"},
    "counts_what_is_fetched": {"two-acks-wait-for-a-replica", "the-ack-timeout-passes"},
    "one_error_for_all": NTH,
    "errors_backwards": NTH,
}
#: By program: what it does without.
ODD: Mapping[str, set[str]] = {
    "conforming": set(),
    "knows_no_replicas": OF_REPLICAS,
    "closes_on_too_many_acks": OF_REPLICAS,
    "leaves_out_empty_partitions": set(),
    "counts_bytes": set(),
}


def held(spec_: str, options: Options | None = None) -> Mapping[str, Verdict]:
    with Examiner(open_connection(spec_, options)) as examiner:
        asked = conversations.questions(examiner.description.apis or {}, DIALECT)
        found = {one.vector.id: one.verdict for one in examiner.judge(asked)}
        assert examiner.end() is None
    return found


def program(name: str) -> str:
    return spec(name, TESTS / "programs" / "wire_format_broker.py")


def held_by_all(names: Collection[str]) -> Mapping[str, Mapping[str, Verdict]]:
    """By program. They mostly wait, so they are asked at the same time."""
    with ThreadPoolExecutor(len(names)) as pool:
        options = Options(timeout=2.5)
        return dict(zip(names, pool.map(lambda name: held(program(name), options), names), strict=True))


def test_wrong_brokers_are_found() -> None:
    """An answer that comes too early is no fault that the kit can see when this machine is late itself. So those where
    something is missing are asked again, alone."""
    deviating = _deviating(WRONG)
    for name, expected in WRONG.items():
        if deviating[name] < expected:
            deviating |= _deviating([name])
    assert deviating == WRONG


def _deviating(names: Collection[str]) -> dict[str, set[str]]:
    return {
        name: {one for one, verdict in verdicts.items() if verdict.outcome in DEVIATIONS}
        for name, verdicts in held_by_all(names).items()
    }


def test_odd_brokers_are_not_blamed() -> None:
    found = held_by_all(ODD)
    without = {
        name: {one for one, verdict in verdicts.items() if verdict.outcome is not Outcome.PASS}
        for name, verdicts in found.items()
    }
    assert without == ODD
    assert {found[name][one].outcome for name, ones in ODD.items() for one in ones} == {Outcome.SKIP}


def test_the_served_dialect_is_asked_at_its_address() -> None:
    with served(f"--dialect={DIALECT}") as (_, port):
        found = held(f"tcp://127.0.0.1:{port}", Options(dialect=DIALECT, allow_writes=True))
        assert {verdict.outcome for verdict in found.values()} == {Outcome.PASS}
        found = held(f"tcp://127.0.0.1:{port}", Options(dialect=DIALECT))
    assert {one for one, verdict in found.items() if verdict.outcome is Outcome.PASS} == {
        "max-wait-passes",
        "a-fetch-that-waits-for-no-bytes",
        "a-fetch-that-waits-no-time",
    }


def test_vectors_for_a_broker_without_messages_are_not_asked_of_one_that_may_have_some() -> None:
    with Examiner(open_connection(program("conforming"))) as examiner:
        asked = [entry.questions for entry in entries(examiner.description, NotAsked(), areas=["framing", "messages"])]
        found = list(itertools.chain(*examiner.judge_entries(asked)))
    assert len(found) > 50
    assert {one.verdict.outcome for one in found} == {Outcome.SKIP}
    assert {one.verdict.detail for one in found} == {
        "its answer is known of a broker that was asked nothing before, and this one may have been"
    }


def test_an_id_is_enough_to_ask_again() -> None:
    asked = [*conversations.questions({}, DIALECT)]
    assert [find(one.case.id) for one in asked] == asked
    with pytest.raises(UnknownId):
        find("kafka/conversations/max-wait-passes#serve")
