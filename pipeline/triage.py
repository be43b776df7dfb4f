"""Findings from everywhere, one bucket for each cause: runs of the pipeline, fuzz campaigns, reports of pytest.

The signature of a bucket is the group that the kit itself gives to a deviation (`conformance.judging.clusters`), so
what a campaign found and what a run found meet in one bucket. Sources are small (a run's findings, not its verdicts),
so this needs no Spark."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from wireproof.conformance.asking.rows import RowError, verdict_of
from wireproof.conformance.decoding import decode_json
from wireproof.conformance.files import opened, read_bytes
from wireproof.conformance.judging.clusters import group
from wireproof.conformance.model import DEVIATIONS, Verdict
from wireproof.conformance.report.jsonl import ReportError, read_reports
from wireproof.conformance.writing import write_whole
from wireproof.pipeline import tables
from wireproof.pipeline.errors import PipelineError


class _CampaignFinding(msgspec.Struct, frozen=True):
    """The parts of a campaign's finding that are used here."""

    id: str
    dialect: str
    row: dict[str, Any]


class _Kept(msgspec.Struct, frozen=True):
    """The file of a campaign's finding."""

    finding: _CampaignFinding
    implementation: str
    version: str | None
    first_seen: float
    times: int


_kept = msgspec.json.Decoder(_Kept)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A finding in one source."""

    signature: str
    summary: str
    dialect: str
    count: int
    smallest_id: str
    first_seen: datetime.datetime | None
    implementation: str
    source: str
    known: bool


@dataclass(slots=True)
class Bucket:
    """A row of `buckets`."""

    signature: str
    summary: str
    dialect: str
    count: int = 0
    smallest_id: str = ""
    first_seen_ms: datetime.datetime | None = None
    implementations: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    known: bool = True

    def add(self, seen: _Seen) -> None:
        """Take in a finding of the same signature and dialect."""
        self.count += seen.count
        self.smallest_id = min(filter(None, (self.smallest_id, seen.smallest_id)), key=lambda one: (len(one), one))
        self.first_seen_ms = min(filter(None, (self.first_seen_ms, seen.first_seen)), default=None)
        self.implementations.add(seen.implementation)
        self.sources.add(seen.source)
        self.known = self.known and seen.known

    def row(self) -> dict[str, Any]:
        """As a row of the table."""
        return {
            name: sorted(value) if isinstance(value := getattr(self, name), set) else value
            for name in tables.BUCKETS.arrow.names
        }


def triage(paths: Sequence[Path]) -> list[Bucket]:
    """The buckets of these sources, the most frequent first. A path is the output folder of `wireproof pipeline`, the
    folder of a fuzz campaign, or a file of `pytest --report`. Raises PipelineError."""
    buckets: dict[tuple[str, str], Bucket] = {}
    for path in paths:
        for seen in _seen(path):
            key = (seen.signature, seen.dialect)
            if key not in buckets:
                buckets[key] = Bucket(seen.signature, seen.summary, seen.dialect)
            buckets[key].add(seen)
    return sorted(buckets.values(), key=lambda bucket: (bucket.known, -bucket.count, bucket.signature))


def write(buckets: Iterable[Bucket], path: Path, *, overwrite: bool = False) -> None:
    """Write the table as one Parquet file, also in place of an earlier one. Raises PipelineError. `overwrite`: in place
    of any other file too."""
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([bucket.row() for bucket in buckets], tables.BUCKETS.arrow), content)
    try:
        write_whole(path, content.getvalue(), _is_table, overwrite=overwrite)
    except OSError as error:
        raise PipelineError(f"{path}: it cannot be written there: {error.strerror or error}") from None


def _is_table(file: IO[bytes]) -> bool:
    try:
        return bool(pq.read_schema(file).equals(tables.BUCKETS.arrow))
    except pa.ArrowException:
        return False


def _seen(path: Path) -> Iterator[_Seen]:
    if path.is_file():
        yield from _of_report(path)
    elif (path / "reports").is_dir():
        yield from _of_runs(path)
    elif (path / "findings").is_dir():
        yield from _of_campaign(path)
    elif path.exists():
        raise PipelineError(
            f"{path} is neither the output folder of `wireproof pipeline run`, nor the folder of a fuzz campaign"
        )
    else:
        raise PipelineError(f"{path}: there is no such file or folder")


def _of_runs(path: Path) -> Iterator[_Seen]:
    """The findings of the last run of each implementation, since the first run that had them."""
    latest: dict[str, list[dict[str, Any]]] = {}
    first: dict[tuple[str, str, str], Any] = {}
    for run in sorted(
        (one for one in (path / "reports").iterdir() if one.name.isdigit()), key=lambda one: int(one.name)
    ):
        try:
            findings = pq.read_table(run / "findings").to_pylist()
            asked = {row["spec"] for row in pq.read_table(run / "summary").to_pylist()}
        except (OSError, pa.ArrowException) as error:
            raise PipelineError(f"{run}: its findings cannot be read: {str(error).splitlines()[0]}") from None
        for row in findings:
            first.setdefault((row["spec"], row["signature"], row["dialect"]), row["first_seen_ms"])
        for spec in asked:
            latest[spec] = [row for row in findings if row["spec"] == spec]
    for rows in latest.values():
        for row in rows:
            yield _Seen(
                row["signature"],
                row["summary"],
                row["dialect"],
                row["count"],
                row["smallest_id"],
                first[row["spec"], row["signature"], row["dialect"]],
                _named(row["implementation"], row["implementation_version"]),
                str(path),
                row["known"] is not None,
            )


def _of_campaign(path: Path) -> Iterator[_Seen]:
    for file in sorted((path / "findings").glob("*.json")):
        try:
            kept = decode_json(_kept, read_bytes(file))
            verdict = verdict_of(kept.finding.row["verdict"])
        except (OSError, ValueError, KeyError, RowError) as error:
            raise PipelineError(f"{file} is no finding of a campaign: {error}") from None
        yield _of_verdict(verdict, kept.times, kept.first_seen, _named(kept.implementation, kept.version), path)


def _of_report(path: Path) -> Iterator[_Seen]:
    try:
        with opened(path) as lines:
            reports = read_reports(lines, str(path))
    except (ReportError, OSError) as error:
        raise PipelineError(f"{error}. A file of `pytest --report` is expected.") from None
    for report in reports:
        about = report.header.implementation
        for line in report.lines:
            if line.outcome in DEVIATIONS:
                yield _of_verdict(line, 1, None, _named(about.name, about.version), path)


def _of_verdict(verdict: Verdict, times: int, first_seen: float | None, implementation: str, path: Path) -> _Seen:
    found = group(verdict)
    if found is None:
        raise PipelineError(f"{path}: {verdict.id} is no deviation")
    return _Seen(
        json.dumps(found.row(), ensure_ascii=False, sort_keys=True),
        str(found),
        verdict.dialect,
        times,
        verdict.id,
        None if first_seen is None else datetime.datetime.fromtimestamp(first_seen, datetime.UTC),
        implementation,
        str(path),
        verdict.known is not None,
    )


def _named(name: str, version: str | None) -> str:
    return name if version is None else f"{name} {version}"
