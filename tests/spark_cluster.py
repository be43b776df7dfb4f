"""A standalone cluster on this machine: a worker is killed in mid-job, and the table is that of one process.

It takes a minute, so it is not among the tests: `tox -e cluster`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")
pytest.importorskip("pyspark", reason="the extra `pipeline` is not installed")

import pyarrow.parquet as pq
import pyspark

from wireproof.conformance.connection import Options
from wireproof.pipeline.identity import identify
from wireproof.pipeline.spark.java import java_home
from wireproof.pipeline.workers import Order, verdicts_of

CASES = 4_000
LOGGING = """\
rootLogger.level = info
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
"""
#: Seconds for each step.
WITHIN = 120


@contextmanager
def node(folder: Path, name: str, *arguments: str) -> Iterator[tuple[psutil.Process, Path]]:
    """A master or a worker, with its log; killed at the end with all its children."""
    log = folder / f"{name}.log"
    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    configuration = folder / f"{name}.conf"
    configuration.mkdir()
    (configuration / "log4j2.properties").write_text(LOGGING)
    environment = os.environ | {"JAVA_HOME": str(java_home(folder / name)), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment["SPARK_CONF_DIR"] = str(configuration)
    options = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    with log.open("wb") as written:
        process = subprocess.Popen(
            [spark_class, f"org.apache.spark.deploy.{name.rstrip('12')}", *options, *arguments],
            env=environment,
            stdout=written,
            stderr=written,
            stdin=subprocess.DEVNULL,
        )
    try:
        yield psutil.Process(process.pid), log
    finally:
        kill(psutil.Process(process.pid))
        process.wait()


def kill(process: psutil.Process) -> None:
    """A process and all that it started."""
    for one in [process, *process.children(recursive=True)]:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue


def said(log: Path, pattern: str) -> str:
    """What matches in a log, as soon as it is there."""
    until = time.monotonic() + WITHIN
    while (found := re.search(pattern, log.read_text(errors="replace"))) is None:
        assert time.monotonic() < until, log.read_text(errors="replace")
        time.sleep(0.1)
    return found[1]


def asks(process: psutil.Process) -> bool:
    """Whether a worker of Spark has an implementation under it, which is being asked."""
    try:
        return any(
            "wireproof.conformance.connection.process.worker" in one.cmdline()
            for one in process.children(recursive=True)
        )
    except psutil.NoSuchProcess:
        return False


def test_a_worker_is_killed_in_mid_job(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ExitStack() as nodes:
        _, log = nodes.enter_context(node(tmp_path, "master.Master"))
        address = said(log, r"Starting Spark master at (spark://127\.0\.0\.1:\d+)")
        workers = []
        for number in (1, 2):
            limits = ("--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / f"work{number}"))
            worker, log = nodes.enter_context(node(tmp_path, f"worker.Worker{number}", *limits, address))
            said(log, r"(Successfully registered with master)")
            workers.append(worker)
        command = [sys.executable, "-m", "wireproof", "pipeline", "run", "--cases", str(CASES), "--impl", "reference"]
        job = subprocess.Popen(
            [*command, "--dialect", "kafka", "--out", str(out), "--master", address],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        while not (asking := [worker for worker in workers if asks(worker)]):
            assert job.poll() is None, job.communicate()[0]
            time.sleep(0.05)
        kill(asking[0])
        told = job.communicate(timeout=WITHIN)[0]
    assert job.returncode == 0, told
    assert f"{CASES:,} verdicts asked, 0 from earlier runs; 0 new findings" in told
    identity = identify("reference", Options())
    order = Order("reference", identity.name, identity.version, identity.digest, 5.0, 1024)
    cases = pq.read_table(next((out / "cases").iterdir())).sort_by("number")
    here = [row for batch in verdicts_of(order, iter(cases.to_batches())) for row in batch.to_pylist()]
    assert pq.read_table(next((out / "verdicts").iterdir())).sort_by("number").to_pylist() == here
