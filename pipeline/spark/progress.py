"""The progress of a job: what its tasks have done, asked from Spark once a second."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

#: Seconds between two lines.
_EACH = 1.0

Tell = Callable[[str], None]


@dataclass
class Progress:
    """Rows done of `total`, and those of the groups that Spark works on. `tell` takes a line for a person. `unit`: what
    is counted, if it is not rows. Groups may be done by several threads."""

    spark: SparkSession
    tell: Tell
    stage: str = ""
    unit: str = "rows"
    total: int = 0
    done: int = 0
    started: float = 0.0
    #: The rows of each group that Spark works on.
    _open: list[int] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _telling: tuple[threading.Event, threading.Thread] | None = None
    _highest: float = 0.0

    def begin(self, stage: str, total: int, unit: str = "rows") -> None:
        """A stage of this many rows begins."""
        self.unit = unit
        self.stage, self.total, self.done, self._highest = stage, total, 0, 0.0
        self.started = time.monotonic()

    @contextlib.contextmanager
    def of_group(self, rows: int) -> Iterator[None]:
        """Spark works on a group of this many rows; each second a line is told."""
        with self._lock:
            self._open.append(rows)
            if self._telling is None:
                ended = threading.Event()
                teller = threading.Thread(target=self._tell_each, args=(ended,), daemon=True)
                teller.start()
                self._telling = ended, teller
        done = 0
        try:
            yield
            done = rows
        finally:
            with self._lock:
                self._open.remove(rows)
                self.done += done
                stopped = None if self._open else self._telling
                if stopped is not None:
                    self._telling = None
            if stopped is not None:
                stopped[0].set()
                stopped[1].join()

    def _tell_each(self, ended: threading.Event) -> None:
        while not ended.wait(_EACH):
            self.tell(self.line())

    def line(self) -> str:
        """`judged 12,000 of 200,000 rows  6 %  1,900 rows/s  1:39 left`."""
        working = self._working()
        with self._lock:
            groups = len(self._open)
            part = sum(self._open) / groups * min(working, groups) if groups else 0.0
            # Between two stages none is active.
            self._highest = max(self._highest, min(self.done + part, self.total))
        done = round(self._highest)
        took = time.monotonic() - self.started
        rate = done / took if took else 0.0
        left = f"  {_clock((self.total - done) / rate)} left" if rate else ""
        share = 100 * done / self.total if self.total else 100
        return f"{self.stage} {done:,} of {self.total:,} {self.unit}  {share:.0f} %  {rate:,.0f} {self.unit}/s{left}"

    def _working(self) -> float:
        """The running stages, each by its share of tasks that have ended: a group is one stage."""
        try:
            tracker = self.spark.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        except (Py4JError, OSError, RuntimeError):
            return 0.0
        return sum(stage.numCompletedTasks / stage.numTasks for stage in stages if stage is not None and stage.numTasks)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
