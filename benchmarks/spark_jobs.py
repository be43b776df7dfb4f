"""Measures jobs on Spark: `python benchmarks/spark_jobs.py run`, `long`, `cores`, `audit`.

run    a job's rate of verdicts, beside two plain Python processes that judge the same cases with the same functions and
       write the same files: for a worker's first group, in which it starts its implementation, and for later ones,
       with their median. Beside the clock, the seconds of processors that all processes took: their ratio holds on a
       machine that does other things too
long   rate and memory of the whole command, from the beginning of a long run to its end
cores  the same job with one core and with two
audit  MiB a second and core of judging segments without Spark, for each codec; the whole command; and Kafka's own
       DumpLogSegments --deep-iteration on the same files (needs Java and Maven)

Figures by the clock are only meaningful on an idle machine; the load is printed with them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import click
import psutil
import pyarrow.parquet as pq
from crc32c import crc32c

from wireproof.conformance.connection import Options
from wireproof.conformance.generation.generated_cases import GeneratedCases
from wireproof.pipeline import tables
from wireproof.pipeline.audit.files import find_logs, open_bytes
from wireproof.pipeline.audit.logs.batches import judge
from wireproof.pipeline.audit.logs.segments import ranges
from wireproof.pipeline.identity import identify
from wireproof.pipeline.parts import write_part
from wireproof.pipeline.run import GROUP, Plan, run, verdicts_of_part
from wireproof.pipeline.spark.progress import Progress
from wireproof.pipeline.spark.session import session
from wireproof.pipeline.store import Store
from wireproof.pipeline.workers import Order
from wireproof.reference.records.compression import deflate

ROOT = Path(__file__).resolve().parents[1]
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@click.group()
def main() -> None:
    """Measure jobs on Spark."""
    click.echo(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")


# --- Verdicts ---------------------------------------------------------------------------------------------------------


def _plain(order: Order, cases: Path, out: Path, pool: ProcessPoolExecutor) -> None:
    """Judge the files of a group in the processes of a pool: each takes the next file when it has done one."""
    files = sorted(map(str, cases.glob("*.parquet")))
    make = functools.partial(verdicts_of_part, order, files)
    schema = tables.VERDICTS.arrow
    written = [pool.submit(write_part, make, number, schema, str(out)) for number in range(len(files))]
    for one in written:
        one.result()


def _timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and of processors: of this process and all that it started, the JVM among them. What no
    longer runs afterwards is not counted."""

    def spent() -> dict[int, float]:
        me = psutil.Process()
        times = {one.pid: one.cpu_times() for one in (me, *me.children(recursive=True))}
        return {pid: time.user + time.system for pid, time in times.items()}

    began, before = time.perf_counter(), spent()
    work()
    took = time.perf_counter() - began
    return took, sum(seconds - before.get(pid, 0.0) for pid, seconds in spent().items())


@main.command("run")
@click.option(
    "--impl", "specs", multiple=True, default=("reference", "implementations.kafka_python"), show_default=True
)
@click.option("--cases", default=GROUP, show_default=True, help="Cases in a group.")
@click.option("--rounds", default=5, show_default=True, help="How often a later group is measured.")
def run_(specs: tuple[str, ...], cases: int, rounds: int) -> None:
    """Spark beside two plain processes."""
    with tempfile.TemporaryDirectory() as name, session("local[2]") as spark:
        for spec in specs:
            identity = identify(spec, Options())
            order = Order(spec, identity.name, identity.version, identity.digest, 5.0, 1024)
            with Store(Path(name) / identity.name) as store, ProcessPoolExecutor(2, get_context("spawn")) as pool:
                plan = Plan(GeneratedCases(1, ("kafka",)), cases, (identity,), group=cases, fresh=True)
                progress = Progress(spark, lambda _: None)
                made = run(spark, store, Plan(plan.generated, cases, group=cases), progress).run
                path, out = store.path("cases", made.case_groups[0]), Path(name) / "plain"
                out.mkdir(exist_ok=True)
                by_spark = functools.partial(run, spark, store, plan, progress)
                by_two = functools.partial(_plain, order, path, out, pool)
                ratios = []
                for number in range(1 + rounds):
                    # Each goes first every second time: a machine that gets slower favours neither.
                    if number % 2:
                        plain, plain_cpu = _timed(by_two)
                    ours, ours_cpu = _timed(by_spark)
                    if not number % 2:
                        plain, plain_cpu = _timed(by_two)
                    written = store.path("verdicts", store.runs[-1].implementations[0].groups[0])
                    assert pq.read_table(written) == pq.read_table(out), "other verdicts"
                    ratios.append((plain / ours, plain_cpu / ours_cpu))
                    click.echo(
                        f"{spec:32} {'later' if number else 'first'}  Spark {cases / ours:7,.0f} rows/s  "
                        f"two processes {cases / plain:7,.0f}  ratio {ratios[-1][0]:.2f}; "
                        f"processors {ours_cpu:.1f} s and {plain_cpu:.1f} s, {1e6 * plain_cpu / cases:,.0f} µs a row, "
                        f"ratio {ratios[-1][1]:.2f}"
                    )
                clock, processors = map(sorted, zip(*ratios[1:], strict=True))
                click.echo(
                    f"{spec:32} later, median of {rounds}: ratio {median(clock):.2f} "
                    f"({clock[0]:.2f} to {clock[-1]:.2f}); of processors {median(processors):.2f} "
                    f"({processors[0]:.2f} to {processors[-1]:.2f})"
                )


def _resident(process: psutil.Process) -> Counter[str]:
    """MiB of memory: of the command's own process, of its JVM, and of all other processes that it started. Pages that
    processes share count for each."""
    found = Counter[str]()
    for one in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            kind = "command" if one == process else "JVM" if one.name() == "java" else "others"
            found[kind] += one.memory_info().rss >> 20
    return found


@main.command()
@click.option("--impl", "spec", default="reference", show_default=True)
@click.option("--cases", default=1_000_000, show_default=True)
@click.option("--every", default=10.0, show_default=True, help="Seconds between two looks at its memory.")
def long(spec: str, cases: int, every: float) -> None:
    """A long run: at each tenth of its rows, made or judged, the rate and the highest memory since the last line."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"
        command = [sys.executable, "-m", "wireproof", "pipeline", "run", "--cases", str(cases), "--impl", spec]
        command += ["--master", "local[2]", "--out", str(out)]
        told, highest = 0, Counter[str]()
        last = began = time.perf_counter()
        job = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while job.returncode is None:
            with contextlib.suppress(psutil.NoSuchProcess):
                highest |= _resident(psutil.Process(job.pid))
            with contextlib.suppress(subprocess.TimeoutExpired):
                job.wait(every)
            manifest = out / "groups.jsonl"
            lines = manifest.read_bytes().splitlines() if manifest.is_file() else ()
            done = sum(json.loads(line)["rows"] for line in lines)
            if done - told >= 2 * cases // 10:
                now = time.perf_counter()
                memory = "  ".join(f"{kind} {mib:,} MiB" for kind, mib in highest.items())
                rate = (done - told) / (now - last)
                click.echo(f"{done:10,} of {2 * cases:,} rows  {now - began:6,.0f} s  {rate:7,.0f} rows/s  {memory}")
                told, last, highest = done, now, Counter[str]()
        assert job.returncode in (0, 1), "1: the implementation deviates"


@main.command()
@click.option("--impl", "spec", default="reference", show_default=True)
@click.option("--cases", default=20_000, show_default=True)
def cores(spec: str, cases: int) -> None:
    """One core beside two."""
    took = {}
    identity = identify(spec, Options())
    available = sorted(os.sched_getaffinity(0))
    for count in (1, 2):
        os.sched_setaffinity(0, available[:count])  # Spark and all children keep to it
        with (
            tempfile.TemporaryDirectory() as name,
            session(f"local[{count}]") as spark,
            Store(Path(name) / "o") as store,
        ):
            plan = Plan(GeneratedCases(1, ("kafka",)), cases, (identity,), group=cases, fresh=True)
            run(spark, store, plan, Progress(spark, lambda _: None))
            began = time.perf_counter()
            run(spark, store, plan, Progress(spark, lambda _: None))
            took[count] = time.perf_counter() - began
        os.sched_setaffinity(0, available)
        click.echo(f"{count} cores  {cases / took[count]:,.0f} rows/s")
    click.echo(f"two cores are {took[1] / took[2]:.2f} × one")


# --- Audit ------------------------------------------------------------------------------------------------------------


def _varint(number: int) -> bytes:
    number <<= 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _record(delta: int, text: bytes) -> bytes:
    body = b"\0" + _varint(delta) + _varint(delta) + _varint(8) + b"key-%04d" % (delta % 1000)
    body += _varint(len(text)) + text + _varint(2)
    body += _varint(5) + b"trace" + _varint(8) + b"%08x" % delta + _varint(4) + b"kind" + _varint(5) + b"order"
    return _varint(len(body)) + body


def _segment(path: Path, codec: int, size: int) -> None:
    """A segment of batches of 100 records, with values from 20 to 180 bytes, of about this many bytes."""
    path.parent.mkdir(parents=True)
    base, variants = 0, []
    for seed in range(16):
        texts = (zlib.compress(b"%d %d" % (seed, at), 0) * 12 for at in range(100))
        content = b"".join(_record(at, text[: 20 + (at * 37 + seed) % 161]) for at, text in enumerate(texts))
        covered = struct.pack(">hiqqqhii", codec, 99, 10**12, 10**12 + 99, -1, -1, -1, 100)
        covered += deflate(codec, content) if codec else content
        variants.append(struct.pack(">ibI", 0, 2, crc32c(covered)) + covered)
    with path.open("wb") as file:
        while file.tell() < size:
            batch = variants[base // 100 % len(variants)]
            file.write(struct.pack(">qi", base, len(batch)) + batch)
            base += 100


def _judge_file(path: str, size: int) -> int:
    (log,) = find_logs([str(Path(path).parent)])
    found = 0
    with open_bytes(log.path) as data:
        for part in ranges(data, size):
            found += sum(len(block.entries) for block in judge(data, part))
    return found


def _measured(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and of processors, its children's among them."""

    def spent() -> float:
        uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(use.ru_utime + use.ru_stime for use in uses)

    began, before = time.perf_counter(), spent()
    work()
    return time.perf_counter() - began, spent() - before


def _commands(logs: Path, files: list[Path]) -> Iterator[tuple[str, list[list[str]]]]:
    yield "wireproof", [[sys.executable, "-m", "wireproof", "pipeline", "audit", "--master", "local[2]", str(logs)]]
    listed = logs / "class-path"
    goal = ["dependency:build-classpath", f"-Dmdep.outputFile={listed}"]
    pom = str(ROOT / "benchmarks" / "dump.pom.xml")
    resolve = ["mvn", "--batch-mode", "--quiet", "--file", pom, *goal]
    subprocess.run(resolve, check=True)
    dump = [
        "java",
        "-XX:+ErrorFileToStderr",
        "-cp",
        listed.read_text().strip(),
        "org.apache.kafka.tools.DumpLogSegments",
        "--deep-iteration",
        "--files",
    ]
    yield "DumpLogSegments, two at a time", [[*dump, ",".join(map(str, files[half::2]))] for half in (0, 1)]


@main.command()
@click.option("--mib", default=200, show_default=True, help="MiB of each codec's segment.")
def audit(mib: int) -> None:
    """Segments, beside Kafka's own tool."""
    with tempfile.TemporaryDirectory() as name:
        files = []
        for codec, title in enumerate(CODECS):
            files.append(Path(name) / f"{title}-0" / f"{0:020}.log")
            _segment(files[-1], codec, mib << 20)
            wall, cpu = _measured(lambda: _judge_file(str(files[-1]), 64 << 20))
            click.echo(f"{title:7} {mib / wall:6.1f} MiB/s by the clock, {mib / cpu:6.1f} MiB a processor second")
        for title, commands in _commands(Path(name), files):

            def work(commands: list[list[str]] = commands) -> None:
                running = [subprocess.Popen(one, stdout=subprocess.DEVNULL) for one in commands]
                assert all(one.wait() == 0 for one in running)

            wall, cpu = _measured(work)
            whole = mib * len(files)
            click.echo(f"{title}: {wall:.1f} s, {whole / wall:.1f} MiB/s by the clock, {cpu:.1f} s of processors")


if __name__ == "__main__":
    main()
