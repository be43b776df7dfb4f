"""Merges the corpora of many fuzz campaigns: for each feature of coverage, the smallest input that has it is kept.

    DIR/corpus/<target>/<dialect>/<sha1 of the content>     an input, as campaigns write it

Each worker runs its share of the inputs, and passes on the smallest input for each feature that it saw. So what is sent
around grows with the number of features, not with the number of inputs. How an input is run is not known here: the
caller passes a function that returns its features.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its usual name)

from wireproof.conformance.connection import ImplementationError
from wireproof.conformance.files import read_bytes
from wireproof.pipeline import tables
from wireproof.pipeline.errors import NO_START, CountError, PipelineError, failed
from wireproof.pipeline.spark.progress import Progress

#: The largest file that is read, in bytes. Inputs of campaigns are much smaller.
_LARGEST = 1 << 20
#: A task has at least this many inputs.
_LEAST = 64
#: Tasks for each core.
_TASKS = 4


class Features(Protocol):
    """Runs an input of a target and dialect, and returns its features: numbers that are the same in each process. It
    returns none if the target does not take the input. It is sent to the workers, and may keep what it opened there.

    Raises ValueError if there is no such target or dialect, and ImplementationError.
    """

    def __call__(self, target: str, dialect: str, raw: bytes) -> frozenset[int]:
        """The features of an input."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An input that is kept: its target, its dialect and its file."""

    target: str
    dialect: str
    path: Path


@dataclass(frozen=True, slots=True)
class Merged:
    """The inputs that are kept, sorted. `inputs`: how many files there were. `equal`: how many of them were copies of
    others. `unusable`: files that are no inputs, each with the reason."""

    kept: tuple[Kept, ...]
    inputs: int
    equal: int
    unusable: tuple[tuple[str, str], ...]


def find(folders: Sequence[Path]) -> list[Path]:
    """The files of the inputs of these campaigns. Raises PipelineError for a campaign without any."""
    return [path for folder in folders for path in _files(folder)]


def merge(spark: SparkSession, files: Sequence[Path], features: Features, progress: Progress) -> Merged:
    """Run these inputs, and choose the ones to keep. Raises PipelineError and CountError."""
    different = {(path.parent.parent.name, path.parent.name, path.name): path for path in reversed(files)}
    rows = [
        {"target": target, "dialect": dialect, "path": str(path.absolute())}
        for (target, dialect, _), path in sorted(different.items())
    ]
    tasks = min(1 + len(rows) // _LEAST, _TASKS * spark.sparkContext.defaultParallelism)
    progress.begin("ran", len(rows), "inputs")
    inputs = spark.createDataFrame(pa.Table.from_pylist(rows, tables.INPUTS.arrow)).repartition(tasks)
    reached = inputs.mapInArrow(functools.partial(reached_of, features), tables.REACHED.spark).cache()
    try:
        with progress.of_group(len(rows)):
            counted = reached.where(F.col("feature").isNull()).count()
        if counted != len(rows):
            raise CountError(f"corpus: {len(rows):,} inputs went in and {counted:,} came out")
        unusable = reached.where(F.col("problem").isNotNull()).select("path", "problem").orderBy("path").collect()
        smallest = (
            reached.where(F.col("feature").isNotNull())
            .groupBy("target", "dialect", "feature")
            .agg(F.min(F.struct("size_bytes", "path")).alias("smallest"))
            .select("target", "dialect", F.col("smallest.path").alias("path"))
            .distinct()
            .orderBy("target", "dialect", "path")
            .collect()
        )
    except (PySparkException, Py4JError) as error:
        raise failed(error) from None
    finally:
        reached.unpersist()
    return Merged(
        tuple(Kept(row["target"], row["dialect"], Path(row["path"])) for row in smallest),
        len(files),
        len(files) - len(rows),
        tuple((row["path"], row["problem"]) for row in unusable),
    )


def _files(folder: Path) -> list[Path]:
    """The inputs of a campaign. Raises PipelineError if there are none."""
    try:
        files = sorted(path for path in (folder / "corpus").glob("*/*/*") if path.is_file())
    except OSError as error:
        raise PipelineError(f"{folder}: {error.strerror or error}") from None
    if not files:
        missing = (
            "there is no such folder" if not folder.is_dir() else "it has no corpus/<target>/<dialect>/ with inputs"
        )
        raise PipelineError(f"{folder}: {missing}; the folder of a fuzz campaign is expected")
    return files


# --- On a worker ------------------------------------------------------------------------------------------------------


def reached_of(features: Features, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For batches of INPUTS: a row without a feature for each input, and for each feature the smallest input."""
    schema = tables.REACHED.arrow
    smallest: dict[tuple[str, str, int], tuple[int, str]] = {}
    for batch in batches:
        rows = []
        for row in batch.to_pylist():
            target, dialect, path = row["target"], row["dialect"], row["path"]
            size, problem = 0, None
            try:
                raw = _content(Path(path))
                size = len(raw)
                found = features(target, dialect, raw)
            except ImplementationError as error:
                raise RuntimeError(f"{NO_START}{error}") from None
            except ValueError as error:
                found, problem = frozenset(), str(error)
            else:
                problem = None if found else f"the target {target} does not take it"
            for feature in found:
                key = target, dialect, feature
                smallest[key] = min(smallest.get(key, (size, path)), (size, path))
            rows.append({**row, "feature": None, "size_bytes": size, "problem": problem})
        yield pa.RecordBatch.from_pylist(rows, schema)
    rows = [
        {"target": target, "dialect": dialect, "path": path, "feature": feature, "size_bytes": size, "problem": None}
        for (target, dialect, feature), (size, path) in smallest.items()
    ]
    yield pa.RecordBatch.from_pylist(rows, schema)


def _content(path: Path) -> bytes:
    """The content of an input. Raises ValueError if it cannot be read, or is not what its name says."""
    try:
        raw = read_bytes(path, _LARGEST)
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    if hashlib.sha1(raw, usedforsecurity=False).hexdigest() != path.name:
        raise ValueError("its name is not the SHA-1 of its content: it is damaged, or no input")
    return raw
