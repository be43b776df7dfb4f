"""What an application is given of a partition's records, as a Fetch answer holds them, and where it reads on.

Batches and messages are read one after another. Delivered are the records from the position on, with absolute offsets.
Control records are never delivered; under `read_committed` neither are those of aborted transactions: an entry of the
list of aborted transactions holds for its producer from its first offset to the next marker that aborts.
With LogAppendTime all records of a batch or a wrapper have its one timestamp. The position is behind each whole batch,
also if nothing of it is delivered (R-K-20), and stays before a cut or a broken one (R-K-39). It does not go back behind
batches that end before it (R-K-38).

Source: the Kafka protocol guide, Record Batch, Control Batches, Old Message Format; KIP-98, Consumer; KIP-31; KIP-32.
"""

from __future__ import annotations

import contextlib
import dataclasses
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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
    transactions = _Transactions(aborted if isolation == READ_COMMITTED else ())
    delivered: list[dict[str, Any]] = []
    read_any = False
    entry_at = 0
    reader = Reader(data, rules)
    try:
        for entry in entries(reader):
            read_any = True
            records, following = _of_batch(entry, transactions) if entry["magic"] == MAGIC else _of_message(entry)
            delivered += (record for record in records if record["offset"] >= position)
            position = following if rules.earlier_batches == "go-back" else max(position, following)
            entry_at = reader.pos
    except DecodeError:
        before = _before_the_fault(data[entry_at:], transactions, rules)
        before = [record for record in before if record["offset"] >= position]
        if rules.broken_batch == "refused" or not (read_any or before):
            raise
        delivered += before
        position = before[-1]["offset"] + 1 if before else position
    if data and not read_any and not delivered and rules.cut_alone == "refused":
        raise DecodeError(Reason.TRUNCATED, "no batch of it is whole", 0)
    return {"records": delivered, "position": position}


def _before_the_fault(data: bytes, transactions: _Transactions, rules: Rules) -> list[dict[str, Any]]:
    """R-K-39 ‡: nothing of a broken batch is delivered; before-the-fault: its records up to there."""
    records: list[dict[str, Any]] = []
    if rules.broken_batch != "before-the-fault":
        return records
    with contextlib.suppress(DecodeError):
        batch, window = read_head(Reader(data, rules))
        batch["records"] = records
        for record in read_records(window, batch["attributes"] & MASK):
            records.append(record)  # noqa: PERF402 (those before a DecodeError are kept)
    return [*_of_batch(batch, transactions)[0]] if records else []


def _of_batch(batch: Entry, transactions: _Transactions) -> tuple[Iterator[dict[str, Any]], int]:
    """A batch's records that are delivered, and the offset behind it."""
    out = transactions.takes_out(batch) or batch["attributes"] & CONTROL
    return _records(() if out else batch["records"], batch), _last_offset(batch) + 1


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


def _last_offset(batch: Entry) -> int:
    last: int = batch["baseOffset"] + batch["lastOffsetDelta"]
    return last


def _control_type(record: Entry) -> int | None:
    """A control record's type; None where its key is too short for one."""
    key = record["key"]
    return None if key is None or len(key) < 4 else int(struct.unpack_from(">hh", key)[1])
