"""The job `audit`: every batch of log segments and every frame of captures, judged, and the sum of it."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from pipeline.audit.files import CaptureFile, LogFile, check_capture, find
from pipeline.audit.findings import Verdict
from pipeline.audit.sources import CAPTURES, SEGMENTS, register
from pipeline.errors import CountError, PipelineError
from pipeline.session import first_line

#: The number of findings that a summary holds; the tables hold all.
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Finding:
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
    """The sum of an audit. `findings`: the first ones, in the order of files and offsets."""

    segments: int
    captures: int
    counts: tuple[Count, ...]
    findings: tuple[Finding, ...]

    @property
    def malformed(self) -> int:
        """The number of batches and frames that break a rule."""
        return sum(one.count for one in self.counts if one.verdict == Verdict.FAIL)


def audit(
    spark: SparkSession,
    paths: Sequence[str],
    *,
    out: Path | None = None,
    redact: bool = False,
    range_mb: int = 64,
    ports: Collection[int] = (),
) -> Audit:
    """Audit these files and folders. `out`: where the tables `batches` and `frames` are written, as Parquet. `redact`,
    `range_mb`, `ports`: as the options of the data sources.

    Raises PipelineError for paths that cannot be audited and a folder that is in use, and CountError if bytes of a
    segment are in no batch's row.
    """
    logs, captures = find(paths)
    for capture in captures:
        check_capture(capture)
    if out is not None:
        _check_out(out)
    register(spark)
    with _plain_errors():
        tables = [_of_segments(spark, logs, range_mb)] if logs else []
        tables += [_of_captures(spark, captures, redact, ports)] if captures else []
        counts: list[Count] = []
        findings: list[Finding] = []
        for table in tables:
            table.rows.persist(StorageLevel.DISK_ONLY)
            try:
                found = _counted(table)
                counts += found
                if any(one.verdict == Verdict.FAIL for one in found):
                    findings += _findings(table)
                if out is not None:
                    table.rows.write.mode("error").parquet(str(out / table.name))
            finally:
                table.rows.unpersist()
    return Audit(len(logs), len(captures), tuple(counts), tuple(findings))


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of judged rows, each of a batch or a frame. `where`: the column for `Finding.where`. `sizes`: of files
    whose bytes are all in the rows."""

    name: str
    kind: str
    rows: DataFrame
    where: Column
    sizes: Mapping[str, int]


def _of_segments(spark: SparkSession, logs: Sequence[LogFile], range_mb: int) -> _Table:
    reader = spark.read.format(SEGMENTS).option("rows", "batches").option("rangeMB", str(range_mb))
    rows = reader.load([log.path for log in logs])
    where = sql.concat_ws("-", "topic", "partition")
    return _Table("batches", "batch", rows, where, {log.path: log.size for log in logs})


def _of_captures(spark: SparkSession, captures: Sequence[CaptureFile], redact: bool, ports: Collection[int]) -> _Table:
    reader = spark.read.format(CAPTURES).option("redact", str(redact).lower())
    rows = reader.option("ports", ",".join(map(str, ports))).load([one.path for one in captures])
    return _Table("frames", "frame", rows, sql.col("connection"), {})


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """What a worker says about the user's input, without the stacks of Python and Java around it."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        said = re.search(r"PipelineError: (.+)", str(error))
        raise PipelineError(said[1] if said else f"Spark gave up: {first_line(error)}") from None


def _check_out(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise PipelineError(f"--out {out} is not empty: name a new folder, so that nothing is overwritten")


def _counted(table: _Table) -> list[Count]:
    """The rows by verdict and reason, in one query, because each query costs Spark seconds. The count in the header of
    a batch counts only where the batch passed. Raises CountError."""
    passed = sql.col("verdict") == str(Verdict.PASS)
    records = sql.when(passed, sql.col("records")) if table.kind == "batch" else sql.lit(0)
    sums = (
        table.rows.groupBy("file", "verdict", "reason")
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
    _check_sizes(table, in_files)
    return [Count(table.kind, *key, *total) for key, total in sorted(totals.items())]


def _check_sizes(table: _Table, found: Mapping[str, int]) -> None:
    """Every byte of a segment is in exactly one row."""
    wrong = [path for path, size in table.sizes.items() if found.get(path, 0) != size]
    if wrong:
        path = wrong[0]
        raise CountError(
            f"judging: {len(wrong)} segments, the first of them {path}: it has {table.sizes[path]} bytes, its batches "
            f"have {found.get(path, 0)}"
        )


def _findings(table: _Table) -> list[Finding]:
    rows = (
        table.rows.where(sql.col("verdict") == str(Verdict.FAIL))
        .withColumn("where", table.where)
        .withColumn("at", sql.coalesce("error_offset_bytes", "file_offset_bytes"))
        .select("file", "at", "where", "reason", "detail")
        .orderBy("file", "at")
        .limit(_SHOWN)
        .collect()
    )
    return [
        Finding(table.kind, row["file"], row["at"], row["where"] or "", row["reason"] or "", row["detail"])
        for row in rows
    ]
