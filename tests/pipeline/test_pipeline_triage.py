"""Findings of runs, campaigns and reports meet in buckets."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from support.paths import TESTS

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")
pytest.importorskip("pyspark", reason="the extra `pipeline` is not installed")

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from wireproof.cli import group as cli
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.asking.rows import judged_row
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.judging.clusters import group
from wireproof.conformance.model import Description
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.report.jsonl import ReportWriter, Tally
from wireproof.pipeline import tables
from wireproof.pipeline.errors import PipelineError
from wireproof.pipeline.triage import triage

#: The same cause twice, the second time with a longer input, and another cause.
IDS = (
    "gen/kafka/VARINT/-/x8080808020#decode",
    "gen/kafka/VARINT/-/x8180808020#decode",
    "gen/kafka/BOOLEAN/-/x#decode",
)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Three deviations of a miniature."""
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    with open_connection("miniatures.always_accepts", Options()) as connection:
        return list(Examiner(connection).judge(find(one) for one in IDS))


def campaign(folder: Path, judged: Any, *, first_seen: float, times: int) -> Path:
    """The folder of a campaign with one finding."""
    (folder / "findings").mkdir(parents=True)
    finding = {
        "name": "f",
        "signature": {},
        "target": "decode",
        "dialect": "kafka",
        "id": judged.case.id,
        "input": "",
        "size": 1,
        "row": judged_row(judged),
    }
    kept = {
        "finding": finding,
        "implementation": "mini",
        "version": "2",
        "spec": "x",
        "repro": "",
        "executions": 1,
        "first_seen": first_seen,
        "times": times,
    }
    (folder / "findings" / "f.json").write_bytes(msgspec.json.encode(kept))
    return folder


def run_folder(folder: Path, number: int, rows: list[dict[str, Any]]) -> Path:
    """The folder of a pipeline whose run found this."""
    for table, content in ((tables.FINDINGS, rows), (tables.SUMMARY, [summary("mini")])):
        (folder / "reports" / str(number) / table.name).mkdir(parents=True)
        pq.write_table(
            pa.Table.from_pylist(content, table.arrow), folder / "reports" / str(number) / table.name / "part.parquet"
        )
    return folder


def summary(name: str) -> dict[str, Any]:
    return {
        "spec": name,
        "implementation": name,
        "implementation_version": "1",
        "dialect": "kafka",
        "area": "varints",
    } | {
        "verdict": "fail",
        "count": 1,
    }


def finding_row(judged: Any, count: int) -> dict[str, Any]:
    found = group(judged.verdict)
    assert found is not None
    return {
        "signature": json.dumps(found.row(), ensure_ascii=False, sort_keys=True),
        "summary": str(found),
        "spec": "mini",
        "implementation": "mini",
        "implementation_version": "1",
        "dialect": "kafka",
        "count": count,
        "smallest_id": judged.case.id,
        "smallest_bytes": 5,
        "first_seen_ms": datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
        "known": None,
    }


def test_the_same_cause_is_one_bucket(tmp_path: Path, judged: list[Any]) -> None:
    runs = run_folder(tmp_path / "runs", 1, [finding_row(judged[1], 7)])
    fuzzed = campaign(tmp_path / "fuzz", judged[0], first_seen=1_000_000_000.0, times=3)
    report = tmp_path / "report.jsonl"
    with ReportWriter(report) as writer:
        writer.implementation(Description("mini", "1"), {})
        for one in judged:
            writer.verdict(one.verdict, "repro")
        writer.summary(Tally.of(*(one.verdict for one in judged)))
    first, second = triage([runs, fuzzed, report])
    assert first.count == 7 + 3 + 2
    assert first.smallest_id == IDS[0]
    assert first.implementations == {"mini 1", "mini 2"}
    assert first.sources == {str(runs), str(fuzzed), str(report)}
    assert first.first_seen_ms == datetime.datetime.fromtimestamp(1_000_000_000, datetime.UTC)
    assert (second.count, second.smallest_id, second.first_seen_ms) == (1, IDS[2], None)

    out = tmp_path / "buckets.parquet"
    done = CliRunner().invoke(cli, ["pipeline", "triage", str(runs), str(fuzzed), str(report), "--out", str(out)])
    assert done.exit_code == 1
    assert "2 buckets, 2 new, from 3 sources" in done.output
    assert [row["count"] for row in pq.read_table(out).to_pylist()] == [12, 1]


def test_the_last_run_of_an_implementation_counts(tmp_path: Path, judged: list[Any]) -> None:
    run_folder(tmp_path, 9, [finding_row(judged[0], 7), finding_row(judged[2], 1)])
    later = {"first_seen_ms": datetime.datetime(2026, 2, 2, tzinfo=datetime.UTC)}
    run_folder(tmp_path, 10, [finding_row(judged[2], 1) | later])
    (bucket,) = triage([tmp_path])
    assert (bucket.smallest_id, bucket.count) == (IDS[2], 1)
    assert bucket.first_seen_ms == datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


def test_what_is_known_everywhere_is_known(tmp_path: Path, judged: list[Any]) -> None:
    runs = run_folder(tmp_path / "a", 1, [finding_row(judged[0], 7) | {"known": "an entry"}])
    assert [bucket.known for bucket in triage([runs])] == [True]
    other = run_folder(tmp_path / "b", 1, [finding_row(judged[0], 7)])
    assert [bucket.known for bucket in triage([runs, other])] == [False]


def test_wrong_paths_are_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no report\n")
    (tmp_path / "c" / "findings").mkdir(parents=True)
    (tmp_path / "c" / "findings" / "x.json").write_text("[")
    (tmp_path / "empty").mkdir()
    for path, message in (
        ("nowhere", "there is no such file"),
        ("text", "`pytest --report` is expected"),
        ("c", "is no finding of a campaign"),
        ("empty", "is neither the output folder"),
    ):
        with pytest.raises(PipelineError, match=message):
            triage([tmp_path / path])
