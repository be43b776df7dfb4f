"""The main job on Spark: every case has its verdicts, whatever dies, and nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")
pytest.importorskip("pyspark", reason="the extra `pipeline` is not installed")

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner, Result

from wireproof.cli import group as cli
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.generation.generated_cases import GeneratedCases
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.report.jsonl import read_reports
from wireproof.pipeline import run as running
from wireproof.pipeline import tables
from wireproof.pipeline.errors import CountError, PipelineError, failed
from wireproof.pipeline.identity import identify
from wireproof.pipeline.parts import read_part, write_part, write_parts
from wireproof.pipeline.reports import made_before, report, write_json_lines
from wireproof.pipeline.run import Done, Plan, finished, run
from wireproof.pipeline.spark.progress import Progress
from wireproof.pipeline.store import Group, Run, Store
from wireproof.pipeline.workers import BAD_ROW, Order, verdicts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

#: An implementation with faults: it aborts on some BOOLEANs of several bytes, and reads negative VARINTs wrongly. If
#: there is a file for it, it also kills the worker that asks it, once.
WRONG = """
import os, pathlib
import psutil
from wireproof import reference

name, version, dialects = "wrong", "1", ("kafka",)
types = {"kafka": {"BOOLEAN": None, "VARINT": None, "STRING": None}}
KILL = pathlib.Path(__file__).with_suffix(".kill")

def decode(type, data, *, dialect, version=None):
    try:
        KILL.unlink()
        next(one for one in psutil.Process().parents() if "pyspark.daemon" in one.cmdline()).kill()
    except FileNotFoundError:
        pass
    if type == "BOOLEAN" and len(data) > 1 and data[0] > 1:
        os.abort()
    value = reference.decode(type, data, dialect=dialect, version=version)
    return value + 1 if type == "VARINT" and value < 0 else value
"""
#: An implementation that is slow until there is a file for it.
SLOW = """
import pathlib, time
from wireproof import reference

name, version, dialects = "slow", "1", ("kafka",)
types = {"kafka": {"VARINT": None}}
HERE = pathlib.Path(__file__)

def decode(type, data, *, dialect, version=None):
    with HERE.with_suffix(".asked").open("a") as asked:
        asked.write("1")
    if not HERE.with_suffix(".fast").exists():
        time.sleep(4)  # a task of 80 cases takes longer than any step of a test
    return reference.decode(type, data, dialect=dialect, version=version)
"""
TYPES = ("BOOLEAN", "VARINT", "STRING")
#: Seconds for each step; far more than it takes.
WITHIN = 300
#: Two groups, of 100 and 50 cases.
CASES = 150


@pytest.fixture
def spec(spark_modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a new module with these faults."""
    monkeypatch.setenv("PYTHONPATH", str(spark_modules))
    name = f"wrong_{tmp_path.parent.name}_{tmp_path.name}".replace("-", "_")
    (spark_modules / f"{name}.py").write_text(WRONG)
    return name


@pytest.fixture
def code(spark_modules: Path, spec: str) -> Path:
    """Its file."""
    return spark_modules / f"{spec}.py"


def plan(*specs: str, **more: Any) -> Plan:
    identities = tuple(identify(one, Options()) for one in specs)
    return Plan(GeneratedCases(0, ("kafka",), TYPES), more.pop("cases", CASES), identities, group=100, **more)


def do(spark: SparkSession, folder: Path, planned: Plan) -> tuple[Done, list[dict[str, Any]]]:
    lines: list[str] = []
    with Store(folder) as store:
        done = run(spark, store, planned, Progress(spark, lines.append))
        rows = [row.asDict() for row in running.verdicts(spark, store, done.run).orderBy("spec", "number").collect()]
    return done, rows


def test_verdicts_are_those_of_the_kit(spark: SparkSession, tmp_path: Path, spec: str) -> None:
    done, rows = do(spark, tmp_path / "out", plan(spec, "reference"))
    assert (done.asked, done.kept, len(rows)) == (2 * CASES, 0, 2 * CASES)
    sizes = {row["id"]: row["size_bytes"] for row in rows}
    assert all(size == len(bytes.fromhex(name.rpartition("/x")[2].partition("#")[0])) for name, size in sizes.items())
    for one in (spec, "reference"):
        mine = [row for row in rows if row["spec"] == one]
        assert [row["number"] for row in mine] == list(range(CASES))
        with open_connection(one, Options()) as connection:
            judged = [
                judged.verdict
                for judged in Examiner(connection).judge(
                    find(row["id"]) for row in mine if row["verdict"] != "not-asked"
                )
            ]
        asked = [row for row in mine if row["verdict"] != "not-asked"]
        assert [(row["verdict"], row["reason"], row["place"]) for row in asked] == [
            (str(verdict.outcome), verdict.reason, verdict.place) for verdict in judged
        ]
    found = Counter(row["verdict"] for row in rows if row["spec"] == spec)
    assert found["fail"] > 2
    assert found["crash"] > 0
    assert found["not-asked"] > 5  # it offers no encode
    assert {row["verdict"] for row in rows if row["spec"] == "reference"} == {"pass"}


def test_a_second_run_asks_only_what_is_new(spark: SparkSession, tmp_path: Path, spec: str, code: Path) -> None:
    first, rows = do(spark, tmp_path / "out", plan(spec))
    second, again = do(spark, tmp_path / "out", plan(spec))
    assert (first.asked, second.asked, second.kept, again) == (CASES, 0, CASES, rows)
    more, _ = do(spark, tmp_path / "out", plan(spec, "reference", cases=200))
    assert (more.kept, more.asked) == (100, 200 + 100)  # whole groups only
    fresh, third = do(spark, tmp_path / "out", plan(spec, fresh=True))
    assert (fresh.asked, fresh.kept, third) == (CASES, 0, rows)
    code.write_text(f"{WRONG}# changed\n")
    assert do(spark, tmp_path / "out", plan(spec))[0].asked == CASES


def test_what_has_not_changed_needs_no_spark(spark: SparkSession, tmp_path: Path, spec: str, code: Path) -> None:
    known_file = {spec: known_deviations.Known(None, ())}
    with Store(tmp_path / "out") as store:
        assert finished(store, plan(spec)) is None
        done = run(spark, store, plan(spec), Progress(spark, print)).run
        made = report(spark, store, done, known_file)
        assert finished(store, plan(spec)) == done
        assert made_before(store, done, known_file) == made
        assert made_before(store, done, {}) is None
        for other in (plan(spec, fresh=True), plan(spec, cases=160), plan(spec, timeout=4.0), plan(spec, "reference")):
            assert finished(store, other) is None
        code.write_text(f"{WRONG}# changed\n")
        assert finished(store, plan(spec)) is None
        code.write_text(WRONG)
        assert finished(store, plan(spec)) == done
        store.clear("verdicts", done.implementations[0].groups[0])
        assert finished(store, plan(spec)) is None


def test_a_worker_that_dies_costs_no_row(spark: SparkSession, tmp_path: Path, spec: str, code: Path) -> None:
    _, undisturbed = do(spark, tmp_path / "calm", plan(spec))
    code.write_text(f"{WRONG}# A worker remembers answers, but not those of other code.\n")
    kill = code.with_suffix(".kill")
    kill.touch()
    _, rows = do(spark, tmp_path / "out", plan(spec))
    assert not kill.exists()
    assert rows == undisturbed


def test_an_interrupted_run_goes_on(
    spark: SparkSession, tmp_path: Path, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = running._write

    def interrupted(group: running._Wanted, *arguments: Any) -> Group:
        if (group.table.name, group.expected) == ("verdicts", CASES - 100):  # the second of two groups
            raise KeyboardInterrupt
        return write(group, *arguments)

    with monkeypatch.context() as during:
        during.setattr(running, "_write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            do(spark, tmp_path / "out", plan(spec))
    done, rows = do(spark, tmp_path / "out", plan(spec))
    assert (done.kept, done.asked, len(rows)) == (100, CASES - 100, CASES)
    assert rows == do(spark, tmp_path / "undisturbed", plan(spec))[1]


def test_two_groups_at_a_time_are_written_down_in_order(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second group is whole before the first one is begun, and waits for it."""
    write = running._write
    second = threading.Event()

    def delayed(group: running._Wanted, *arguments: Any) -> Group:
        if group.expected == 100:
            assert second.wait(WITHIN)
            second.clear()
        made = write(group, *arguments)
        if group.expected == 50:
            second.set()
        return made

    monkeypatch.setattr(running, "_write", delayed)
    done, rows = do(spark, tmp_path / "out", plan("reference"))
    assert [row["number"] for row in rows] == list(range(CASES))
    lines = [json.loads(line) for line in (tmp_path / "out" / "groups.jsonl").read_text().splitlines()]
    assert [line["rows"] for line in lines] == [100, 50, 100, 50]
    assert [line["key"] for line in lines] == [*done.run.case_groups, *done.run.implementations[0].groups]


def test_a_failed_group_ends_the_job_of_the_other_one(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = spark.sparkContext.statusTracker()
    write = running._write

    def sleeps(_number: int) -> Iterator[pa.RecordBatch]:
        time.sleep(WITHIN)
        yield from ()

    def fails(group: running._Wanted, *arguments: Any) -> Group:
        if group.key == "b":
            return write(group, *arguments)
        until = time.monotonic() + WITHIN
        while not tracker.getActiveJobsIds():
            assert time.monotonic() < until
            time.sleep(0.05)
        raise CountError("lost")

    monkeypatch.setattr(running, "_write", fails)
    groups = [running._Wanted(tables.CASES, key, sleeps, 1, 1) for key in ("a", "b")]
    began = time.monotonic()
    with Store(tmp_path / "out") as store, pytest.raises(CountError, match="lost"):
        running._do(spark, store, groups, Progress(spark, print))
    assert not tracker.getActiveJobsIds()
    assert time.monotonic() - began < WITHIN
    assert not (tmp_path / "out" / "groups.jsonl").exists()


class _Tracker:
    """Two stages, of which one has done half of its tasks and the other a quarter."""

    def __init__(self) -> None:
        self.sparkContext = self

    def statusTracker(self) -> _Tracker:  # noqa: N802 (Spark's name)
        return self

    def getActiveStageIds(self) -> list[int]:  # noqa: N802
        return [1, 2]

    def getStageInfo(self, number: int) -> SimpleNamespace:  # noqa: N802
        return SimpleNamespace(numTasks=8, numCompletedTasks=4 // number)


def test_progress_counts_all_groups_that_are_running() -> None:
    progress = Progress(cast("SparkSession", _Tracker()), print)
    progress.begin("judged", 1000)
    progress.done = 400
    with progress.of_group(200), progress.of_group(200):
        assert progress.line().startswith("judged 550 of 1,000 rows  55 %  ")
    assert progress.line().startswith("judged 800 of 1,000 rows  80 %  ")


def test_ctrl_c_ends_everything_and_the_same_command_goes_on(tmp_path: Path, spark_modules: Path) -> None:
    """The command itself, interrupted while an implementation is being asked."""
    (spark_modules / "interrupted.py").write_text(SLOW)
    asked = spark_modules / "interrupted.asked"
    command = [sys.executable, "-m", "wireproof", "pipeline", "run", "--cases", "400", "--impl", "interrupted"]
    command += ["--type", "VARINT", "--out", str(tmp_path / "out"), "--master", "local[2]"]
    environment = os.environ | {"PYTHONPATH": str(spark_modules)}
    job = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + WITHIN
    while not asked.exists() or asked.stat().st_size < 2:  # the first one is asked before the job
        assert job.poll() is None, job.communicate()[0]
        assert time.monotonic() < until
        time.sleep(0.1)
    children = psutil.Process(job.pid).children(recursive=True)
    os.killpg(job.pid, signal.SIGINT)  # as a terminal does
    told = job.communicate(timeout=WITHIN)[0]
    assert job.returncode not in (0, 1), told
    assert f"Interrupted. What was done is kept in {tmp_path / 'out'}" in told
    assert "Traceback" not in told
    assert psutil.wait_procs(children, WITHIN)[1] == []
    lines = (tmp_path / "out" / "groups.jsonl").read_text().splitlines()
    assert [json.loads(line)["table"] for line in lines] == ["cases"]
    asked.with_suffix(".fast").touch()
    again = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WITHIN, check=False)
    assert again.returncode == 0, again.stderr
    assert "400 cases, 400 verdicts asked, 0 from earlier runs" in again.stdout


def test_a_group_that_was_not_finished_is_made_again(spark: SparkSession, tmp_path: Path) -> None:
    done, rows = do(spark, tmp_path / "out", plan("reference"))
    key = done.run.implementations[0].groups[1]
    (tmp_path / "out" / "verdicts" / key / "_SUCCESS").unlink()
    again, same = do(spark, tmp_path / "out", plan("reference"))
    assert (again.asked, same) == (50, rows)


def test_an_implementation_that_cannot_start_on_a_worker_is_told(
    spark: SparkSession, tmp_path: Path, spec: str, code: Path
) -> None:
    """One clear error, and what was there before is kept."""
    done, rows = do(spark, tmp_path / "out", plan(spec))
    here = 'if any("pyspark.daemon" in one.cmdline() for one in psutil.Process().parents()):'
    code.write_text(f"{WRONG}\n{here}\n    raise ImportError('a library is missing here')\n")
    with pytest.raises(PipelineError, match=r"^--impl: on a worker, .*a library is missing here") as caught:
        do(spark, tmp_path / "out", plan(spec))
    assert "\n" not in str(caught.value)
    with Store(tmp_path / "out") as store:
        assert store.runs == [done.run]
    code.write_text(WRONG)
    assert do(spark, tmp_path / "out", plan(spec))[1] == rows


def test_lost_rows_are_told(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_cases_of_part", lambda _generated, _numbers, _parts, _number: iter(()))
    with Store(tmp_path / "out") as store, pytest.raises(CountError, match="cases: 100 rows were expected and 0 came"):
        run(spark, store, plan(), Progress(spark, print))


def test_a_lost_file_of_cases_is_told(spark: SparkSession, tmp_path: Path) -> None:
    done, _ = do(spark, tmp_path / "out", plan("reference"))
    files = [*(tmp_path / "out" / "cases" / done.run.case_groups[0]).glob("*.parquet")]
    for file in files[1:]:
        file.unlink()
    left = pq.read_metadata(files[0]).num_rows
    with pytest.raises(CountError, match=f"verdicts: 100 rows were expected and {left} came out"):
        do(spark, tmp_path / "out", plan("reference", fresh=True))
    files[0].unlink()
    with pytest.raises(CountError, match="verdicts: 100 rows were expected and 0 came out"):
        do(spark, tmp_path / "out", plan("reference", fresh=True))


def test_a_part_is_there_when_it_is_whole(spark: SparkSession, tmp_path: Path) -> None:
    """A task that dies or is done twice leaves one whole file."""
    schema = pa.schema([("number", pa.int64())])

    def numbers(rows: int) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"number": [*range(rows)]}, schema)

    def fails(_number: int) -> Iterator[pa.RecordBatch]:
        yield from numbers(5)
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        write_part(fails, 3, schema, str(tmp_path))
    assert [*tmp_path.iterdir()] == []
    for _ in range(2):
        write_part(numbers, 3, schema, str(tmp_path))
    (file,) = tmp_path.iterdir()
    assert [*pq.read_table(file)["number"].to_pylist()] == [0, 1, 2]
    assert [batch.to_pydict() for batch in read_part(str(file), ["number"])] == [{"number": [0, 1, 2]}]

    def dies(number: int) -> Iterator[pa.RecordBatch]:
        """The first try is killed, and has left a file that is not whole."""
        (tmp_path / "parts" / f".{number}-left").touch()
        if not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return numbers(number)

    assert write_parts(spark, dies, 5, schema, tmp_path / "parts") == 0 + 1 + 2 + 3 + 4
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == [f"part-0000{n}.parquet" for n in range(5)]


def test_a_folder_that_a_worker_does_not_see_is_told(tmp_path: Path) -> None:
    schema = pa.schema([("number", pa.int64())])
    with pytest.raises(RuntimeError) as written:
        write_part(lambda _: iter(()), 0, schema, str(tmp_path / "nowhere"))
    with pytest.raises(RuntimeError) as read:
        next(read_part(str(tmp_path / "nowhere" / "part-00000.parquet"), ["number"]))
    for caught in (written, read):
        told = str(failed(caught.value))
        assert told.startswith("--out: on a worker, [Errno 2] ")
        assert "nowhere" in told
        assert told.endswith("All workers have to see the folder under the same path.")


def test_a_row_that_is_no_case_is_an_error() -> None:
    good = GeneratedCases(0, ("kafka",), TYPES).case(0)
    rows = [
        {"number": number, "id": identifier, "dialect": "kafka", "area": "framing", "type": "X", "version": None}
        | {"op": "decode", "kind": "valid", "seed": 0, "mutation": None, "size_bytes": 1}
        for number, identifier in enumerate(["gen/kafka/Nonsense/0/x00#decode", good.id])
    ]
    batch = pa.RecordBatch.from_pylist(rows, tables.CASES.arrow)
    (judged,) = verdicts_of(Order("reference", "reference", None, "", 5.0, 1024), iter([batch]))
    bad, fine = judged.to_pylist()
    assert (bad["verdict"], bad["error"], bad["id"]) == ("not-asked", BAD_ROW, rows[0]["id"])
    assert "Nonsense" in bad["detail"]
    assert fine["verdict"] == "pass"


# --- Reports ----------------------------------------------------------------------------------------------------------


def test_the_report_of_a_run(spark: SparkSession, tmp_path: Path, spec: str) -> None:
    with Store(tmp_path / "out") as store:
        first = run(spark, store, plan("reference"), Progress(spark, print)).run
        second = run(spark, store, plan(spec, "reference"), Progress(spark, print)).run
        found = report(spark, store, second, {}, running.verdicts(spark, store, first))
        verdicts = running.verdicts(spark, store, second).collect()
        counted = Counter((row["implementation"], row["dialect"], row["area"], row["verdict"]) for row in verdicts)
        assert {
            (row["implementation"], row["dialect"], row["area"], row["verdict"]): row["count"] for row in found.summary
        } == counted
        deviating = [row for row in verdicts if row["verdict"] in ("fail", "crash")]
        assert sum(row["count"] for row in found.findings) == len(deviating)
        wrong = next(row for row in found.findings if json.loads(row["signature"])["verdict"] == "fail")
        failing = [row["id"] for row in deviating if row["verdict"] == "fail"]
        assert wrong["smallest_id"] == min(failing, key=lambda identifier: (len(identifier), identifier))
        crash = next(row for row in found.findings if json.loads(row["signature"])["verdict"] == "crash")
        assert crash["smallest_id"] in {row["id"] for row in deviating}
        assert {row["change"]: row["count"] for row in found.changes} == {"new": len({row["id"] for row in deviating})}
        assert found.new == len(found.findings)

        path = tmp_path / "verdicts.jsonl"
        write_json_lines(spark, store, second, {}, path)
        reports = read_reports(path.read_bytes().splitlines(keepends=True))
        mine = sorted((row["number"], row["id"]) for row in verdicts if row["spec"] == spec)
        once = list(dict.fromkeys(identifier for _, identifier in mine))
        assert [[line.id for line in one.lines] for one in reports] == [once, once]
        folder = tmp_path / "out" / "reports" / str(second.number)
        assert pq.read_table(folder / "findings").num_rows == len(found.findings)
        assert pq.read_table(folder / "changes").num_rows == len(deviating)


def test_changes_between_two_versions(spark: SparkSession, tmp_path: Path, spec: str, code: Path) -> None:
    with Store(tmp_path / "out") as store:
        before = run(spark, store, plan(spec), Progress(spark, print)).run
        code.write_text(WRONG.replace("value < 0", "value > 64"))
        after = run(spark, store, plan(spec), Progress(spark, print)).run
        found = report(spark, store, after, {}, running.verdicts(spark, store, before))
        rows = {
            run_.number: {row["id"]: row["verdict"] for row in running.verdicts(spark, store, run_).collect()}
            for run_ in (before, after)
        }
    changed = Counter(
        "mended" if verdict == "fail" else "broken"
        for identifier, verdict in rows[before.number].items()
        if rows[after.number][identifier] != verdict
    )
    assert changed["mended"] > 0
    assert changed["broken"] > 0
    assert {row["change"]: row["count"] for row in found.changes} == changed


def test_known_deviations_are_not_new(spark: SparkSession, tmp_path: Path, spec: str) -> None:
    path = tmp_path / "wrong.known.toml"
    path.write_text(
        '[[deviation]]\nclass = "bug"\nmatch = "gen/kafka/VARINT/*"\nreason = "Adds one."\nreported = "pending"\n'
    )
    with Store(tmp_path / "out") as store:
        done = run(spark, store, plan(spec), Progress(spark, print)).run
        found = report(spark, store, done, {spec: known_deviations.load(path, "1")})
    fails = [row for row in found.findings if json.loads(row["signature"])["verdict"] == "fail"]
    assert [row["known"] is None for row in fails] == [False]
    assert found.new == len(found.findings) - 1 > 0


def test_two_implementations_of_one_name_are_two(spark: SparkSession, tmp_path: Path, spec: str, code: Path) -> None:
    other = code.with_name(f"{spec}_too.py")
    other.write_text(WRONG.replace("value < 0", "value > 64"))
    with Store(tmp_path / "out") as store:
        done = run(spark, store, plan(spec, other.stem), Progress(spark, print)).run
        found = report(spark, store, done, {})
    fails = [row for row in found.findings if json.loads(row["signature"])["verdict"] == "fail"]
    assert {row["spec"] for row in fails} == {spec, other.stem}
    assert {row["implementation"] for row in fails} == {"wrong"}


def test_cases_alone_are_no_run_and_lost_verdicts_are_told(spark: SparkSession, tmp_path: Path) -> None:
    with Store(tmp_path / "out") as store:
        run(spark, store, plan(), Progress(spark, print))
        assert store.runs == []
        done = run(spark, store, plan("reference"), Progress(spark, print)).run
        assert store.runs == [done]
    (tmp_path / "out" / "verdicts" / done.implementations[0].groups[0] / "_SUCCESS").unlink()
    with Store(tmp_path / "out") as store, pytest.raises(PipelineError, match="run 1: its verdicts are not whole"):
        running.verdicts(spark, store, done)


# --- The folder, and the commands -------------------------------------------------------------------------------------


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(PipelineError, match="holds other things"):
        Store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_is_used_by_one_job(tmp_path: Path) -> None:
    with Store(tmp_path / "out"), pytest.raises(PipelineError, match="another job uses this folder"):
        Store(tmp_path / "out")


def test_a_half_written_line_is_forgotten(tmp_path: Path) -> None:
    done = Run(1, 2, 3, 4, ("kafka",), (), ("a",), ())
    with Store(tmp_path / "out") as store:
        store.ended(done)
    with (tmp_path / "out" / "runs.jsonl").open("ab") as file:
        file.write(b'{"number":2,"star')
    with Store(tmp_path / "out") as store:
        assert store.runs == [done]
        store.ended(done)
    with Store(tmp_path / "out") as store:
        assert store.runs == [done, done]


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["pipeline", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--impl", "no_such_module"), "there is no module 'no_such_module'"),
        (("run", "--impl", "reference", "--dialect", "kafak"), "there is no dialect 'kafak'"),
        (("run", "--impl", "reference", "--type", "Metadata"), "there is no type 'Metadata'"),
        (("run", "--impl", "reference", "--cases", "0"), "from 1 to 10¹² can be made"),
        (("run", "--impl", "reference", "--cases", "many"), "'many' is no number of cases"),
        (("run", "--impl", "reference", "--cases", "1e99"), "1e99 cases"),
        (("run", "--impl", "reference", "--master", "spork://x"), "is no address of a Spark master"),
        (("run", "--impl", "reference", "--master", "spark://127.0.0.1:1"), "no master answers there"),
        (("report",), "no run has ended there"),
    ],
)
def test_wrong_use_is_one_paragraph(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    result = command(*arguments, "--out", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
