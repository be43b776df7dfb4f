"""What a broker waits for before it answers: acknowledgements, or enough bytes. Times are in ms; the clock is an
argument.

Source: New wire format proposals, Known Proposals: long poll, acknowledgement count and timeout, replica id; R-WF-4,
R-WF-15.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from reference.rules import Rules

#: The replica_id of a fetch by a client.
CLIENT = -1
#: required_acks: no answer at all; all replicas that are in sync.
NO_ACKS, ALL_IN_SYNC = 0, -1
#: Errors, of which the page has no codes; these are Kafka's later ones. The acknowledgements of a message set did not
#: come in time; required_acks mean nothing.
REQUEST_TIMED_OUT, INVALID_REQUIRED_ACKS = 7, 21


class MeaninglessError(ValueError):
    """A required_acks that no number of replicas can meet."""


class BrokerAction(StrEnum):
    """What a broker does now."""

    WAIT = "wait"
    ANSWER = "answer"
    TIMED_OUT = "timed-out"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition as its leader knows it: where its own log ends, and before which offset each follower has all.

    `in_sync`: the followers that count as in sync.
    """

    end: int
    followers: Mapping[int, int] = field(default_factory=dict)
    in_sync: frozenset[int] = frozenset()

    def fetched(self, replica_id: int, offset: int) -> Partition:
        """The partition after a fetch from `offset`: a replica's acknowledges all that is before it, a client's
        nothing. An acknowledgement is never taken back, and none goes beyond the leader's end."""
        if replica_id == CLIENT:
            return self
        before = max(self.followers.get(replica_id, 0), min(offset, self.end))
        return dataclasses.replace(self, followers={**self.followers, replica_id: before})

    def acknowledged(self, end: int) -> int:
        """How many replicas, the leader among them, have all that is before `end`."""
        return (self.end >= end) + sum(before >= end for before in self.followers.values())

    def all_in_sync_have(self, end: int) -> bool:
        """Whether the leader and every follower in sync have all that is before `end`."""
        return self.end >= end and all(self.followers.get(replica, 0) >= end for replica in self.in_sync)


def enough_acks(required_acks: int, partition: Partition, end: int, rules: Rules) -> bool:
    """Whether a message set that ends at `end` has the acknowledgements that its producer requires (R-WF-4 ‡).

    −1: all replicas in sync; 0: none are needed; n: so many, the leader's the first. Raises MeaninglessError: below −1;
    under the other reading below 0, and above the number of replicas.
    """
    replicas = 1 + len(partition.followers)
    literal = rules.required_acks != "signed"
    if required_acks < (0 if literal else ALL_IN_SYNC) or (literal and required_acks > replicas):
        allowed = f"0 to {replicas}" if literal else "−1 and more"
        raise MeaninglessError(f"required_acks {required_acks} means nothing; {allowed} does")
    if required_acks == ALL_IN_SYNC:
        return partition.all_in_sync_have(end)
    return partition.acknowledged(end) >= required_acks


@dataclass(frozen=True, slots=True)
class Produced:
    """A produce request that was appended: its required_acks and ack_timeout, when it came, and per message set the
    key of its partition and the offset behind it."""

    required_acks: int
    ack_timeout: int
    came: int
    ends: tuple[tuple[tuple[str, int], int], ...]

    def answer(self, partitions: Mapping[tuple[str, int], Partition], now: int, rules: Rules) -> BrokerAction:
        """NONE with acks 0. ANSWER when every set has its acknowledgements; TIMED_OUT once ack_timeout has gone by
        without; till then WAIT. Raises MeaninglessError."""
        if self.required_acks == NO_ACKS:
            return BrokerAction.NONE
        if all(self._acknowledged(partitions, rules)):
            return BrokerAction.ANSWER
        return BrokerAction.TIMED_OUT if now - self.came >= self.ack_timeout else BrokerAction.WAIT

    def errors(self, partitions: Mapping[tuple[str, int], Partition], rules: Rules) -> list[int]:
        """The errors of its response: of every set that lacks acknowledgements, that its time is over. The leader has
        it all the same, and it may yet come to the others."""
        none = int(rules.no_error)
        return [none if enough else REQUEST_TIMED_OUT for enough in self._acknowledged(partitions, rules)]

    def _acknowledged(self, partitions: Mapping[tuple[str, int], Partition], rules: Rules) -> list[bool]:
        return [enough_acks(self.required_acks, partitions[place], end, rules) for place, end in self.ends]


def fetch_is_due(available: Iterable[int], min_bytes: int, max_wait: int, came: int, now: int) -> bool:
    """Whether a fetch that came at the time `came` is answered now: min_bytes are there, counting all its topics
    together (`available` has the bytes of each); or max_wait has passed."""
    return sum(available) >= min_bytes or now - came >= max_wait
