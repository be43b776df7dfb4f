"""Records: the formats of what Produce and Fetch carry, one module a format.

record       a record of magic 2: varints, headers
batch        a batch of records: magic 2
message_set  messages of magic 0 and 1, alone and in compressed wrappers
record_set   batches and messages of any magic, one after another
compression  gzip, snappy, lz4, zstd, with a bound
control      what the records of a control batch say
convert      one format into another, and what is lost
"""

from __future__ import annotations

from collections.abc import Mapping

#: type name → (lowest, highest) version; a MessageSet's version is its magic.
TYPES: Mapping[str, tuple[int, int] | None] = {
    "Record": None,
    "RecordBatch": None,
    "RecordSet": None,
    "MessageSet": (0, 1),
}
