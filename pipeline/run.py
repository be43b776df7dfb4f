"""The main job: makes cases, asks implementations, and keeps the verdicts. In equals out: every case has one verdict
for each implementation, else the job says at which stage rows were lost.

The work is done in groups of cases. A finished group is kept, so a job that was killed goes on with the next group, and
a later run asks only what is new. Each group is one Spark job: numbers → cases, and cases → verdicts. Two groups are
with Spark at a time: while the last tasks of one run, the next one's take the cores that are free.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its usual name)

from conformance.numbered import Numbered
from pipeline import tables
from pipeline.asking import BAD_ROW, COLUMNS, Order, verdicts_of
from pipeline.errors import CountError, PipelineError
from pipeline.failed import failed
from pipeline.identity import Identity, kit_digest
from pipeline.making import cases_of
from pipeline.progress import Progress
from pipeline.store import Group, Run, RunImplementation, Store, key_of

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
    """What to run: `cases` numbered cases, asked of each implementation, or of none. `timeout` in seconds, `memory` in
    MiB. `fresh`: ask again what was asked before."""

    numbered: Numbered
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
    return [key_of("cases", kit, plan.numbered, numbers.start, numbers.stop) for numbers in plan.ranges()]


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
                judged = functools.partial(_judged, spark, store, order, case_key)
                wanted.append(_Wanted("verdicts", key, judged, len(numbers)))
        _do(spark, store, wanted, progress)
        implementations.append(RunImplementation(identity.spec, identity.name, identity.version, identity.digest, keys))
    done = Run(
        len(store.runs) + 1,
        started,
        plan.numbered.seed,
        plan.cases,
        plan.numbered.dialects or (),
        plan.numbered.types or (),
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
    wanted = [
        _Wanted("cases", key, functools.partial(_made, spark, plan.numbered, numbers), len(numbers))
        for key, numbers in zip(keys, plan.ranges(), strict=True)
        if key not in store.groups
    ]
    _do(spark, store, wanted, progress)
    return keys


def _made(spark: SparkSession, numbered: Numbered, numbers: range) -> DataFrame:
    """The cases of these numbers."""
    tasks = min(1 + len(numbers) // _LEAST, _TASKS * spark.sparkContext.defaultParallelism)
    rows = spark.range(numbers.start, numbers.stop, 1, tasks).toDF("number")
    return rows.mapInArrow(functools.partial(cases_of, numbered), tables.CASES.spark)


def _judged(spark: SparkSession, store: Store, order: Order, cases: str) -> DataFrame:
    """The verdicts on a group of cases."""
    rows = spark.read.schema(tables.CASES.spark).parquet(*store.paths("cases", (cases,)))
    return rows.select(*COLUMNS).mapInArrow(functools.partial(verdicts_of, order), tables.VERDICTS.spark)


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
    """A group to be done: what makes its rows, and how many there will be."""

    table: str
    key: str
    rows: Callable[[], DataFrame]
    expected: int


def _do(spark: SparkSession, store: Store, groups: Sequence[_Wanted], progress: Progress) -> None:
    """Do these groups, and write each down as soon as it and all before it are whole."""
    progress.done += progress.total - sum(group.expected for group in groups)
    waiting: deque[Future[Group]] = deque()
    with ThreadPoolExecutor(_AT_ONCE, "group") as threads:
        try:
            for group in groups:
                if len(waiting) == _AT_ONCE:
                    store.finished(waiting.popleft().result())
                path = store.clear(group.table, group.key)
                waiting.append(threads.submit(_write, group, path, progress))
            while waiting:
                store.finished(waiting.popleft().result())
        except BaseException:
            _cancel(spark, waiting)
            raise


def _cancel(spark: SparkSession, running: Iterable[Future[Group]]) -> None:
    """End the jobs of these groups."""
    left = {one for one in running if not one.cancel()}
    while left:
        with contextlib.suppress(Py4JError, OSError):  # a JVM that has died runs no jobs
            spark.sparkContext.cancelAllJobs()
        left = wait(left, _CANCELLED_EACH).not_done


def _write(group: _Wanted, path: Path, progress: Progress) -> Group:
    """Write a group, and check its number of rows."""
    counted = Observation()
    with progress.of_group(group.expected):
        try:
            rows = group.rows().observe(counted, F.count(F.lit(1)).alias("rows"))
            rows.write.parquet(str(path.absolute()))
        except (PySparkException, Py4JError) as error:
            raise failed(error) from None
        found: Any = counted.get["rows"]
    if found != group.expected:
        raise CountError(f"{group.table}: {group.expected:,} rows were expected and {found:,} came out ({path})")
    return Group(group.key, group.table, found)
