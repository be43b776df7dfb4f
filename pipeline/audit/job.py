"""The job `audit`: every batch of log segments and every frame of captures, judged, and the sum of it.

With an output folder the files are judged in groups (`pipeline.audit.groups`), each by one Spark job, and what was done
is kept: the same audit again judges only files that have changed or were not finished. Without one, nothing is kept.
"""

from __future__ import annotations

import contextlib
import functools
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as sql

from wireproof import pipeline
from wireproof.pipeline import tables
from wireproof.pipeline.audit.files import CaptureFile, LogFile, check_capture, find
from wireproof.pipeline.audit.findings import Verdict
from wireproof.pipeline.audit.groups import of_captures, of_segments
from wireproof.pipeline.audit.reading import INFLATE_MB
from wireproof.pipeline.audit.sources import CAPTURES, FOUND, SEGMENTS, register
from wireproof.pipeline.errors import CountError, PipelineError, first_line
from wireproof.pipeline.identity import kit_digest
from wireproof.pipeline.spark.progress import Progress
from wireproof.pipeline.store import AuditRun, Group, Store, key_of

#: The number of findings that a summary holds; the tables hold all.
_SHOWN = 50
#: Verdicts that are findings.
_TOLD = (Verdict.FAIL, Verdict.UNREADABLE)


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Something malformed. `kind`: batch or frame; `where`: the topic and partition, or the connection."""

    kind: str
    file: str
    offset: int
    where: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Count:
    """How many batches or frames have a verdict, for a reason ("" for a pass)."""

    kind: str
    verdict: str
    reason: str
    count: int
    records: int
    size: int


@dataclass(frozen=True, slots=True)
class Audit:
    """The sum of an audit. `findings`: the first ones, in the order of files and offsets. `kept`: how many of the files
    were judged by an earlier audit."""

    segments: int
    captures: int
    counts: tuple[Count, ...]
    findings: tuple[AuditFinding, ...]
    kept: int = 0

    @property
    def malformed(self) -> int:
        """The number of batches and frames that break a rule."""
        return self._number(Verdict.FAIL)

    @property
    def unreadable(self) -> int:
        """The number of places from which on a file could not be read."""
        return self._number(Verdict.UNREADABLE)

    def _number(self, verdict: Verdict) -> int:
        return sum(one.count for one in self.counts if one.verdict == verdict)


@dataclass(frozen=True, slots=True)
class Options:
    """How to audit. `redact`: without the content of frames. `range_mb`: larger segments are divided into ranges of so
    many MiB. `ports`: the brokers' ports, for captures. `inflate_mb`: a batch that inflates to more MiB is not
    judged."""

    redact: bool = False
    range_mb: int = 64
    ports: Collection[int] = ()
    inflate_mb: int = INFLATE_MB


@dataclass(frozen=True, slots=True)
class _Part:
    """A table of judged rows, each of a batch or a frame. `where`: the SQL of `AuditFinding.where`. `sizes`: of files
    whose bytes are all in the rows."""

    table: str
    kind: str
    rows: DataFrame
    where: str
    sizes: Mapping[str, int] = field(default_factory=dict)


def audit(
    spark: SparkSession,
    paths: Sequence[str],
    options: Options = Options(),
    *,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Audit these files and folders. `store`: where the tables `batches`, `frames` and `errors` are kept, as Parquet.

    Raises PipelineError for paths that cannot be audited, and CountError if bytes of a segment are in no batch's row.
    """
    started = time.time_ns() // 1_000_000
    logs, captures = find(paths)
    for capture in captures:
        check_capture(capture)
    register(spark)
    told = progress or Progress(spark, lambda _: None)
    with _plain_errors():
        if store is None:
            parts = [_of_segments(spark, logs, options)] if logs else []
            parts += [_of_captures(spark, captures, options)] if captures else []
            return _sum(logs, captures, [_kept_on_disk(part) for part in parts])
        done = _Done(spark, store, options, told)
        done.all_of(logs, captures)
        found = _sum(logs, captures, [contextlib.nullcontext(part) for part in done.parts()], done.kept)
        _write_errors(done.parts(), store, wanted=found.unreadable > 0)
    store.audited(AuditRun(started, tuple(paths), {table: tuple(keys) for table, keys in done.keys.items()}))
    return found


def _sum(
    logs: Sequence[LogFile],
    captures: Sequence[CaptureFile],
    parts: Sequence[contextlib.AbstractContextManager[_Part]],
    kept: int = 0,
) -> Audit:
    counts: list[Count] = []
    findings: list[AuditFinding] = []
    for opened in parts:
        with opened as part:
            found = _counted(part)
            counts += found
            if any(one.verdict in _TOLD for one in found):
                findings += _findings(part)
    return Audit(len(logs), len(captures), tuple(counts), tuple(findings), kept)


@contextlib.contextmanager
def _kept_on_disk(part: _Part) -> Iterator[_Part]:
    """Judged once for several queries."""
    part.rows.persist(StorageLevel.DISK_ONLY)
    try:
        yield part
    finally:
        part.rows.unpersist()


def _of_segments(spark: SparkSession, logs: Sequence[LogFile], options: Options) -> _Part:
    reader = spark.read.format(SEGMENTS).option("rows", "batches").option("rangeMB", str(options.range_mb))
    reader = reader.option("inflateMB", str(options.inflate_mb))
    rows = reader.option(FOUND, msgspec.json.encode(logs).decode()).load()
    return _Part("batches", "batch", rows, _PARTITION, {log.path: log.size for log in logs})


def _of_captures(spark: SparkSession, captures: Sequence[CaptureFile], options: Options) -> _Part:
    reader = spark.read.format(CAPTURES).option("redact", str(options.redact).lower())
    reader = reader.option("inflateMB", str(options.inflate_mb))
    rows = reader.option("ports", ",".join(map(str, options.ports))).load([one.path for one in captures])
    return _Part("frames", "frame", rows, _CONNECTION)


_PARTITION, _CONNECTION = "concat_ws('-', topic, partition)", "connection"


# --- In groups that are kept ------------------------------------------------------------------------------------------


class _Done:
    """Judges groups of files, and keeps their rows. `keys`: of all groups of this audit, by table. `kept`: the number
    of files whose rows were there already."""

    def __init__(self, spark: SparkSession, store: Store, options: Options, progress: Progress) -> None:
        self._spark = spark
        self._store = store
        self._options = options
        self._progress = progress
        self._kit = kit_digest(pipeline)
        self._sizes: dict[str, int] = {}
        self.keys: dict[str, list[str]] = {}
        self.kept = 0

    def all_of(self, logs: Sequence[LogFile], captures: Sequence[CaptureFile]) -> None:
        """Judge what is not there yet."""
        self._progress.begin("judged", len(logs) + len(captures), "files")
        options = self._options
        for group in of_segments(logs):
            judged = functools.partial(_of_segments, self._spark, group, options)
            self._group("batches", group, judged, options.inflate_mb)
        seen = options.redact, sorted(options.ports), options.inflate_mb
        for files in of_captures(captures):
            self._group("frames", files, functools.partial(_of_captures, self._spark, files, options), seen)
        self._sizes = {log.path: log.size for log in logs}

    def _group(self, table: str, files: Sequence[LogFile | CaptureFile], judged: Any, *more: object) -> None:
        key = key_of(table, self._kit, [msgspec.to_builtins(one) for one in files], more)
        self.keys.setdefault(table, []).append(key)
        if key in self._store.groups:
            self.kept += len(files)
            self._progress.done += len(files)
            return
        path = self._store.clear(table, key)
        seen = Observation()
        unread = sql.count(sql.when(sql.col("verdict") == str(Verdict.UNREADABLE), 1)).alias("unread")
        with self._progress.of_group(len(files)):
            judged().rows.observe(seen, sql.count(sql.lit(1)).alias("rows"), unread).write.parquet(str(path.absolute()))
        found: Any = seen.get
        if not found["unread"]:  # else it is judged again the next time
            self._store.finished(Group(key, table, found["rows"]))

    def parts(self) -> list[_Part]:
        """The tables of this audit, read again."""
        made = {
            "batches": functools.partial(_Part, "batches", "batch", where=_PARTITION, sizes=self._sizes),
            "frames": functools.partial(_Part, "frames", "frame", where=_CONNECTION),
        }
        schemas = {"batches": tables.BATCHES.spark, "frames": tables.FRAMES.spark}
        return [
            made[table](rows=self._spark.read.schema(schemas[table]).parquet(*self._store.paths(table, tuple(keys))))
            for table, keys in self.keys.items()
        ]


def _write_errors(parts: Sequence[_Part], store: Store, *, wanted: bool) -> None:
    """The table `errors` of an audit: an empty one takes the place of an earlier audit's."""
    if not wanted and not (store.folder / "errors").exists():
        return
    path = store.empty("errors")
    place = sql.concat_ws(":", "file", "file_offset_bytes")
    rows = [
        part.rows.where(sql.col("verdict") == str(Verdict.UNREADABLE)).select(
            sql.lit("judging").alias("stage"), place.alias("place"), sql.col("detail").alias("reason")
        )
        for part in parts
    ]
    functools.reduce(DataFrame.union, rows).write.parquet(str(path.absolute()))


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """What a worker says about the user's input, without the stacks of Python and Java around it."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        said = re.search(r"PipelineError: (.+)", str(error))
        raise PipelineError(said[1] if said else f"Spark gave up: {first_line(error)}") from None


def _counted(part: _Part) -> list[Count]:
    """The rows by verdict and reason, in one query, because each query costs Spark seconds. The count in the header of
    a batch counts only where the batch was read. Raises CountError."""
    read = sql.col("verdict").isin(str(Verdict.PASS), str(Verdict.CONTESTED))
    records = sql.when(read, sql.col("records")) if part.kind == "batch" else sql.lit(0)
    sums = (
        part.rows.groupBy("file", "verdict", "reason")
        .agg(sql.count("*").alias("count"), sql.sum(records).alias("records"), sql.sum("size_bytes").alias("size"))
        .collect()
    )
    in_files: Counter[str] = Counter()
    totals: dict[tuple[str, str], tuple[int, int, int]] = {}
    for row in sums:
        in_files[row["file"]] += row["size"]
        key = row["verdict"], row["reason"] or ""
        count, records_so_far, size = totals.get(key, (0, 0, 0))
        totals[key] = count + row["count"], records_so_far + (row["records"] or 0), size + row["size"]
    _check_sizes(part, in_files)
    return [Count(part.kind, *key, *total) for key, total in sorted(totals.items())]


def _check_sizes(part: _Part, found: Mapping[str, int]) -> None:
    """Every byte of a segment is in exactly one row."""
    wrong = [path for path, size in part.sizes.items() if found.get(path, 0) != size]
    if wrong:
        path = wrong[0]
        raise CountError(
            f"judging: {len(wrong)} segments, the first of them {path}: it has {part.sizes[path]} bytes, its batches "
            f"have {found.get(path, 0)}"
        )


def _findings(part: _Part) -> list[AuditFinding]:
    rows = (
        part.rows.where(sql.col("verdict").isin(*map(str, _TOLD)))
        .withColumn("where", sql.expr(part.where))
        .withColumn("at", sql.coalesce("error_offset_bytes", "file_offset_bytes"))
        .select("file", "at", "where", "reason", "detail")
        .orderBy("file", "at")
        .limit(_SHOWN)
        .collect()
    )
    return [
        AuditFinding(part.kind, row["file"], row["at"], row["where"] or "", row["reason"] or "", row["detail"])
        for row in rows
    ]
