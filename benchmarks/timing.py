"""Fair timing of several jobs: processor time, as medians of rounds. In each round all jobs run in turn."""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: The approximate length of one round of a measurement, in seconds.
ROUND = 0.05

Job = Callable[[], Any]


def medians(jobs: Mapping[Any, Job], rounds: int) -> dict[Any, float]:
    """Microseconds of one call of each job: the median of the rounds."""
    return {key: statistics.median(times) for key, times in in_turn(jobs, rounds).items()}


def in_turn(jobs: Mapping[Any, Job], rounds: int) -> dict[Any, list[float]]:
    """Microseconds of one call of each job, a figure for each round, in which all jobs take their turn."""
    calls = {}
    for key, job in jobs.items():
        job()  # what is made at the first call is not measured
        calls[key] = max(1, int(ROUND / _seconds(job, 1)))
    times: dict[Any, list[float]] = {key: [] for key in jobs}
    for _ in range(rounds):
        for key, job in jobs.items():
            times[key].append(_seconds(job, calls[key]) * 1e6)
    return times


def ratio(times: Sequence[float], others: Sequence[float]) -> float:
    """How many times the others the times are: the median over the rounds, each of which some other work may slow."""
    return statistics.median(time / other for time, other in zip(times, others, strict=True))


def _seconds(job: Job, calls: int) -> float:
    """Seconds of one call, the mean of so many."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    for _ in range(calls):
        job()
    taken = time.process_time() - start
    gc.enable()
    return taken / calls


def rounds_of(text: str) -> int:
    """The number after --rounds."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1 round is needed")
    return number
