"""All tables of the pipeline: their columns, types, meanings and units. `docs/reference/tables.md` is made from this.

Bytes are binary, times are in milliseconds since 1970 (UTC), names of columns end with their unit where they have one.
A value whose type varies is JSON, in the value encoding of the contract.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `meaning`: for a person, with the unit."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what one row is, and its columns."""

    name: str
    row: str
    columns: tuple[Column, ...]

    @property
    def arrow(self) -> pa.Schema:
        """Its schema for Arrow."""
        return pa.schema([pa.field(one.name, one.type, one.nullable) for one in self.columns])

    @property
    def spark(self) -> StructType:
        """Its schema for Spark."""
        return spark_schema(self.arrow)


def spark_schema(schema: pa.Schema) -> StructType:
    """An Arrow schema for Spark."""
    return from_arrow_schema(schema)


_QUESTION = (
    Column("id", pa.string(), "the case's id: `wireproof repro ID` asks it again"),
    Column("dialect", pa.string(), "the dialect"),
    Column("area", pa.string(), "the area"),
    Column("type", pa.string(), "the type's name; null for ops without a type", nullable=True),
    Column("version", pa.int32(), "the type's version; null for a type without versions", nullable=True),
    Column("op", pa.string(), "what is asked: decode, encode, recode or produce"),
)

CASES = Table(
    "cases",
    "a generated case",
    (
        Column("number", pa.int64(), "its number, from 0; with the seed it decides everything else"),
        Column("seed", pa.int64(), "the seed of the run"),
        *_QUESTION,
        Column("kind", pa.string(), "valid, boundary (the simplest values and borders only) or mutated"),
        Column(
            "mutation", pa.string(), "the name of the one change; null if the bytes were not changed", nullable=True
        ),
        Column("size_bytes", pa.int64(), "the length of the input, in bytes"),
    ),
)

VERDICTS = Table(
    "verdicts",
    "the verdict on one case for one implementation",
    (
        Column("number", pa.int64(), "the case's number in `cases`"),
        *_QUESTION,
        Column("kind", pa.string(), "the kind of the case, as in `cases`"),
        Column("size_bytes", pa.int64(), "the length of the input, in bytes"),
        Column("implementation", pa.string(), "the implementation's name, as it describes itself"),
        Column("implementation_version", pa.string(), "its version; null if it gives none", nullable=True),
        Column("spec", pa.string(), "the implementation as given to --impl"),
        Column(
            "verdict",
            pa.string(),
            "pass, contested, skip, fail, crash, hang, oom, protocol-violation, not-asked, unsteady",
        ),
        Column("failure", pa.string(), "of a fail: refused-valid, accepted-invalid, wrong-value, …", nullable=True),
        Column("reason", pa.string(), "the reason that the implementation gave", nullable=True),
        Column("offset_bytes", pa.int64(), "the offset that it gave, in bytes of the input", nullable=True),
        Column("demanded", pa.string(), "the reason for which the input has to be refused", nullable=True),
        Column("ground", pa.string(), "the ruling behind that", nullable=True),
        Column("place", pa.string(), "the place in the type; empty if none is known"),
        Column("error", pa.string(), "the class of an exception, a signal or a limit; empty without one"),
        Column("frame", pa.string(), "where the implementation raised it; empty if that is not known"),
        Column("detail", pa.string(), "what happened, for a person; cut after 2,000 characters"),
        Column("rulings", pa.list_(pa.string()), "the rulings under which it is contested"),
    ),
)

ERRORS = Table(
    "errors",
    "a row or a place that a job could not use",
    (
        Column("stage", pa.string(), "the stage of the job"),
        Column("place", pa.string(), "the case's number, or the file and offset"),
        Column("reason", pa.string(), "why it could not be used"),
    ),
)

FINDINGS = Table(
    "findings",
    "deviations that look like one cause, of one implementation and version",
    (
        Column("signature", pa.string(), "what its deviations have in common, as JSON; the same in each run"),
        Column("summary", pa.string(), "the same in one line, for a person"),
        Column("spec", pa.string(), "the implementation as given to --impl"),
        Column("implementation", pa.string(), "the implementation's name"),
        Column("implementation_version", pa.string(), "its version", nullable=True),
        Column("dialect", pa.string(), "the dialect"),
        Column("count", pa.int64(), "the number of deviating cases"),
        Column("smallest_id", pa.string(), "the id of the case with the shortest input"),
        Column("smallest_bytes", pa.int64(), "the length of that input, in bytes"),
        Column("first_seen_ms", pa.timestamp("ms", "UTC"), "when the run that found it began"),
        Column("known", pa.string(), "the name of the known deviation; null for a new one", nullable=True),
    ),
)

BUCKETS = Table(
    "buckets",
    "findings of several runs, campaigns and reports that look like one cause",
    (
        Column("signature", pa.string(), "what the deviations have in common, as JSON; the same in each run"),
        Column("summary", pa.string(), "the same in one line, for a person"),
        Column("dialect", pa.string(), "the dialect"),
        Column("count", pa.int64(), "the number of deviating cases, over all sources"),
        Column("smallest_id", pa.string(), "the id of the case with the shortest input"),
        Column(
            "first_seen_ms",
            pa.timestamp("ms", "UTC"),
            "when a run or campaign first had it; null if no source says",
            nullable=True,
        ),
        Column("implementations", pa.list_(pa.string()), "the implementations that have it, each with its version"),
        Column("sources", pa.list_(pa.string()), "the folders and files that have it"),
        Column("known", pa.bool_(), "whether every source names it as a known deviation"),
    ),
)

SUMMARY = Table(
    "summary",
    "the verdicts of one run, counted",
    (
        Column("spec", pa.string(), "the implementation as given to --impl"),
        Column("implementation", pa.string(), "the implementation's name"),
        Column("implementation_version", pa.string(), "its version", nullable=True),
        Column("dialect", pa.string(), "the dialect"),
        Column("area", pa.string(), "the area"),
        Column("verdict", pa.string(), "the verdict"),
        Column("count", pa.int64(), "the number of cases with this verdict"),
    ),
)

CHANGES = Table(
    "changes",
    "a case whose verdict is another than in an earlier run",
    (
        Column("change", pa.string(), "mended, broken, or new: it deviates, and the earlier run did not ask it"),
        Column("spec", pa.string(), "the implementation as given to --impl"),
        Column("implementation", pa.string(), "the implementation's name"),
        Column("id", pa.string(), "the case's id"),
        Column("verdict", pa.string(), "the verdict of this run"),
        Column("verdict_before", pa.string(), "the verdict of the earlier run", nullable=True),
    ),
)

_INPUT = (
    Column("target", pa.string(), "the fuzz target"),
    Column("dialect", pa.string(), "the dialect"),
    Column("path", pa.string(), "the input's file"),
)

INPUTS = Table("inputs", "an input of a fuzz campaign", _INPUT)

REACHED = Table(
    "reached",
    "an input that was run (`feature` is null), or the smallest input of a share that has a feature",
    (
        *_INPUT,
        Column("feature", pa.int64(), "a feature of coverage, as a digest of what was reached", nullable=True),
        Column("size_bytes", pa.int64(), "the length of the input, in bytes"),
        Column("problem", pa.string(), "why the input could not be used", nullable=True),
    ),
)

_HEADERS = pa.list_(pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())]))

_IN_A_FILE = (
    Column("file", pa.string(), "the file's path"),
    Column("file_offset_bytes", pa.int64(), "the offset of the batch or message in the file, in bytes"),
)

_JUDGED = (
    Column(
        "verdict",
        pa.string(),
        "pass, fail, contested (Kafka's own classes read it), torn-tail (cut off by the end), unmatched (its "
        "counterpart is missing), unreadable (not judged)",
    ),
    Column("reason", pa.string(), "why it is wrong; null for a pass", nullable=True),
    Column("error_offset_bytes", pa.int64(), "where it is wrong, in bytes from the file's start", nullable=True),
    Column("detail", pa.string(), "what is wrong, for a person; empty for a pass"),
)

BATCHES = Table(
    "batches",
    "a record batch, or a message of an older format, in a log segment",
    (
        *_IN_A_FILE,
        Column("topic", pa.string(), "the topic, from the folder's name; null if that has none", nullable=True),
        Column("partition", pa.int32(), "the partition, from the folder's name", nullable=True),
        Column("size_bytes", pa.int64(), "its length in the file, in bytes"),
        Column("magic", pa.int8(), "0 and 1: messages, 2: record batches", nullable=True),
        Column("base_offset", pa.int64(), "the offset in its header", nullable=True),
        Column("last_offset", pa.int64(), "the offset of its last record", nullable=True),
        Column("compression", pa.string(), "none, gzip, snappy, lz4 or zstd", nullable=True),
        Column("is_control", pa.bool_(), "whether it is a control batch", nullable=True),
        Column("is_transactional", pa.bool_(), "whether it is part of a transaction", nullable=True),
        Column("producer_id", pa.int64(), "the producer's id", nullable=True),
        Column("records", pa.int32(), "the number of records that its header gives", nullable=True),
        *_JUDGED,
    ),
)

RECORDS = Table(
    "records",
    "a record in a log segment, with the header and the verdict of its batch",
    (
        *_IN_A_FILE,
        Column("topic", pa.string(), "the topic, from the folder's name", nullable=True),
        Column("partition", pa.int32(), "the partition, from the folder's name", nullable=True),
        Column("magic", pa.int8(), "the format of its batch", nullable=True),
        Column("base_offset", pa.int64(), "the offset in the batch's header", nullable=True),
        Column("compression", pa.string(), "of its batch", nullable=True),
        Column("is_control", pa.bool_(), "of its batch", nullable=True),
        Column("is_transactional", pa.bool_(), "of its batch", nullable=True),
        Column("producer_id", pa.int64(), "of its batch", nullable=True),
        Column("offset", pa.int64(), "the record's offset; null in the one row of a malformed batch", nullable=True),
        Column("timestamp_ms", pa.int64(), "its timestamp, in milliseconds; null in magic 0", nullable=True),
        Column("key_size_bytes", pa.int32(), "the length of its key; null for a null key", nullable=True),
        Column("value_size_bytes", pa.int32(), "the length of its value; null for a null value", nullable=True),
        Column("key", pa.binary(), "its key; null as on the wire, or when redacted", nullable=True),
        Column("value", pa.binary(), "its value; null as on the wire, or when redacted", nullable=True),
        Column("headers", _HEADERS, "its headers, in the order of the wire; a key may repeat", nullable=True),
        *_JUDGED,
    ),
)

FRAMES = Table(
    "frames",
    "a request or a response in a capture or a folder of frames",
    (
        Column("file", pa.string(), "the file's path"),
        Column(
            "connection",
            pa.string(),
            "client and broker, `address:port > address:port`; null for a plain file",
            nullable=True,
        ),
        Column(
            "file_offset_bytes",
            pa.int64(),
            "the offset of its first byte: in the stream of its direction, or in the file",
        ),
        Column(
            "time_ms",
            pa.timestamp("ms", "UTC"),
            "when its last byte was captured; null beyond the year 9999",
            nullable=True,
        ),
        Column("direction", pa.string(), "request or response"),
        Column("api_key", pa.int32(), "the api key", nullable=True),
        Column("api", pa.string(), "the api's name", nullable=True),
        Column("version", pa.int32(), "the version", nullable=True),
        Column("correlation_id", pa.int32(), "the correlation id", nullable=True),
        Column("size_bytes", pa.int64(), "its length, without the size, in bytes"),
        Column("bytes", pa.binary(), "the frame, without the size; null under --redact", nullable=True),
        *_JUDGED,
    ),
)

#: All tables, in the order of their page.
#: The tables that jobs write. INPUTS and REACHED only go from one stage to the next.
ALL = (CASES, VERDICTS, SUMMARY, CHANGES, FINDINGS, BUCKETS, ERRORS, BATCHES, RECORDS, FRAMES)
