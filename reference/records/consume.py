"""What an application is given of a partition's records, as a Fetch answer holds them, and where it reads on.

Batches and messages are read one after another. Delivered are the records from the position on, with absolute offsets.
Control records are never delivered; under `read_committed` neither are those of aborted transactions: an entry of the
list of aborted transactions holds for its producer from its first offset to the next marker that aborts.
With LogAppendTime all records of a batch or a wrapper have its one timestamp. The position is behind each whole batch,
also if nothing of it is delivered (R-K-20, R-K-45), and stays before a cut (R-K-42) or a broken one (R-K-39). It does
not go back behind batches that end before it (R-K-38). Entries of any magic follow each other (R-K-43).

Source: the Kafka protocol guide, Record Batch, Control Batches, Old Message Format; KIP-98, Consumer; KIP-31; KIP-32.
"""

from __future__ import annotations

import contextlib
import dataclasses
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from crc32c import crc32c

from wireproof.reference.cursor import Reader
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.records import LOG_APPEND_TIME
from wireproof.reference.records.batch import MAGIC, read_head, read_records
from wireproof.reference.records.compression import MASK
from wireproof.reference.records.control import CONTROL
from wireproof.reference.records.convert import NO_TIMESTAMP, TRANSACTIONAL
from wireproof.reference.records.record_set import entries
from wireproof.reference.rules import Rules

#: The values of `isolation`.
READ_UNCOMMITTED, READ_COMMITTED = ISOLATIONS = ("read_uncommitted", "read_committed")
#: The values of `timestamp_type`; a message of magic 0 has none.
CREATE, APPEND = "create", "append"
#: The type of the control record that aborts a transaction.
_ABORT = 0
#: Where a batch's CRC stands, and where the bytes begin that it covers, and those that batchLength counts.
_CRC_AT, _COVERED_FROM, _COUNTED_FROM = 17, 21, 12

Entry = Mapping[str, Any]


class _Transactions:
    """The aborted transactions, in the order of the batches. `aborted`: as `consume` has them."""

    def __init__(self, aborted: Iterable[Mapping[str, int]]) -> None:
        self._later = sorted(aborted, key=lambda one: one["first_offset"], reverse=True)
        self._open: set[int] = set()

    def takes_out(self, batch: Entry) -> bool:
        """Whether a batch belongs to an aborted transaction."""
        while self._later and self._later[-1]["first_offset"] <= _last_offset(batch):
            self._open.add(self._later.pop()["producer_id"])
        if batch["attributes"] & CONTROL:
            if any(_control_type(record) == _ABORT for record in batch["records"]):
                self._open.discard(batch["producerId"])
            return False
        return bool(batch["attributes"] & TRANSACTIONAL) and batch["producerId"] in self._open


def consume(
    data: bytes, position: int, isolation: str, aborted: Sequence[Mapping[str, int]], rules: Rules
) -> dict[str, Any]:
    """`{"records": […], "position": n}`. `aborted`: `{"producer_id", "first_offset"}` each, as a Fetch answer lists
    them. Raises DecodeError if the first batch is broken."""
    rules = dataclasses.replace(rules, wrapped_messages="wrapper")
    listed = isolation == READ_COMMITTED or rules.aborted_list == "always"
    partition = _Partition(position, _Transactions(aborted if listed else ()), rules)
    at = 0
    while True:
        reader = Reader(data[at:], rules)
        begun = at
        try:
            for entry in entries(reader):
                if partition.is_of_another_format(entry):
                    return partition.answer()
                partition.take(entry)
                at = begun + reader.pos
            break
        except DecodeError:
            passed = partition.size_of_unread(data[at:])
            if not passed:
                if not partition.takes_before_the_fault(data[at:]):
                    raise
                return partition.answer()
            at += passed
    if rules.cut_batch == "whole-records":
        partition.take_cut(data[at:])
    if data and not partition.read_any and rules.cut_alone == "refused":
        raise DecodeError(Reason.TRUNCATED, "no batch of it is whole", 0)
    return partition.answer()


class _Partition:
    """What a consumer has been given so far, and where it reads on."""

    def __init__(self, position: int, transactions: _Transactions, rules: Rules) -> None:
        self.read_any = False
        self._begun = self._position = position
        self._transactions = transactions
        self._rules = rules
        self._delivered: list[dict[str, Any]] = []
        self._last: Entry = {}

    def answer(self) -> dict[str, Any]:
        """The answer of `consume`."""
        position = self._position
        if self._rules.compacted_end == "behind-the-last-record" and position == self._begun and self._ends_later():
            position += 1
        return {"records": self._delivered, "position": position}

    def _ends_later(self) -> bool:
        """Whether a batch was read that ends at the position or later."""
        return self._last.get("magic") == MAGIC and _last_offset(self._last) >= self._position

    def is_of_another_format(self, entry: Entry) -> bool:
        """R-K-43 ‡: each entry is read by its own magic; first-alone: a set ends where the format changes."""
        both = {entry["magic"], self._last.get("magic", entry["magic"])}
        return self._rules.mixed_formats == "first-alone" and MAGIC in both and len(both) > 1

    def take(self, entry: Entry) -> None:
        """Deliver what an entry holds for this consumer."""
        self.read_any, self._last = True, entry
        if entry["magic"] != MAGIC:
            return self._deliver(*_of_message(entry))
        records = _of_batch(entry, self._transactions)
        return self._deliver(records, self._behind(entry))

    def _behind(self, batch: Entry) -> int:
        """R-K-45 ‡: the position is behind the batch; behind-the-last-record: behind the last one that it still has."""
        if self._rules.compacted_end == "behind-the-batch":
            return _last_offset(batch) + 1
        return _behind_the_last_record(batch) if batch["records"] else self._position

    def _deliver(self, records: Iterable[dict[str, Any]], following: int) -> None:
        self._delivered += (record for record in records if record["offset"] >= self._position)
        self._position = following if self._rules.earlier_batches == "go-back" else max(self._position, following)

    def size_of_unread(self, data: bytes) -> int:
        """R-K-39 ‡, unread: the size of a broken batch that is passed by its header, because nothing of it would be
        delivered. Any other broken batch: 0."""
        batch, size = _up_to_its_fault(data, self._rules)
        if self._rules.broken_batch != "unread" or batch is None:
            return 0
        if not (self._transactions.takes_out(batch) or batch["attributes"] & CONTROL):
            return 0
        self.read_any, self._last = True, {"magic": MAGIC, **batch}
        self._deliver((), _last_offset(batch) + 1)
        return size

    def takes_before_the_fault(self, data: bytes) -> bool:
        """R-K-39 ‡: nothing of a broken batch is delivered, and it is refused if it is the first one. refused: always;
        before-the-fault: its records up to there are delivered. False if it is refused."""
        broken = self._rules.broken_batch
        batch, _ = _up_to_its_fault(data, self._rules)
        before = batch is not None and broken == "before-the-fault" and batch["records"]
        if broken == "refused" or not (self.read_any or before):
            return False
        if batch is not None and before:
            self._deliver(_of_batch(batch, self._transactions), _behind_the_last_record(batch))
        return True

    def take_cut(self, data: bytes) -> None:
        """R-K-42 ‡, whole-records: those of a batch that is cut are delivered, though its CRC says nothing yet."""
        batch, _ = _up_to_its_fault(_as_if_whole(data), self._rules)
        if batch is not None and batch["records"]:
            self.read_any = True
            self._deliver(_of_batch(batch, self._transactions), _behind_the_last_record(batch))


def _up_to_its_fault(data: bytes, rules: Rules) -> tuple[dict[str, Any] | None, int]:
    """A batch with its records up to a fault in them, and its size; None if its header is broken too."""
    records: list[dict[str, Any]] = []
    try:
        batch, window = read_head(Reader(data, rules))
    except DecodeError:
        return None, 0
    size = window.end
    with contextlib.suppress(DecodeError):
        for record in read_records(window, batch["attributes"] & MASK, trusts_count=True):
            records.append(record)  # noqa: PERF402 (those before a DecodeError are kept)
    return {**batch, "records": records}, size


def _as_if_whole(data: bytes) -> bytes:
    """A batch that is cut, with the length and the CRC of what is there."""
    covered = data[_COVERED_FROM:]
    length = (len(data) - _COUNTED_FROM).to_bytes(4, "big", signed=True)
    crc = crc32c(covered).to_bytes(4, "big")
    return data[:8] + length + data[_COUNTED_FROM:_CRC_AT] + crc + covered


def _of_batch(batch: Entry, transactions: _Transactions) -> Iterator[dict[str, Any]]:
    """A batch's records that are delivered."""
    out = transactions.takes_out(batch) or batch["attributes"] & CONTROL
    return _records(() if out else batch["records"], batch)


def _records(records: Iterable[Entry], batch: Entry) -> Iterator[dict[str, Any]]:
    appended = batch["attributes"] & LOG_APPEND_TIME
    for record in records:
        yield {
            "offset": batch["baseOffset"] + record["offsetDelta"],
            "timestamp": batch["maxTimestamp"] if appended else batch["baseTimestamp"] + record["timestampDelta"],
            "timestamp_type": APPEND if appended else CREATE,
            "key": record["key"],
            "value": record["value"],
            "headers": [*map(list, record["headers"])],
        }


def _of_message(message: Entry) -> tuple[Iterator[dict[str, Any]], int]:
    """The messages that a message is or holds, and the offset behind it."""
    inner: Sequence[Entry] = message.get("messages", (message,))
    appended = message["magic"] == 1 and bool(message["attributes"] & LOG_APPEND_TIME)
    return (_as_record(one, message, appended=appended) for one in inner), max(one["offset"] for one in inner) + 1


def _as_record(one: Entry, outer: Entry, *, appended: bool) -> dict[str, Any]:
    kind = None if outer["magic"] == 0 else APPEND if appended else CREATE
    return {
        "offset": one["offset"],
        "timestamp": outer["timestamp"] if appended else one.get("timestamp", NO_TIMESTAMP),
        "timestamp_type": kind,
        "key": one["key"],
        "value": one["value"],
        "headers": [],
    }


def _behind_the_last_record(batch: Entry) -> int:
    last: int = batch["baseOffset"] + batch["records"][-1]["offsetDelta"]
    return last + 1


def _last_offset(batch: Entry) -> int:
    last: int = batch["baseOffset"] + batch["lastOffsetDelta"]
    return last


def _control_type(record: Entry) -> int | None:
    """A control record's type; None where its key is too short for one."""
    key = record["key"]
    return None if key is None or len(key) < 4 else int(struct.unpack_from(">hh", key)[1])
