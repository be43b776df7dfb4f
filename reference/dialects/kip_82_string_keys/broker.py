"""A broker of the draft: Kafka's, as of the version that the page amends, whose Produce 3 and Fetch 4 carry batches.

What is produced is kept as batches; those of older messages have one message each. A fetch of an older version gets
messages of magic 0 or 1, without headers.
Source: KIP-98 (Produce 3, Fetch 4), on which the page builds; KIP-32, which its section on compatibility follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_string_keys.batch import append_batch, read_batch
from wireproof.reference.dialects.kip_82_string_keys.convert import from_shipped, to_older
from wireproof.reference.peers.broker import FETCH, PRODUCE
from wireproof.reference.records.message_set import read_message_set
from wireproof.reference.records.record_set import append_record_set
from wireproof.reference.rules import Rules

#: api key → the versions that carry older messages or batches.
VERSIONS: Mapping[int, tuple[int, int]] = {PRODUCE: (0, 3), FETCH: (0, 4)}
#: Version → the magic of its messages, where it is an older one.
_OLDER_PRODUCE, _OLDER_FETCH = {0: 0, 1: 0, 2: 1}, {0: 0, 1: 0, 2: 1, 3: 1}


@dataclass(frozen=True, slots=True)
class Batches:
    """The draft's batches, for `reference.peers.converting`."""

    rules: Rules

    def numbered(self, records: bytes, version: int, base: int) -> tuple[bytes, int]:
        """Batches whose messages have the offsets from `base` on. Raises DecodeError, also for messages of a magic that
        is not the version's, and EncodeError."""
        writer, offset = Writer(self.rules), base
        for batch in self._produced(records, version):
            messages = [{**message, "offsetDelta": delta} for delta, message in enumerate(batch["records"])]
            numbers = {"firstOffset": offset, "lastOffsetDelta": len(messages) - 1}
            append_batch(writer, {**batch, **numbers, "records": messages})
            offset += len(messages)
        return bytes(writer.out), offset

    def _produced(self, records: bytes, version: int) -> Iterable[dict[str, Any]]:
        if version not in _OLDER_PRODUCE:
            return self._read(records)
        magic = _OLDER_PRODUCE[version]
        messages = read_message_set(Reader(records, self.rules), magic)
        return from_shipped({"magic": magic, **message} for message in messages).entries

    def as_asked(self, kept: bytes, version: int) -> bytes:
        """The batches, or messages of the magic that this version of Fetch carries."""
        if version not in _OLDER_FETCH:
            return kept
        writer = Writer(self.rules)
        append_record_set(writer, to_older(self._read(kept), _OLDER_FETCH[version]).entries)
        return bytes(writer.out)

    def _read(self, records: bytes) -> list[dict[str, Any]]:
        reader, batches = Reader(records, self.rules), []
        while reader.remaining:
            batches.append(read_batch(reader))
        return batches
