"""Data sources for Spark: `spark.read.format("kafka_segments").load(path)`, after `pipeline.register(spark)`.

| format           | option    | meaning |
|------------------|-----------|---------|
| `kafka_segments` | `rows`    | `records` (by default), or `batches`: a row for each of those |
|                  | `redact`  | `true`: without keys, values and values of headers |
|                  | `rangeMB` | a larger file is read in ranges of at least so many MiB; by default 64 |
| `kafka_frames`   | `redact`  | `true`: without the frames' bytes |
|                  | `ports`   | the brokers' ports, as 9092,9093: then other connections are left out |
| both             | `inflateMB` | a batch that inflates to more MiB is not judged; by default 256 |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from wireproof.pipeline.audit import rows
from wireproof.pipeline.audit.captures.exchange import Frame
from wireproof.pipeline.audit.captures.frames import frames, stream_frames
from wireproof.pipeline.audit.files import CaptureFile, LogFile, find_captures, find_logs, open_bytes
from wireproof.pipeline.audit.findings import unreadable
from wireproof.pipeline.audit.logs import segments
from wireproof.pipeline.audit.logs.batches import Block, Entry, judge
from wireproof.pipeline.audit.logs.segments import Bytes, Range
from wireproof.pipeline.audit.reading import INFLATE_MB, Reading
from wireproof.pipeline.errors import PipelineError
from wireproof.pipeline.tables import BATCHES, FRAMES, RECORDS

#: The names of the formats.
SEGMENTS, CAPTURES = "kafka_segments", "kafka_frames"
#: An option for the job `audit`: the segments, found already, as JSON.
FOUND = "found"
_MIB = 1 << 20
_RANGE_MB = 64
#: At most so many ranges are made, so that the hop over the headers does not take long before the job begins: a
#: larger number of bytes is read in larger ranges.
_MOST_RANGES = 1024
#: Frames in an Arrow batch.
_FRAMES = 1000
_ROWS = {"records": RECORDS, "batches": BATCHES}


@dataclass
class SegmentRange(InputPartition):
    """A range of a segment."""

    log: LogFile
    part: Range


class SegmentSource(DataSource):
    """The format `kafka_segments`."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return SEGMENTS

    def schema(self) -> StructType:
        """The columns, by the option `rows`."""
        return _ROWS[_rows(self.options)].spark

    def reader(self, schema: StructType) -> DataSourceReader:  # noqa: ARG002 (Spark's signature)
        """The reader of these paths."""
        return SegmentReader(self.options)


class SegmentReader(DataSourceReader):
    """Divides the files into ranges, on the driver, and reads them on the executors."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._found = options.get(FOUND)
        self._paths = [] if self._found is not None else paths_of(options)
        self._of_records = _rows(options) == "records"
        self._redact = options.get("redact", "false").lower() == "true"
        self._size = _number(options, "rangeMB", _RANGE_MB) * _MIB
        self._inflate_mb = _number(options, "inflateMB", INFLATE_MB)

    def partitions(self) -> Sequence[SegmentRange]:
        """A range for each task, the largest first. Files of this size or less are not looked into."""
        logs = find_logs(self._paths) if self._found is None else msgspec.json.decode(self._found, type=list[LogFile])
        size = max(self._size, sum(log.size for log in logs) // _MOST_RANGES)
        found = [SegmentRange(log, part) for log in logs for part in _ranges(log, size)]
        return sorted(found, key=lambda one: one.part.start - one.part.end)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a range, as Arrow batches."""
        assert isinstance(partition, SegmentRange)
        log = partition.log
        at = partition.part.start
        try:
            with open_bytes(log.path) as data:
                _demand(data, partition)
                for block in judge(data, partition.part, log.first, log.below, Reading(self._inflate_mb)):
                    yield from self._rows_of(block, log)
                    at = block.entries[-1].end
        except (PipelineError, OSError) as error:
            rest = Entry(at, partition.part.end, trouble=unreadable(error, at))
            yield from self._rows_of(Block([rest]), log)

    def _rows_of(self, block: Block, log: LogFile) -> Iterator[Any]:
        if self._of_records:
            yield from rows.record_rows(block, log, redact=self._redact)
        else:
            yield rows.batch_rows(block, log)


def _demand(data: Bytes, wanted: SegmentRange) -> None:
    """Raises PipelineError if a file does not have all bytes of a range any more."""
    if len(data) < wanted.part.end:
        raise PipelineError(f"{wanted.log.path} became shorter since it was found")


@dataclass
class WholeCapture(InputPartition):
    """A capture. Its connections go through all of it, so it is read by one task."""

    capture: CaptureFile


class CaptureSource(DataSource):
    """The format `kafka_frames`."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return CAPTURES

    def schema(self) -> StructType:
        """The columns."""
        return FRAMES.spark

    def reader(self, schema: StructType) -> DataSourceReader:  # noqa: ARG002 (Spark's signature)
        """The reader of these paths."""
        return CaptureReader(self.options)


class CaptureReader(DataSourceReader):
    """Reads a capture in each task."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._paths = paths_of(options)
        self._redact = options.get("redact", "false").lower() == "true"
        self._ports = _ports(options.get("ports", ""))
        self._inflate_mb = _number(options, "inflateMB", INFLATE_MB)

    def partitions(self) -> Sequence[WholeCapture]:
        """A task for each capture, the largest first."""
        captures = sorted(find_captures(self._paths), key=lambda one: -one.size)
        return [WholeCapture(one) for one in captures]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a capture, as Arrow batches."""
        assert isinstance(partition, WholeCapture)
        some: list[Frame] = []
        size = 0
        for frame in self._frames(partition.capture):
            some.append(frame)
            size += len(frame.content)
            if len(some) >= _FRAMES or size > _MIB:
                yield rows.frame_rows(some, partition.capture, redact=self._redact)
                some, size = [], 0
        if some:
            yield rows.frame_rows(some, partition.capture, redact=self._redact)

    def _frames(self, capture: CaptureFile) -> Iterator[Frame]:
        try:
            yield from self._readable(capture)
        except (PipelineError, OSError) as error:
            yield Frame(None, "request", 0, None, b"", trouble=unreadable(error, 0))

    def _readable(self, capture: CaptureFile) -> Iterator[Frame]:
        reading = Reading(self._inflate_mb)
        if capture.is_packets:
            with open_bytes(capture.path) as data:
                yield from frames(data, capture.path, self._ports, reading)
        else:
            with capture.open_stream("request") as requests, capture.open_stream("response") as responses:
                yield from stream_frames(requests, responses, reading)


def _ports(text: str) -> frozenset[int]:
    words = text.replace(",", " ").split()
    if not all(word.isdecimal() and 0 < int(word) < 1 << 16 for word in words):
        raise PipelineError(f"the option ports is {text!r}; it is a list of ports, as 9092,9093")
    return frozenset(map(int, words))


def _ranges(log: LogFile, size: int) -> list[Range]:
    whole = [Range(0, log.size, 0)]
    if log.size <= size:
        return whole
    try:
        with open_bytes(log.path) as data:
            return segments.ranges(data, size)
    except (PipelineError, OSError):
        return whole  # the task tells what is wrong with it


def paths_of(options: Mapping[str, str]) -> list[str]:
    """The paths given to `load`: one, or several as a JSON list. Raises PipelineError."""
    if "path" in options:
        return [options["path"]]
    several = json.loads(options.get("paths", "[]"))
    if not several:
        raise PipelineError("there is no path: write .load(path)")
    return [str(path) for path in several]


def _rows(options: Mapping[str, str]) -> str:
    wanted = options.get("rows", "records")
    if wanted not in _ROWS:
        raise PipelineError(f"the option rows is {wanted!r}; it is one of {', '.join(_ROWS)}")
    return wanted


def _number(options: Mapping[str, str], name: str, otherwise: int) -> int:
    text = options.get(name, str(otherwise))
    if not text.isdecimal() or not 1 <= int(text) <= 1 << 20:
        raise PipelineError(f"the option {name} is {text!r}; it is a number of MiB, at least 1")
    return int(text)


def register(spark: SparkSession) -> None:
    """Make the formats known to a session."""
    spark.dataSource.register(SegmentSource)
    spark.dataSource.register(CaptureSource)
