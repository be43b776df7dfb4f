"""When a broker answers: it waits for acknowledgements, or for enough bytes. Times are in ms; the clock is an argument.

The broker beside it asks these. `wireproof serve` and conversations let time pass; of the ops none does.

Source: New wire format proposals, Known Proposals: long poll, acknowledgement count and timeout, replica id; R-WF-4,
R-WF-15.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wireproof.errors import WireproofError
from wireproof.reference.rules import Rules

#: A topic, and the number of one of its partitions.
Place = tuple[str, int]
#: The replica_id of a fetch by a client.
CLIENT = -1
#: required_acks: no answer at all; all replicas that are in sync.
NO_ACKS, ALL_IN_SYNC = 0, -1
#: Error codes: acknowledgements that did not come in time, and invalid required_acks. The page has no codes for them;
#: these are later ones of Kafka's.
REQUEST_TIMED_OUT, INVALID_REQUIRED_ACKS = 7, 21


class MeaninglessError(WireproofError):
    """A required_acks that no number of replicas can meet."""


class BrokerAction(StrEnum):
    """The broker's next action."""

    WAIT = "wait"
    ANSWER = "answer"
    TIMED_OUT = "timed-out"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition as its leader knows it: the end of its own log, and the end of each follower's.

    `in_sync`: the followers that count as in sync.
    """

    end: int
    followers: Mapping[int, int] = field(default_factory=dict)
    in_sync: frozenset[int] = frozenset()

    def fetched(self, replica_id: int, offset: int) -> Partition:
        """The partition after a fetch from `offset`. A replica's fetch acknowledges all messages before the offset; a
        client's acknowledges nothing. Acknowledgements only grow, at most to the leader's end."""
        if replica_id == CLIENT:
            return self
        before = max(self.followers.get(replica_id, 0), min(offset, self.end))
        return dataclasses.replace(self, followers={**self.followers, replica_id: before})

    def acknowledged(self, end: int) -> int:
        """How many replicas, with the leader, have all messages before `end`."""
        return (self.end >= end) + sum(before >= end for before in self.followers.values())

    def all_in_sync_have(self, end: int) -> bool:
        """Whether the leader and all followers in sync have all messages before `end`."""
        return self.end >= end and all(self.followers.get(replica, 0) >= end for replica in self.in_sync)


def enough_acks(required_acks: int, partition: Partition, end: int, rules: Rules) -> bool:
    """Whether a message set that ends at `end` has the acknowledgements that its producer requires (R-WF-4 ‡).

    −1: all replicas in sync; 0: none are needed; n: so many, the leader's the first. Raises MeaninglessError: below −1,
    under the other readings below 0; where a broker closes, above the number of replicas too.
    """
    replicas = 1 + len(partition.followers)
    least = ALL_IN_SYNC if rules.required_acks == "signed" else 0
    if required_acks < least or (rules.required_acks == "replicas-or-closed" and required_acks > replicas):
        raise MeaninglessError(f"required_acks {required_acks} of {replicas} replicas means nothing")
    if required_acks == ALL_IN_SYNC:
        return partition.all_in_sync_have(end)
    return partition.acknowledged(end) >= required_acks


@dataclass(frozen=True, slots=True)
class Produced:
    """An appended produce request. `came`: the time of its arrival; `ends`: for each message set its partition and the
    offset after it."""

    required_acks: int
    ack_timeout: int
    came: float
    ends: tuple[tuple[Place, int], ...]

    def answer(self, partitions: Mapping[Place, Partition], now: float, rules: Rules) -> BrokerAction:
        """NONE with acks 0; ANSWER when every set has its acknowledgements; TIMED_OUT after ack_timeout; until then
        WAIT. Raises MeaninglessError."""
        if self.required_acks == NO_ACKS:
            return BrokerAction.NONE
        if all(self._acknowledged(partitions, rules)):
            return BrokerAction.ANSWER
        return BrokerAction.TIMED_OUT if now - self.came >= self.ack_timeout else BrokerAction.WAIT

    def errors(self, partitions: Mapping[Place, Partition], rules: Rules) -> list[int]:
        """The errors of its response: a time-out for each set that lacks acknowledgements. The leader keeps such a set,
        and other replicas may still fetch it."""
        none = int(rules.no_error)
        return [none if enough else REQUEST_TIMED_OUT for enough in self._acknowledged(partitions, rules)]

    def _acknowledged(self, partitions: Mapping[Place, Partition], rules: Rules) -> list[bool]:
        return [enough_acks(self.required_acks, partitions[place], end, rules) for place, end in self.ends]


def fetch_is_due(available: Iterable[int], min_bytes: int, max_wait: int, came: float, now: float) -> bool:
    """Whether a fetch that arrived at the time `came` is answered now: its topics have min_bytes together (`available`:
    the bytes of each), or max_wait has passed."""
    return sum(available) >= min_bytes or now - came >= max_wait
