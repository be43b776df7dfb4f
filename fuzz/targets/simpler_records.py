"""Simpler sets of records, for the search of what a deviation comes from.

A byte that is changed inside compressed content mostly breaks it. So a set is made simpler as a value, one step at a
time, and written again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference.errors import WireError
from wireproof.reference.records.batch import MAGIC
from wireproof.reference.records.compression import GZIP, MASK

#: The maximum number of sets to try.
TRIES = 60

#: The bits of attributes that mean something, beside the codec.
_BITS = (0x08, 0x10, 0x20, 0x40)

Entry = Mapping[str, Any]
Entries = Sequence[Entry]
#: Whether bytes of a RecordSet deviate.
Deviates = Callable[[bytes], bool]


def simplest(data: bytes, deviates: Deviates) -> bytes:
    """The simplest set of records found that deviates too; `data` if there is none, or if it is no set of records that
    can be read."""
    tried = {data}
    again = True
    while again:
        again = False
        for simpler in _simpler(data):
            if simpler in tried:
                continue
            if len(tried) > TRIES:
                return data
            tried.add(simpler)
            if deviates(simpler):
                data, again = simpler, True
                break
    return data


def _simpler(data: bytes) -> Iterator[bytes]:
    """The sets that are one step simpler."""
    with contextlib.suppress(WireError):
        entries = reference_codec().decode("RecordSet", data, dialect="kafka")
        for fewer in _without_one(entries):
            yield from _written(fewer)
        for index, entry in enumerate(entries):
            for other in _simpler_batch(entry) if entry["magic"] == MAGIC else _simpler_message(entry):
                yield from _written([*entries[:index], other, *entries[index + 1 :]])


def _written(entries: Entries) -> Iterator[bytes]:
    with contextlib.suppress(WireError):
        yield reference_codec().encode("RecordSet", entries, dialect="kafka")


def _without_one(items: Entries) -> Iterator[Entries]:
    """The sequences without one of the items, unless that is all there is; the last one first."""
    for index in reversed(range(len(items) if len(items) > 1 else 0)):
        yield [*items[:index], *items[index + 1 :]]


def _simpler_batch(batch: Entry) -> Iterator[Entry]:
    for attributes in _simpler_attributes(batch["attributes"]):
        yield {**batch, "attributes": attributes}
    for fewer in _without_one(batch["records"]):
        yield {**batch, "records": fewer}
    for name, value in (("partitionLeaderEpoch", 0), ("producerId", -1), ("producerEpoch", -1), ("baseSequence", -1)):
        if batch[name] != value:
            yield {**batch, name: value}
    for index, record in enumerate(batch["records"]):
        for name, none in (("headers", []), ("attributes", 0), ("timestampDelta", 0)):
            if record[name] != none:
                others = batch["records"]
                yield {**batch, "records": [*others[:index], {**record, name: none}, *others[index + 1 :]]}


def _simpler_message(message: Entry) -> Iterator[Entry]:
    for attributes in _simpler_attributes(message["attributes"]):
        if bool(attributes & MASK) == ("messages" in message):
            yield {**message, "attributes": attributes}
    for fewer in _without_one(message.get("messages", ())):
        yield {**message, "messages": fewer, "offset": fewer[-1]["offset"]}


def _simpler_attributes(attributes: int) -> Iterator[int]:
    """Without a codec, or with gzip; and without one of the other bits."""
    codec = attributes & MASK
    yield from (attributes - codec + other for other in (0, GZIP) if other < codec)
    bits = attributes & sum(_BITS)
    yield from (attributes - bit for bit in _BITS if bits & bit)
    if attributes - codec - bits:
        yield codec + bits
