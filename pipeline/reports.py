"""What a run found: its verdicts counted, its deviations grouped into findings, and what changed since an earlier run.

Each is a table in `reports/<run>/` of the output folder. Only counts and findings come to the driver; the verdicts stay
where they are, so its memory does not grow with the number of cases.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its usual name)

from wireproof.conformance.evidence.known_deviations import Known
from wireproof.conformance.judging.clusters import group
from wireproof.conformance.model import DEVIATIONS, Description, Outcome
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.report.jsonl import ReportWriter, Tally
from wireproof.pipeline import run as running
from wireproof.pipeline import tables
from wireproof.pipeline.store import Run, Store, key_of
from wireproof.pipeline.verdict_rows import verdict_of

#: The file in a report's folder with the digest of the known deviations that it was made with.
_KNOWN = "known"
_DEVIATING = [str(outcome) for outcome in DEVIATIONS]
#: A deviation with its finding; `findings` is made from these.
_GROUPED = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("signature", "summary", "implementation", "implementation_version")),
        *(pa.field(name, pa.string()) for name in ("spec", "dialect", "id", "known")),
        pa.field("size_bytes", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Findings:
    """The small tables of a run, as rows; `changes` is counted by (implementation, change)."""

    summary: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    changes: list[dict[str, Any]]
    errors: int

    @property
    def new(self) -> int:
        """The number of findings that are not known."""
        return sum(1 for row in self.findings if row["known"] is None)


def report(
    spark: SparkSession, store: Store, done: Run, known: Mapping[str, Known], earlier: DataFrame | None = None
) -> Findings:
    """Write the tables of a run's report. `known`: the known deviations by the implementation's spec. `earlier`: the
    verdicts of the run to compare with."""
    verdicts = running.verdicts(spark, store, done)
    folder = f"reports/{done.number}"
    summary = (
        verdicts.groupBy("spec", "implementation", "implementation_version", "dialect", "area", "verdict")
        .agg(F.count(F.lit(1)).alias("count"))
        .orderBy("implementation", "spec", "dialect", "area", "verdict")
    )
    found = _findings(verdicts, known, done.started_ms)
    changed = [] if earlier is None else _changes(verdicts, earlier, store.empty(f"{folder}/changes"))
    bad = running.errors(spark, store, done)
    made = Findings(
        _written(summary, tables.SUMMARY, store.empty(f"{folder}/{tables.SUMMARY.name}")),
        _written(found, tables.FINDINGS, store.empty(f"{folder}/{tables.FINDINGS.name}")),
        changed,
        len(_written(bad, tables.ERRORS, store.empty(f"{folder}/{tables.ERRORS.name}"))),
    )
    store.write(f"{folder}/{_KNOWN}", _digest(known).encode())
    return made


def made_before(store: Store, done: Run, known: Mapping[str, Known]) -> Findings | None:
    """The report of a run, without its changes, if it was made with the same known deviations. It needs no Spark."""
    folder = store.folder / "reports" / str(done.number)
    try:
        if (folder / _KNOWN).read_text("utf-8") != _digest(known):
            return None
        summary, found, bad = (
            pq.read_table(folder / table.name).to_pylist() for table in (tables.SUMMARY, tables.FINDINGS, tables.ERRORS)
        )
    except (OSError, pa.ArrowException):
        return None
    return Findings(summary, found, [], len(bad))


def _digest(known: Mapping[str, Known]) -> str:
    """A digest of known deviations by spec."""
    return key_of(sorted((spec, repr(one.deviations)) for spec, one in known.items()))


def _written(rows: DataFrame, table: tables.Table, folder: Path) -> list[dict[str, Any]]:
    """Write a small table as one file in a new folder; its rows."""
    path = str(folder.absolute())
    rows.select(*table.spark.names).coalesce(1).write.parquet(path)
    read = rows.sparkSession.read.schema(table.spark).parquet(path)
    return [row.asDict(recursive=True) for row in read.toLocalIterator()]


# --- Findings ---------------------------------------------------------------------------------------------------------


def _findings(verdicts: DataFrame, known: Mapping[str, Known], seen_ms: int) -> DataFrame:
    deviating = verdicts.where(F.col("verdict").isin(_DEVIATING))
    grouped = deviating.mapInArrow(functools.partial(_grouped, dict(known)), tables.spark_schema(_GROUPED))
    of_one = ("signature", "summary", "spec", "implementation", "implementation_version", "dialect", "known")
    return grouped.groupBy(*of_one).agg(
        F.count(F.lit(1)).alias("count"),
        F.min_by("id", F.struct("size_bytes", "id")).alias("smallest_id"),
        F.min("size_bytes").alias("smallest_bytes"),
        F.timestamp_millis(F.lit(seen_ms)).alias("first_seen_ms"),
    )


def _grouped(known: Mapping[str, Known], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: deviations in, with their group."""
    for batch in batches:
        rows = []
        for row in batch.to_pylist():
            verdict = verdict_of(row)
            found = group(verdict)
            assert found is not None
            entry = known[row["spec"]].find(verdict) if row["spec"] in known else None
            rows.append(
                {
                    "signature": json.dumps(found.row(), ensure_ascii=False, sort_keys=True),
                    "summary": str(found),
                    "spec": row["spec"],
                    "implementation": row["implementation"],
                    "implementation_version": row["implementation_version"],
                    "dialect": row["dialect"],
                    "id": row["id"],
                    "known": None if entry is None else entry.name,
                    "size_bytes": row["size_bytes"],
                }
            )
        yield pa.RecordBatch.from_pylist(rows, _GROUPED)


# --- Changes ----------------------------------------------------------------------------------------------------------


def _changes(verdicts: DataFrame, earlier: DataFrame, path: Path) -> list[dict[str, Any]]:
    """Write the table `changes`; its rows counted by implementation and change."""
    before = earlier.select("spec", "id", F.col("verdict").alias("verdict_before")).dropDuplicates(["spec", "id"])
    now = verdicts.select("spec", "implementation", "id", "verdict").dropDuplicates(["spec", "id"])
    deviates, deviated = F.col("verdict").isin(_DEVIATING), F.col("verdict_before").isin(_DEVIATING)
    change = (
        F.when(deviates & F.col("verdict_before").isNull(), "new")
        .when(deviates & ~deviated, "broken")
        .when(~deviates & deviated & (F.col("verdict") != str(Outcome.NOT_ASKED)), "mended")
    )
    changed = now.join(before, ["spec", "id"], "left").withColumn("change", change).where("change is not null")
    changed.select(*tables.CHANGES.spark.names).write.parquet(str(path.absolute()))
    read = verdicts.sparkSession.read.schema(tables.CHANGES.spark).parquet(str(path.absolute()))
    counted = read.groupBy("implementation", "change").agg(F.count(F.lit(1)).alias("count"))
    return [row.asDict() for row in counted.orderBy("implementation", "change").collect()]


# --- JSON lines -------------------------------------------------------------------------------------------------------


def write_json_lines(
    spark: SparkSession, store: Store, done: Run, known: Mapping[str, Known], path: Path, *, overwrite: bool = False
) -> None:
    """Write a run's verdicts in the format of `pytest --report`, in the order of the cases. Several numbers may
    give the same case: it stands there once. Raises ReportError. `overwrite`: replace a file that is no report."""
    with ReportWriter(path, overwrite=overwrite) as writer:
        for implementation in done.implementations:
            described = Description(implementation.name, implementation.version)
            writer.implementation(described, {"seed": done.seed, "cases": done.cases})
            one = msgspec.structs.replace(done, implementations=(implementation,))
            tally: dict[tuple[str, str], int] = {}
            entries = known.get(implementation.spec)
            rows = running.verdicts(spark, store, one)
            once = rows.groupBy("id").agg(F.min_by(F.struct("*"), "number").alias("first")).select("first.*")
            for row in once.orderBy("number").toLocalIterator():
                verdict = verdict_of(row.asDict())
                entry = None if entries is None else entries.find(verdict)
                if entry is not None:
                    verdict = msgspec.structs.replace(verdict, known=entry.name)
                writer.verdict(verdict, repro_command(verdict.id, implementation.spec))
                place = (verdict.area, str(verdict.outcome))
                tally[place] = tally.get(place, 0) + 1
            writer.summary(Tally(tally))
