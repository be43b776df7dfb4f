"""Rules about answers that come later: what was answered stays, what was written is there, what was created is so.

Two answers are compared only if the later one was asked after the earlier one had come: what is under way at the same
time may be answered in any order. Where a topic is created or deleted, all that was known of topics is forgotten.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from wireproof.conformance.agreement.answered import answered_partitions, asked_partitions, topic_key
from wireproof.conformance.agreement.exchange import Body, Exchange, Rule

_NONE = -1
_NO_ID = uuid.UUID(int=0)
_LATEST, _EARLIEST = -1, -2
#: What is told of something, by an exchange.
Fact = tuple[Exchange, Any]


def _lives(exchanges: Sequence[Exchange]) -> Iterator[list[Exchange]]:
    """The exchanges between two that create or delete topics; one that creates is the first of the next life."""
    life: list[Exchange] = []
    for one in exchanges:
        if one.api in ("CreateTopics", "DeleteTopics"):
            yield life
            life = []
        life.append(one)
    yield life


def _names(life: Sequence[Exchange]) -> dict[Hashable, str]:
    """Topic ids → names, as far as they are told."""
    found: dict[Hashable, str] = {}
    for _, name, told in _ids(life):
        found.setdefault(told, name)
    return found


def _ids(life: Sequence[Exchange]) -> Iterator[tuple[Exchange, str, uuid.UUID]]:
    for one in life:
        if one.api in ("Metadata", "CreateTopics"):
            for topic in one.answer["Topics"]:
                told = topic.get("TopicId", _NO_ID)
                if not topic["ErrorCode"] and told != _NO_ID and topic.get("Name") is not None:
                    yield one, topic["Name"], told


def _ids_stay(exchanges: Sequence[Exchange]) -> Iterator[str]:
    for life in _lives(exchanges):
        known: dict[str, uuid.UUID] = {}
        for one, name, told in _ids(life):
            if known.setdefault(name, told) != told:
                yield f"{one.named}: the id of {name!r} is {told}, and was {known[name]}"


def _falling(facts: Iterator[tuple[Exchange, Hashable, int]], what: str) -> Iterator[str]:
    """Numbers that are smaller than one that was told before."""
    known: dict[Hashable, list[tuple[Exchange, int]]] = defaultdict(list)
    for one, key, value in facts:
        earlier = max((told for other, told in known[key] if other.before(one)), default=value)
        if value < earlier:
            yield f"{one.named}: {what} of {key} is {value}, and was {earlier} before"
        known[key].append((one, value))


def _epochs(life: Sequence[Exchange]) -> Iterator[tuple[Exchange, Hashable, int]]:
    for one in life:
        if one.api == "Metadata":
            for topic in one.answer["Topics"]:
                for partition in topic["Partitions"]:
                    if not partition["ErrorCode"] and partition.get("LeaderEpoch", _NONE) >= 0:
                        yield one, (topic["Name"], partition["PartitionIndex"]), partition["LeaderEpoch"]


def _epochs_stay(exchanges: Sequence[Exchange]) -> Iterator[str]:
    for life in _lives(exchanges):
        yield from _falling(_epochs(life), "the leader's epoch")


def _told(life: Sequence[Exchange], api: str, field: str) -> Iterator[tuple[Exchange, Hashable, int]]:
    """A field of each partition that is answered without an error, where it is no -1."""
    names = _names(life)
    for one in life:
        if one.api == api and not one.answer.get("ErrorCode"):
            for topic, index, told in answered_partitions(one):
                if not told["ErrorCode"] and told.get(field, _NONE) >= 0:
                    yield one, (names.get(topic, topic), index), told[field]


def _listed(life: Sequence[Exchange], time: int) -> Iterator[tuple[Exchange, Hashable, int]]:
    """The answers of ListOffsets about one special time; without isolation, and not to a replica."""
    for one, key, offset in _told(life, "ListOffsets", "Offset"):
        if one.request.get("IsolationLevel", 0) or one.request["ReplicaId"] != _NONE:
            continue
        if [asked["Timestamp"] for topic, index, asked in asked_partitions(one) if (topic, index) == key] == [time]:
            yield one, key, offset


def _in_order(*facts: Iterator[tuple[Exchange, Hashable, int]]) -> Iterator[tuple[Exchange, Hashable, int]]:
    yield from sorted((fact for each in facts for fact in each), key=lambda fact: fact[0].answered)


def _watermarks(life: Sequence[Exchange]) -> Iterator[tuple[Exchange, Hashable, int]]:
    return _in_order(_told(life, "Fetch", "HighWatermark"), _listed(life, _LATEST))


def _starts(life: Sequence[Exchange]) -> Iterator[tuple[Exchange, Hashable, int]]:
    told = ((api, "LowWatermark" if api == "DeleteRecords" else "LogStartOffset") for api in _STARTS)
    return _in_order(*(_told(life, *each) for each in told), _listed(life, _EARLIEST))


_STARTS = ("Fetch", "Produce", "DeleteRecords")


def _each_life(look: Callable[[Sequence[Exchange]], Iterator[str]]) -> Callable[[Sequence[Exchange]], Iterator[str]]:
    def all_lives(exchanges: Sequence[Exchange]) -> Iterator[str]:
        for life in _lives(exchanges):
            yield from look(life)

    return all_lives


@_each_life
def _watermarks_stay(life: Sequence[Exchange]) -> Iterator[str]:
    yield from _falling(_watermarks(life), "the high watermark")


@_each_life
def _starts_stay(life: Sequence[Exchange]) -> Iterator[str]:
    yield from _falling(_starts(life), "the log start")


@_each_life
def _starts_are_below_ends(life: Sequence[Exchange]) -> Iterator[str]:
    starts = [*_starts(life)]
    for one, key, end in _watermarks(life):
        before = max((start for other, where, start in starts if where == key and other.before(one)), default=end)
        if before > end:
            yield f"{one.named}: the high watermark of {key} is {end}, the log began at {before} before"


@_each_life
def _written_is_there(life: Sequence[Exchange]) -> Iterator[str]:
    """What all in-sync replicas have acknowledged is below the high watermark."""
    written = [fact for fact in _told(life, "Produce", "BaseOffset") if fact[0].request["Acks"] == _NONE]
    for one, key, end in _watermarks(life):
        base = max((base for other, where, base in written if where == key and other.before(one)), default=end - 1)
        if base >= end:
            yield f"{one.named}: the high watermark of {key} is {end}, a batch was written at {base} before"


def _partitions_of_created(exchanges: Sequence[Exchange]) -> Iterator[str]:
    for life in _lives(exchanges):
        made: dict[str, int] = {}
        for one in life:
            if one.api == "CreateTopics" and not one.request.get("validateOnly"):
                failed = {topic["Name"] for topic in one.answer["Topics"] if topic["ErrorCode"]}
                wanted = ((topic["Name"], topic["NumPartitions"]) for topic in one.request["Topics"])
                made = {name: number for name, number in wanted if name not in failed and number > 0}
            elif one.api == "CreatePartitions":
                made = {}
            elif one.api == "Metadata":
                for topic in one.answer["Topics"]:
                    number, told = made.get(topic.get("Name"), 0), len(topic["Partitions"])
                    if number and not topic["ErrorCode"] and told != number:
                        yield f"{one.named}: {topic['Name']!r} has {told} partitions, and was created with {number}"


def _coordinators(exchanges: Sequence[Exchange]) -> Iterator[str]:
    listed = [{broker["NodeId"] for broker in one.answer["Brokers"]} for one in exchanges if one.api == "Metadata"]
    for one in exchanges:
        if one.api == "FindCoordinator" and listed:
            for told in one.answer.get("Coordinators", [one.answer]):
                if not told["ErrorCode"] and all(told["NodeId"] not in brokers for brokers in listed):
                    yield f"{one.named}: the coordinator {told['NodeId']} is in no list of brokers"


#: Apis beside OffsetCommit that change what is committed.
_CHANGE_OFFSETS = frozenset({"TxnOffsetCommit", "OffsetDelete", "DeleteGroups"})


def _committed(exchanges: Sequence[Exchange]) -> Iterator[tuple[Exchange, Hashable, Body]]:
    """What was committed, by group and partition."""
    for one in exchanges:
        if one.api == "OffsetCommit":
            asked = {(topic, index): body for topic, index, body in asked_partitions(one)}
            for topic, index, told in answered_partitions(one):
                if not told["ErrorCode"] and (topic, index) in asked:
                    yield one, (one.request["GroupId"], topic, index), asked[topic, index]


def _fetched(exchanges: Sequence[Exchange]) -> Iterator[tuple[Exchange, Hashable, Body]]:
    for one in exchanges:
        if one.api == "OffsetFetch":
            groups = one.answer.get("Groups") or [{**one.answer, "GroupId": one.request.get("GroupId")}]
            for group in groups:
                for topic in group["Topics"] if not group.get("ErrorCode") else ():
                    for told in topic["Partitions"]:
                        if not told["ErrorCode"]:
                            yield one, (group["GroupId"], topic_key(topic), told["PartitionIndex"]), told


def _offsets_stay(exchanges: Sequence[Exchange]) -> Iterator[str]:
    if any(one.api in _CHANGE_OFFSETS for one in exchanges):
        return
    committed = [*_committed(exchanges)]
    for one, key, told in _fetched(exchanges):
        here = [(other, body) for other, where, body in committed if where == key]
        before = [body for other, body in here if other.before(one)]
        if not before or len(before) != sum(not one.before(other) for other, _ in here):
            continue  # one was under way
        wanted = before[-1]
        if told["CommittedOffset"] != wanted["CommittedOffset"]:
            yield f"{one.named}: of {key} {told['CommittedOffset']} is told, {wanted['CommittedOffset']} was committed"
        elif (told["Metadata"] or "") != (wanted["CommittedMetadata"] or ""):
            yield f"{one.named}: the metadata of {key} is not what was committed"
        elif told.get("CommittedLeaderEpoch", _NONE) not in (wanted.get("CommittedLeaderEpoch", _NONE), _NONE):
            yield f"{one.named}: of {key} the epoch {told['CommittedLeaderEpoch']} is told, another one was committed"


RULES = (
    Rule(
        "ids-stay",
        "a topic keeps its id",
        "KIP-516",
        _ids_stay,
    ),
    Rule(
        "epochs-stay",
        "the leader's epoch does not fall",
        "KIP-320",
        _epochs_stay,
    ),
    Rule(
        "watermarks-stay",
        "the high watermark does not fall, in Fetch and ListOffsets together",
        "the schemas of Fetch and ListOffsets",
        _watermarks_stay,
    ),
    Rule(
        "starts-stay",
        "the log start does not fall, in Fetch, Produce, DeleteRecords and ListOffsets together",
        "KIP-107",
        _starts_stay,
    ),
    Rule(
        "starts-are-below-ends",
        "the log does not begin behind its end",
        "KIP-107",
        _starts_are_below_ends,
    ),
    Rule(
        "written-is-there",
        "what all in-sync replicas have acknowledged is below the high watermark",
        "schema ProduceRequest: acks -1 for the full ISR",
        _written_is_there,
    ),
    Rule(
        "created-is-described",
        "a new topic has as many partitions as were asked for",
        "schema CreateTopicsRequest: NumPartitions",
        _partitions_of_created,
    ),
    Rule(
        "coordinators-are-listed",
        "a coordinator is among the brokers",
        "schema FindCoordinatorResponse: the node id of a broker",
        _coordinators,
    ),
    Rule(
        "committed-is-fetched",
        "the offset that was committed last is fetched, with its metadata and its epoch",
        "schema OffsetFetchResponse",
        _offsets_stay,
    ),
)
