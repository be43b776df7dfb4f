"""The progress of a job: what its tasks have done, asked from Spark once a second."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

#: Seconds between two lines.
_EACH = 1.0

Tell = Callable[[str], None]


@dataclass
class Progress:
    """Rows done of `total`, and those of the group that Spark works on. `tell` takes a line for a person. `unit`: what
    is counted, if it is not rows."""

    spark: SparkSession
    tell: Tell
    stage: str = ""
    unit: str = "rows"
    total: int = 0
    done: int = 0
    group: int = 0
    started: float = 0.0
    _highest: float = 0.0

    def begin(self, stage: str, total: int, unit: str = "rows") -> None:
        """A stage of this many rows begins."""
        self.unit = unit
        self.stage, self.total, self.done, self.group = stage, total, 0, 0
        self.started = time.monotonic()

    @contextlib.contextmanager
    def of_group(self, rows: int) -> Iterator[None]:
        """Spark works on a group of this many rows; each second a line is told."""
        self.group, self._highest = rows, 0.0
        ended = threading.Event()
        teller = threading.Thread(target=self._tell_each, args=(ended,), daemon=True)
        teller.start()
        try:
            yield
            self.done += rows
        finally:
            self.group = 0
            ended.set()
            teller.join()

    def _tell_each(self, ended: threading.Event) -> None:
        while not ended.wait(_EACH):
            self.tell(self.line())

    def line(self) -> str:
        """`judged 12,000 of 200,000 rows  6 %  1,900 rows/s  1:39 left`."""
        self._highest = max(self._highest, self._share())  # between two stages none is active
        done = self.done + round(self.group * self._highest)
        took = time.monotonic() - self.started
        rate = done / took if took else 0.0
        left = f"  {_clock((self.total - done) / rate)} left" if rate else ""
        share = 100 * done / self.total if self.total else 100
        return f"{self.stage} {done:,} of {self.total:,} {self.unit}  {share:.0f} %  {rate:,.0f} {self.unit}/s{left}"

    def _share(self) -> float:
        """The share of the tasks of the running stages that have ended."""
        try:
            tracker = self.spark.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        except (Py4JError, OSError, RuntimeError):
            return 0.0
        tasks = sum(stage.numTasks for stage in stages if stage is not None)
        return sum(stage.numCompletedTasks for stage in stages if stage is not None) / tasks if tasks else 0.0


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
