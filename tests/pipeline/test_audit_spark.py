"""The data sources, the job and the command on Spark."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")
pytest.importorskip("pyspark", reason="the extra `pipeline` is not installed")

import pyarrow.parquet as pq
from click.testing import CliRunner
from pyspark.errors import PySparkException
from pyspark.sql.functions import spark_partition_id
from support.captures import Conversation, packet, pcap, segments
from support.log_segments import BASES, COUNT, CRC, Segment, batch, clean, raw_batch, varint, write
from test_audit_frames import ANSWERS, PIPELINED, REQUESTS, TALKS

from wireproof import pipeline
from wireproof.commands import pipeline_audit
from wireproof.pipeline.audit import groups, job
from wireproof.pipeline.audit.files import LogFile, find
from wireproof.pipeline.audit.job import Audit, Options, audit
from wireproof.pipeline.errors import CountError, PipelineError
from wireproof.pipeline.store import Group, Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def many(count: int = 400) -> Segment:
    """A segment that is worth more than one range of a MiB."""
    value = b"v" * 20_000
    parts = []
    for base in range(count):
        body = b"\0\0\0" + varint(-1) + varint(len(value)) + value + b"\0"
        parts.append(raw_batch(base, 0, 1, varint(len(body)) + body))
    return Segment(parts)


def test_records_as_rows(spark: SparkSession, tmp_path: Path) -> None:
    segment = clean()
    segment.flip(2, COUNT)
    segment.parts[3] = batch(BASES[3], codec=4)
    path = write(tmp_path, segment.data)
    pipeline.register(spark)
    rows = spark.read.format("kafka_segments").load(str(path)).orderBy("file_offset_bytes", "offset").collect()
    passed = [row for row in rows if row["verdict"] == "pass"]
    assert [row["offset"] for row in passed] == [base + n for base in BASES if base != BASES[2] for n in range(4)]
    one = passed[0]
    assert (one["topic"], one["partition"], one["timestamp_ms"], one["compression"]) == ("orders", 0, 1000, "none")
    assert (bytes(one["key"]), bytes(one["value"]), one["value_size_bytes"]) == (b"key", b"abcd", 4)
    assert [(pair["key"], pair["value"] and bytes(pair["value"])) for pair in one["headers"]] == [
        ("kind", b"x"),
        ("k", None),
    ]
    (wrong,) = [row for row in rows if row["verdict"] != "pass"]
    assert (wrong["reason"], wrong["offset"]) == ("crc-mismatch", None)
    assert wrong["error_offset_bytes"] == segment.starts[2] + CRC


def test_redacted_records(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, clean().data)
    pipeline.register(spark)
    row = spark.read.format("kafka_segments").option("redact", "true").load(str(path)).orderBy("offset").first()
    assert row is not None
    assert (row["key"], row["value"], row["key_size_bytes"], row["value_size_bytes"]) == (None, None, 3, 4)
    assert [(pair["key"], pair["value"]) for pair in row["headers"]] == [("kind", None), ("k", None)]


def test_sql_over_a_folder(spark: SparkSession, tmp_path: Path) -> None:
    """A header's key that repeats stays twice, so that SQL can find it."""
    body = b"\0\0\0" + varint(-1) + varint(-1) + varint(2) + (varint(1) + b"k" + varint(-1)) * 2
    write(tmp_path, raw_batch(0, 0, 1, varint(len(body)) + body), "00000000000000000000.log", "doubled-0")
    write(tmp_path, clean().data)
    pipeline.register(spark)
    spark.read.format("kafka_segments").load(str(tmp_path)).createOrReplaceTempView("records")
    repeated = "size(headers) > size(array_distinct(transform(headers, header -> header.key)))"
    (row,) = spark.sql(f"SELECT topic, count(*) AS n FROM records WHERE {repeated} GROUP BY topic").collect()
    assert (row["topic"], row["n"]) == ("doubled", 1)


def test_one_file_is_read_in_ranges(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, many().data, "00000000000000000000.log")
    pipeline.register(spark)
    table = spark.read.format("kafka_segments").option("rangeMB", "1").option("rows", "batches").load(str(path))
    assert table.select(spark_partition_id()).distinct().count() == 8
    assert table.where("verdict = 'pass'").count() == 400


def corrupted(folder: Path) -> Path:
    segment = clean()
    segment.flip(2, COUNT)
    segment.parts[5] = segment.parts[5][:90]
    write(folder, segment.data)
    big = many()
    big.parts[200], big.parts[201] = big.parts[201], big.parts[200]
    return write(folder, big.data, "00000000000000000000.log", "big-3")


def kept(spark: SparkSession, paths: list[Path], out: Path, options: Options = Options()) -> Audit:  # noqa: B008
    """An audit that keeps its tables."""
    with Store(out) as store:
        return audit(spark, [*map(str, paths)], options, store=store)


def test_the_job(spark: SparkSession, tmp_path: Path) -> None:
    big = corrupted(tmp_path / "logs")
    out = tmp_path / "out"
    found = kept(spark, [tmp_path / "logs"], out, Options(range_mb=1))
    assert (found.segments, found.malformed) == (2, 2)
    assert [(one.verdict, one.reason, one.count) for one in found.counts] == [
        ("fail", "crc-mismatch", 1),
        ("fail", "offset-order", 1),
        ("pass", "", 403),
        ("torn-tail", "truncated", 1),
    ]
    assert [(one.file, one.where, one.offset) for one in found.findings] == [
        (str(big), "big-3", many().starts[200]),
        (f"{tmp_path}/logs/orders-0/00000000000000000100.log", "orders-0", clean().starts[2] + CRC),
    ]
    assert pq.read_table(out / "batches").num_rows == 406
    assert not (out / "errors").exists()
    assert dataclasses.replace(audit(spark, [str(tmp_path / "logs")]), kept=0) == found


def test_an_audit_goes_on_where_it_ended(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_MOST_FILES", 1)
    logs, out = tmp_path / "logs", tmp_path / "out"
    for number in range(3):
        write(logs, clean().data, f"{number:020}.log", f"orders-{number}")
    capture(logs)
    finished = Store.finished

    def killed(store: Store, group: Group) -> None:
        finished(store, group)
        if len(store.groups) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(Store, "finished", killed)
        with pytest.raises(KeyboardInterrupt):
            kept(spark, [logs], out)
    found = kept(spark, [logs], out)
    assert (found.segments, found.captures, found.kept) == (3, 1, 2)
    again = kept(spark, [logs], out)
    assert (again.kept, dataclasses.replace(again, kept=2)) == (4, found)
    damaged = clean()
    damaged.flip(2, COUNT)
    write(logs, damaged.data, f"{1:020}.log", "orders-1")
    other = kept(spark, [logs], out)
    assert (other.kept, other.malformed) == (3, 1)  # rows of the file as it was are in the folder, and are not counted
    lines = (out / "audits.jsonl").read_text().splitlines()
    assert [len(json.loads(line)["groups"]["batches"]) for line in lines] == [3, 3, 3]


def test_a_file_that_cannot_be_read_is_a_row(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker deletes, cuts off and appends to its files while they are audited."""
    out, size = tmp_path / "out", len(clean().data)
    paths = [write(tmp_path / "logs", clean().data, f"{number:020}.log") for number in range(4)]
    logs, _ = find([str(tmp_path / "logs")])
    paths[0].unlink()
    paths[1].write_bytes(clean().data[:-7])
    paths[2].write_bytes(clean().data * 2)
    monkeypatch.setattr(job, "find", lambda _: ([dataclasses.replace(log, first=0, below=None) for log in logs], []))
    found = kept(spark, [tmp_path], out)
    assert (found.malformed, found.unreadable) == (0, 2)
    assert [Path(one.file) for one in found.findings] == paths[:2]
    assert "shorter" in found.findings[1].detail
    assert {one.verdict: one.size for one in found.counts} == {"unreadable": 2 * size, "pass": 2 * size}
    assert sorted(row["place"] for row in pq.read_table(out / "errors").to_pylist()) == [
        f"{one}:0" for one in paths[:2]
    ]
    assert not (out / "groups.jsonl").exists()  # what could not be read is judged again the next time
    for path in paths[:2]:
        path.write_bytes(clean().data)
    mended = kept(spark, [tmp_path], out)
    assert (mended.unreadable, mended.kept) == (0, 0)
    assert pq.read_table(out / "errors").num_rows == 0


class TestGroups:
    """Files that are judged together."""

    def logs(self, count: int, size: int) -> list[LogFile]:
        return [LogFile(f"/logs/orders-{number}/0.log", size, "orders", number, 0) for number in range(count)]

    @pytest.mark.parametrize(("count", "size", "least", "most"), [(5000, 1 << 10, 2, 4), (300, 64 << 20, 20, 60)])
    def test_they_have_a_size(self, count: int, size: int, least: int, most: int) -> None:
        found = groups.of_segments(self.logs(count, size))
        assert least < len(found) < most
        assert [log for group in found for log in group] == self.logs(count, size)

    def test_a_new_file_changes_few_of_them(self) -> None:
        logs = self.logs(300, 64 << 20)
        before = {tuple(group) for group in groups.of_segments(logs)}
        logs.insert(100, LogFile("/logs/new-0/0.log", 64 << 20, "new", 0, 0))
        assert len({tuple(group) for group in groups.of_segments(logs)} - before) <= 3


def capture(folder: Path, talk: Conversation = PIPELINED) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "some.pcap"
    path.write_bytes(pcap([packet(one) for one in segments(talk, 9)]))
    return path


def test_frames_as_rows(spark: SparkSession, tmp_path: Path) -> None:
    pipeline.register(spark)
    reader = spark.read.format("kafka_frames")
    rows = reader.load(str(capture(tmp_path))).orderBy("direction", "file_offset_bytes").collect()
    assert [(row["direction"], row["api"], row["version"], row["verdict"]) for row in rows] == [
        ("request", "ApiVersions", 3, "pass"),
        ("request", "Metadata", 12, "pass"),
        ("response", "ApiVersions", 3, "pass"),
        ("response", "Metadata", 12, "pass"),
    ]
    assert [bytes(row["bytes"]) for row in rows] == [frame[4:] for frame in (*REQUESTS, *ANSWERS)]
    redacted = reader.option("redact", "true").load(str(tmp_path)).collect()
    assert [(row["bytes"], row["size_bytes"] > 0) for row in redacted] == [(None, True)] * 4


def test_the_bytes_of_a_connection_in_two_files(spark: SparkSession, tmp_path: Path) -> None:
    wrong = bytearray(b"".join(ANSWERS))
    wrong[41] = 0xFF  # the length of the host's name
    (tmp_path / "a.requests").write_bytes(b"".join(REQUESTS))
    (tmp_path / "a.responses").write_bytes(wrong)
    found = kept(spark, [tmp_path], tmp_path / "out")
    (finding,) = found.findings
    assert (finding.file, finding.offset, finding.where) == (str(tmp_path / "a.responses"), 41, "")
    rows = pq.read_table(tmp_path / "out" / "frames").to_pylist()
    assert sorted((Path(row["file"]).name, row["verdict"]) for row in rows) == [
        ("a.requests", "pass"),
        ("a.requests", "pass"),
        ("a.responses", "fail"),
        ("a.responses", "pass"),
    ]


def test_segments_and_captures_together(spark: SparkSession, tmp_path: Path) -> None:
    name, (talk, _) = next(iter(TALKS.items()))
    path = capture(tmp_path, talk)
    write(tmp_path, clean().data)
    found = kept(spark, [tmp_path], tmp_path / "out")
    assert (found.segments, found.captures, found.malformed) == (1, 1, 1), name
    (finding,) = found.findings
    assert (finding.kind, finding.file, finding.offset, finding.reason) == ("frame", str(path), 36, "truncated")
    assert finding.where == "10.0.0.1:40000 > 10.0.0.2:9092"
    assert pq.read_table(tmp_path / "out" / "frames").num_rows == 4


@pytest.mark.parametrize("malformed", [False, True])
def test_the_command(malformed: bool, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = clean()
    if malformed:
        segment.flip(2, COUNT)
    path = write(tmp_path, segment.data)
    (tmp_path / "list").write_text(f"# the data\n\n{path.parent}\n")
    _shared(spark, monkeypatch)
    result = CliRunner().invoke(pipeline_audit.audit, ["--files-from", str(tmp_path / "list")])
    assert result.exit_code == int(malformed), result.output
    if malformed:
        at = segment.starts[2] + CRC
        assert f"{path} (orders-0) byte {at}: crc-mismatch: crc: CRC-32C" in result.output.replace("\n", "")
        assert "segments: 1, captures: 0, malformed: 1" in result.output
    else:
        assert "segments: 1, captures: 0, malformed: 0" in result.output


def _shared(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command use the tests' session: another JVM costs seconds."""
    import contextlib

    import wireproof.pipeline.spark.session as module

    monkeypatch.setattr(module, "session", lambda master, log: contextlib.nullcontext(spark))


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], ["index"], ["--out", "full", "orders-0"], ["cut.pcap"], ["text.pcap"], [], ["--files-from", "x"]],
)
def test_bad_input_is_one_line(
    arguments: list[str], spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, clean().data)
    (tmp_path / "index").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("kept")
    (tmp_path / "cut.pcap").write_bytes(capture(tmp_path).read_bytes()[:-3])
    (tmp_path / "text.pcap").write_text("a text")
    _shared(spark, monkeypatch)
    result = CliRunner().invoke(pipeline_audit.audit, arguments)
    assert result.exit_code == 2
    error = result.output.partition("Error: ")[2].strip()
    assert error
    assert "\n" not in error
    assert (tmp_path / "full" / "mine").read_text() == "kept"


def test_what_a_worker_says_of_a_file_is_one_line() -> None:
    """A file that a broker cuts off while it is read ends in a worker's error, with the stacks of Python and Java."""
    stack = (
        "An exception was thrown:\n  File x.py, line 5\npipeline.errors.PipelineError: a.log became shorter\n\tat org.a"
    )
    with pytest.raises(PipelineError, match=r"^a\.log became shorter$"), job._plain_errors():
        raise PySparkException(stack)
    with pytest.raises(PipelineError, match=r"^Spark gave up: something else$"), job._plain_errors():
        raise PySparkException("something else\n\tat org.a")


def test_bytes_that_no_row_has_are_told(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, clean().data)
    pipeline.register(spark)
    rows = spark.read.format("kafka_segments").option("rows", "batches").load(str(path)).where("base_offset != 108")
    table = job._Part("batches", "batch", rows, "topic", {str(path): len(clean().data)})
    with pytest.raises(CountError, match="it has 942 bytes, its batches have 785"):
        job._counted(table)
