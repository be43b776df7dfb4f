"""The main job: makes cases, asks implementations, and keeps the verdicts. In equals out: every case has one verdict
for each implementation, else the job says at which stage rows were lost.

The work is done in groups of cases. A finished group is kept, so a job that was killed goes on with the next group, and
a later run asks only what is new. Each group is one Spark job: numbers → cases, or cases → verdicts. Its tasks read and
write the files of the output folder themselves (`parts.py`). Two groups are with Spark at a time: while the last tasks
of one run, the next one's take the cores that are free.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its usual name)

from wireproof.conformance.generation.generated_cases import GeneratedCases
from wireproof.conformance.writing import write_whole
from wireproof.pipeline import tables
from wireproof.pipeline.errors import CountError, PipelineError, failed
from wireproof.pipeline.identity import Identity, kit_digest
from wireproof.pipeline.parts import Make, read_part, write_parts
from wireproof.pipeline.spark.progress import Progress
from wireproof.pipeline.store import WHOLE, Group, Run, RunImplementation, Store, key_of
from wireproof.pipeline.workers import BAD_ROW, COLUMNS, Order, cases_of, verdicts_of

#: Cases in a group. Spark's own work for a group takes the cores as long as to judge some 2,000 cases; a kill costs at
#: most two groups.
GROUP = 100_000
#: Groups that Spark has at a time.
_AT_ONCE = 2
#: Seconds between two tries to end the jobs of an interrupted run: one that is only being planned cannot be ended yet.
_CANCELLED_EACH = 0.2
#: Tasks of a group for each core: enough that a slow task does not leave the other cores without work. Cases are small,
#: so tasks with as many cases have as many bytes, to some 2 %.
_TASKS = 4
#: The least cases of a task, if there are so many; to start a task takes as long as to judge ten.
_LEAST = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: `cases` generated cases, asked of each implementation, or of none. `timeout` in seconds, `memory` in
    MiB. `fresh`: ask again what was asked before."""

    generated: GeneratedCases
    cases: int
    implementations: tuple[Identity, ...] = ()
    timeout: float = 5.0
    memory: int = 1024
    fresh: bool = False
    group: int = GROUP

    def ranges(self) -> list[range]:
        """The numbers of each group."""
        return [range(at, min(at + self.group, self.cases)) for at in range(0, self.cases, self.group)]


@dataclass(frozen=True, slots=True)
class Done:
    """A run with its number of verdicts: `asked` in this run, `kept` from earlier ones."""

    run: Run
    asked: int
    kept: int


def finished(store: Store, plan: Plan) -> Run | None:
    """The last run, if it asked exactly this, all of it is still there, and nothing has changed since."""
    if not store.runs or plan.fresh:
        return None
    last, cases = store.runs[-1], _case_keys(plan)
    wanted = {one.spec: tuple(_verdicts_key(plan, one, key) for key in cases) for one in plan.implementations}
    same = last.case_groups == tuple(cases) and {one.spec: one.groups for one in last.implementations} == wanted
    return last if same and store.groups.keys() >= {key for keys in wanted.values() for key in keys} else None


def _case_keys(plan: Plan) -> list[str]:
    kit = kit_digest()
    return [key_of("cases", kit, plan.generated, numbers.start, numbers.stop) for numbers in plan.ranges()]


def _verdicts_key(plan: Plan, identity: Identity, cases: str) -> str:
    return key_of("verdicts", cases, identity, plan.timeout, plan.memory)


def run(spark: SparkSession, store: Store, plan: Plan, progress: Progress) -> Done:
    """Do all groups of a plan that are not done. Raises PipelineError and CountError."""
    started = time.time_ns() // 1_000_000
    cases = _make(spark, store, plan, progress)
    asked = kept = 0
    implementations = []
    for identity in plan.implementations:
        progress.begin(f"judged {identity.spec}:", plan.cases)
        order = Order(identity.spec, identity.name, identity.version, identity.digest, plan.timeout, plan.memory)
        keys = tuple(_verdicts_key(plan, identity, key) for key in cases)
        wanted = []
        for case_key, key, numbers in zip(cases, keys, plan.ranges(), strict=True):
            if key in store.groups and not plan.fresh:
                kept += len(numbers)
            else:
                asked += len(numbers)
                files = sorted(map(str, store.path("cases", case_key).absolute().glob("*.parquet")))
                judged = functools.partial(verdicts_of_part, order, files)
                wanted.append(_Wanted(tables.VERDICTS, key, judged, len(files), len(numbers)))
        _do(spark, store, wanted, progress)
        implementations.append(RunImplementation(identity.spec, identity.name, identity.version, identity.digest, keys))
    done = Run(
        len(store.runs) + 1,
        started,
        plan.generated.seed,
        plan.cases,
        plan.generated.dialects or (),
        plan.generated.types or (),
        tuple(cases),
        tuple(implementations),
    )
    if implementations:
        store.ended(done)
    return Done(done, asked, kept)


def _make(spark: SparkSession, store: Store, plan: Plan, progress: Progress) -> list[str]:
    """Make the cases that are not there; the keys of all groups."""
    progress.begin("made", plan.cases)
    keys = _case_keys(plan)
    tasks = _TASKS * spark.sparkContext.defaultParallelism
    wanted = []
    for key, numbers in zip(keys, plan.ranges(), strict=True):
        if key not in store.groups:
            parts = min(1 + len(numbers) // _LEAST, tasks)
            made = functools.partial(_cases_of_part, plan.generated, numbers, parts)
            wanted.append(_Wanted(tables.CASES, key, made, parts, len(numbers)))
    _do(spark, store, wanted, progress)
    return keys


def _cases_of_part(generated: GeneratedCases, numbers: range, parts: int, number: int) -> Iterator[pa.RecordBatch]:
    """On a worker: the cases of one of so many parts of these numbers."""
    ends = (len(numbers) * at // parts for at in (number, number + 1))
    return cases_of(generated, numbers[slice(*ends)])


def verdicts_of_part(order: Order, files: Sequence[str], number: int) -> Iterator[pa.RecordBatch]:
    """On a worker: the verdicts on the cases of one of these files."""
    return verdicts_of(order, read_part(files[number], COLUMNS))


def verdicts(spark: SparkSession, store: Store, done: Run) -> DataFrame:
    """The table `verdicts` of a run. Raises PipelineError if a part of it is not there any more."""
    keys = tuple(key for implementation in done.implementations for key in implementation.groups)
    if not store.groups.keys() >= set(keys):
        raise PipelineError(f"run {done.number}: its verdicts are not whole in {store.folder}; run it again")
    return spark.read.schema(tables.VERDICTS.spark).parquet(*store.paths("verdicts", keys))


def errors(spark: SparkSession, store: Store, done: Run) -> DataFrame:
    """The table `errors` of a run: the rows that could not be asked."""
    bad = verdicts(spark, store, done).where(F.col("error") == BAD_ROW)
    return bad.select(
        F.lit("verdicts").alias("stage"), F.col("number").cast("string").alias("place"), F.col("detail").alias("reason")
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A group to be done: what makes its parts, how many of them, and how many rows there will be."""

    table: tables.Table
    key: str
    make: Make
    parts: int
    expected: int


def _do(spark: SparkSession, store: Store, groups: Sequence[_Wanted], progress: Progress) -> None:
    """Do these groups, and write each down as soon as it and all before it are whole."""
    progress.done += progress.total - sum(group.expected for group in groups)
    waiting: deque[Future[Group]] = deque()
    with ThreadPoolExecutor(_AT_ONCE, "group") as threads:
        try:
            for group in groups:
                if len(waiting) == _AT_ONCE:
                    _write_down(store, waiting)
                path = store.clear(group.table.name, group.key)
                waiting.append(threads.submit(_write, group, spark, path, progress))
            while waiting:
                _write_down(store, waiting)
        except BaseException:
            _cancel(spark, waiting)
            raise


def _write_down(store: Store, waiting: deque[Future[Group]]) -> None:
    """Wait for the first of these groups, and write it down. Until then it is among them: an interrupt ends it too."""
    store.finished(waiting[0].result())
    waiting.popleft()


def _cancel(spark: SparkSession, running: Iterable[Future[Group]]) -> None:
    """End the jobs of these groups."""
    left = {one for one in running if not one.cancel()}
    while left:
        with contextlib.suppress(Py4JError, OSError):  # a JVM that has died runs no jobs
            spark.sparkContext.cancelAllJobs()
        left = wait(left, _CANCELLED_EACH).not_done


def _write(group: _Wanted, spark: SparkSession, path: Path, progress: Progress) -> Group:
    """Write a group, and check its number of rows."""
    name = group.table.name
    with progress.of_group(group.expected):
        try:
            found = write_parts(spark, group.make, group.parts, group.table.arrow, path)
        except (PySparkException, Py4JError) as error:
            raise failed(error) from None
        except OSError as error:
            raise PipelineError(f"--out {path}: {error.strerror or error}") from None
    if found != group.expected:
        raise CountError(f"{name}: {group.expected:,} rows were expected and {found:,} came out ({path})")
    write_whole(path / WHOLE, b"")
    return Group(group.key, name, found)
