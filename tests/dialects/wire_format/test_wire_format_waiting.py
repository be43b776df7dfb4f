"""How long a broker of wire-format waits: acknowledgements, timeouts, long polls, replicas."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from wireproof.reference import Rules
from wireproof.reference.dialects.wire_format.waiting import (
    ALL_IN_SYNC,
    CLIENT,
    REQUEST_TIMED_OUT,
    BrokerAction,
    MeaninglessError,
    Partition,
    Produced,
    enough_acks,
    fetch_is_due,
)

SIGNED = Rules()
REPLICAS, CLOSED = Rules(required_acks="replicas"), Rules(required_acks="replicas-or-closed")
#: Its own log ends at 5; follower 2 has all of it, 3 what is before 4; 3 is not in sync.
PARTITION = Partition(5, {2: 5, 3: 4}, frozenset({2}))


@pytest.mark.parametrize(
    ("required", "end", "enough"),
    [
        (0, 5, True),
        (1, 5, True),
        (1, 6, False),
        (2, 5, True),
        (3, 5, False),
        (3, 4, True),
        (4, 4, False),  # there are three: it can only time out
        (ALL_IN_SYNC, 5, True),  # 3 is not in sync, and not waited for
        (ALL_IN_SYNC, 6, False),
    ],
)
def test_enough_acks(required: int, end: int, enough: bool) -> None:
    assert enough_acks(required, PARTITION, end, SIGNED) is enough


def test_all_in_sync_without_followers_is_the_leader() -> None:
    assert enough_acks(ALL_IN_SYNC, Partition(1), 1, SIGNED)
    assert not enough_acks(ALL_IN_SYNC, Partition(1, {}, frozenset({2})), 1, SIGNED)


@pytest.mark.parametrize(
    ("required", "rules", "said"),
    [
        (-2, SIGNED, "required_acks -2 of 3 replicas means nothing"),
        (-1, REPLICAS, "required_acks -1 of 3 replicas means nothing"),
        (4, CLOSED, "required_acks 4 of 3 replicas means nothing"),
    ],
)
def test_acks_without_meaning(required: int, rules: Rules, said: str) -> None:
    with pytest.raises(MeaninglessError, match=said):
        enough_acks(required, PARTITION, 5, rules)


def test_the_text_s_range_goes_from_0_to_the_number_of_replicas() -> None:
    assert [enough_acks(required, PARTITION, 5, REPLICAS) for required in (0, 1, 2, 3)] == [True, True, True, False]


# --- Replica fetches --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("replica", "offset", "before"),
    [
        (3, 5, 5),  # it has all that is before 5
        (3, 2, 4),  # what it acknowledged once stays so
        (3, 9, 5),  # and nothing beyond the leader's end
        (4, 1, 1),  # one that was not known
    ],
)
def test_a_replica_s_fetch_acknowledges_what_is_before_its_offset(replica: int, offset: int, before: int) -> None:
    after = PARTITION.fetched(replica, offset)
    assert after.followers == {**PARTITION.followers, replica: before}
    assert (after.end, after.in_sync) == (PARTITION.end, PARTITION.in_sync)


def test_a_client_s_fetch_acknowledges_nothing() -> None:
    assert PARTITION.fetched(CLIENT, 5) is PARTITION


def test_a_replica_s_fetch_ends_a_producer_s_waiting() -> None:
    produced = Produced(3, 100, 0, ((("t", 0), 5),))
    assert produced.answer({("t", 0): PARTITION}, 1, SIGNED) is BrokerAction.WAIT
    assert produced.answer({("t", 0): PARTITION.fetched(CLIENT, 5)}, 1, SIGNED) is BrokerAction.WAIT
    assert produced.answer({("t", 0): PARTITION.fetched(3, 5)}, 1, SIGNED) is BrokerAction.ANSWER


# --- Produce requests -------------------------------------------------------------------------------------------------

#: Of two message sets, the first has its two acknowledgements, and the second has one of them.
SETS = ((("t", 0), 5), (("u", 7), 3))
PARTITIONS: Mapping[tuple[str, int], Partition] = {("t", 0): PARTITION, ("u", 7): Partition(3, {2: 2})}


@pytest.mark.parametrize(
    ("required", "now", "answer"),
    [
        (0, 1000, BrokerAction.NONE),  # nothing is sent, whatever came of it
        (0, 9000, BrokerAction.NONE),
        (1, 1000, BrokerAction.ANSWER),
        (1, 9000, BrokerAction.ANSWER),  # all are there: it is no timeout, however late
        (2, 1000, BrokerAction.WAIT),
        (2, 2499, BrokerAction.WAIT),
        (2, 2500, BrokerAction.TIMED_OUT),
        (2, 2501, BrokerAction.TIMED_OUT),
    ],
)
def test_when_a_produce_request_is_answered(required: int, now: int, answer: BrokerAction) -> None:
    produced = Produced(required, ack_timeout=1500, came=1000, ends=SETS)
    assert produced.answer(PARTITIONS, now, SIGNED) is answer


def test_without_time_it_is_answered_at_once() -> None:
    for timeout in (0, -1):
        assert Produced(2, timeout, 1000, SETS).answer(PARTITIONS, 1000, SIGNED) is BrokerAction.TIMED_OUT


def test_a_request_without_message_sets_waits_for_nothing() -> None:
    assert Produced(3, 1500, 1000, ()).answer({}, 1000, SIGNED) is BrokerAction.ANSWER


def test_a_timeout_is_an_error_of_the_sets_that_lack_acknowledgements() -> None:
    produced = Produced(2, 1500, 1000, SETS)
    assert produced.errors(PARTITIONS, SIGNED) == [-1, REQUEST_TIMED_OUT]
    assert produced.errors(PARTITIONS, Rules(no_error="0")) == [0, REQUEST_TIMED_OUT]


def test_acks_that_mean_nothing_are_not_waited_for() -> None:
    with pytest.raises(MeaninglessError, match="required_acks -1"):
        Produced(-1, 1500, 1000, SETS).answer(PARTITIONS, 1000, REPLICAS)


# --- Fetch requests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("available", "min_bytes", "max_wait", "now", "due"),
    [
        ([], 0, 100, 1000, True),  # nothing is wanted
        ([0], 1, 100, 1000, False),
        ([0], 1, 100, 1099, False),
        ([0], 1, 100, 1100, True),  # max_wait has gone by
        ([0], 1, 0, 1000, True),
        ([0], 1, -5, 1000, True),
        ([600], 1000, 100, 1000, False),
        ([600, 399], 1000, 100, 1000, False),
        ([600, 400], 1000, 100, 1000, True),  # over all topics together
        ([0], -1, 100, 1000, True),
    ],
)
def test_when_a_fetch_is_answered(available: list[int], min_bytes: int, max_wait: int, now: int, due: bool) -> None:
    assert fetch_is_due(available, min_bytes, max_wait, came=1000, now=now) is due
