"""Starts Spark for a job, and ends it with everything that it started.

By default a job runs on this machine (`local[*]`). The address of a master (`spark://HOST:7077`, `yarn`, `k8s://…`)
sends the work to a cluster. Spark's log goes to a file, because its thousands of lines would hide ours.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from wireproof.conformance.writing import marked, open_log, write_whole
from wireproof.pipeline.errors import PipelineError, first_line
from wireproof.pipeline.spark.java import java_home

#: The number of times that a task is tried: a worker that dies costs a retry, not the job.
_ATTEMPTS = 4
#: Rows in an Arrow batch.
BATCH = 1000
#: For the JVM of a job on this machine. Almost all of the work is done in Python: Java's optimising compiler and its
#: threads for collecting garbage take more from the cores than they give back.
_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#: Seconds in which a master has to answer.
_REACH = 10
#: Seconds that the JVM has to end by itself.
_GRACE = 20
_LOCAL = re.compile(r"local(\[(?P<cores>\*|[1-9][0-9]{0,3})\])?")
_REMOTE = re.compile(r"(spark|k8s)://.+|yarn")
#: The first line of a log.
_LOG_MARK = b"What Spark said in jobs of Wireproof:\n"
_LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


def master_of(text: str) -> str:
    """The address of a master as Spark takes it. Raises PipelineError for one that Spark does not know."""
    local = _LOCAL.fullmatch(text)
    if local is not None:
        return f"local[{local['cores'] or '1'},{_ATTEMPTS}]"
    if _REMOTE.fullmatch(text) is None:
        raise PipelineError(
            f"--master {text!r} is no address of a Spark master. Write local[*], local[4], spark://HOST:7077, yarn or "
            "k8s://HOST:PORT."
        )
    return text


@contextlib.contextmanager
def session(
    master: str = "local[*]", *, log: Path | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A Spark session that ends with the block. `log`: the file for Spark's log, by default a temporary one.
    `settings`: more of Spark's settings.

    Raises PipelineError if there is no Java, for a wrong master, and for one that cannot be reached.
    """
    address = master_of(master)
    _reach(address)
    with tempfile.TemporaryDirectory(prefix="wireproof-spark-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (
            _open_log(folder / "spark.log" if log is None else log) as written,
            _environment(address, folder),
        ):
            gateway = _launch(address, folder, written, settings or {})
            silent = logging.NullHandler()  # an interrupt ends calls to Java, and they would log a traceback
            logging.getLogger().addHandler(silent)
            try:
                yield _connect(address, gateway)
            finally:
                _stop(gateway)
                logging.getLogger().removeHandler(silent)


@contextlib.contextmanager
def _environment(master: str, folder: Path) -> Iterator[None]:
    """The variables that Spark reads, until the end of the block."""
    wanted = {
        "JAVA_HOME": str(java_home(folder)),
        "SPARK_CONF_DIR": os.environ.get("SPARK_CONF_DIR", str(folder)),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
    }
    if _is_here(master):
        wanted["SPARK_LOCAL_IP"] = "127.0.0.1"
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _is_here(master: str) -> bool:
    """Whether all of Spark runs on this machine, so that loopback is enough."""
    return master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:"))


def _open_log(path: Path) -> IO[bytes]:
    log = open_log(path, marked(_LOG_MARK))
    if not log.tell():
        log.write(_LOG_MARK)
        log.flush()
    return log


def _settings(master: str, folder: Path) -> dict[str, str]:
    chosen = {
        "spark.app.name": "wireproof",
        "spark.master": master,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.task.maxFailures": str(_ATTEMPTS),
        "spark.python.worker.reuse": "true",  # a worker keeps its connections to implementations
        "spark.sql.files.openCostInBytes": str(1 << 30),  # each file is a partition: files are made of equal work
        "spark.sql.files.maxPartitionBytes": str(1 << 30),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    if _is_here(master):
        chosen |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if master.startswith("local"):
        chosen |= {"spark.local.dir": str(folder), "spark.driver.extraJavaOptions": _JVM}
    return chosen


def _launch(master: str, folder: Path, log: IO[bytes], settings: Mapping[str, str]) -> Any:
    """The JVM, and the gateway to it."""
    write_whole(folder / "log4j2.properties", _LOGGING.encode())
    conf = SparkConf(loadDefaults=False).setAll([*(_settings(master, folder) | dict(settings)).items()])
    try:
        return launch_gateway(conf, popen_kwargs={"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
    except (PySparkException, OSError) as error:
        raise PipelineError(f"Spark's JVM did not start: {first_line(error)}. Its log: {log.name}") from None


def _reach(master: str) -> None:
    """Raises PipelineError if nothing listens at the address of a standalone master; Spark would try for a minute."""
    if not master.startswith("spark://"):
        return
    problem: Exception | None = None
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=_REACH).close()
        except (OSError, ValueError) as error:
            problem = error
        else:
            return
    raise PipelineError(f"--master {master}: no master answers there ({problem})")


def _connect(master: str, gateway: Any) -> SparkSession:
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        SparkContext(gateway=gateway)
        return SparkSession.builder.getOrCreate()
    except (PySparkException, Py4JError, OSError) as error:
        raise PipelineError(f"Spark did not start with --master {master}: {first_line(error)}") from None
    finally:  # Spark's own handler calls Java in the middle of another call
        if interrupted is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupted)


def _stop(gateway: Any) -> None:
    """End the session and its JVM. (`SparkSession.stop` leaves the JVM for a next session.)"""
    active = SparkContext._active_spark_context  # noqa: SLF001 (`getOrCreate` would start one)
    if active is not None:
        with contextlib.suppress(Py4JError, OSError):  # a JVM that has died cannot be asked
            active.stop()
    with contextlib.suppress(Py4JError, OSError):
        gateway.shutdown()
    SparkContext._gateway = None  # noqa: SLF001 (else the next session would use this JVM)
    SparkContext._jvm = None  # noqa: SLF001
    SparkContext._active_spark_context = None  # noqa: SLF001
    gateway.proc.stdin.close()  # the JVM ends with it
    try:
        gateway.proc.wait(_GRACE)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
