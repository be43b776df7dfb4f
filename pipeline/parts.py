"""The parts of a group: each is one task of Spark, and one Parquet file that its worker writes.

Spark hands out the tasks and tries them again; the rows stay in Python. On the way through the JVM and back, each row
would be converted four times.

A file gets its name when it is whole. So a worker that dies leaves no half of a file, and a task that is done twice
leaves one file.
"""

from __future__ import annotations

import contextlib
import functools
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from wireproof.conformance.writing import Folder
from wireproof.pipeline.errors import NO_FILE
from wireproof.pipeline.spark.session import BATCH

#: On a worker: the rows of a part, by its number.
Make = Callable[[int], Iterator[pa.RecordBatch]]


def write_parts(spark: SparkSession, make: Make, parts: int, schema: pa.Schema, folder: Path) -> int:
    """Write the parts 0 to `parts` - 1 into a new folder, by one job of Spark; the number of rows in its files. All
    workers have to see the folder under this path."""
    folder = folder.absolute()
    Folder(folder)
    work = functools.partial(_work, make, schema, str(folder))
    if parts:
        spark.range(0, parts, 1, parts).mapInArrow(work, "part long").toArrow()
    for unfinished in folder.glob(".*"):
        unfinished.unlink(missing_ok=True)
    rows = 0
    for number in range(parts):
        with contextlib.suppress(FileNotFoundError):
            rows += pq.read_metadata(folder / _name(number)).num_rows
    return rows


def write_part(make: Make, number: int, schema: pa.Schema, folder: str) -> None:
    """On a worker: write a part. Raises RuntimeError, with NO_FILE, if it cannot."""
    table = pa.Table.from_batches([*make(number)], schema)
    unfinished = Path(folder) / f".{number}-{uuid.uuid4().hex}"
    with _in_folder():
        pq.write_table(table, unfinished)
        unfinished.replace(unfinished.with_name(_name(number)))


def read_part(file: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """On a worker: these columns of a part. Raises RuntimeError, with NO_FILE, if it cannot."""
    with _in_folder(), pq.ParquetFile(file) as opened:
        table = opened.read([*columns], use_threads=False)
    yield from table.to_batches(BATCH)


@contextlib.contextmanager
def _in_folder() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RuntimeError(f"{NO_FILE}{error}") from None


def _work(make: Make, schema: pa.Schema, folder: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: write the parts with these numbers."""
    for batch in batches:
        numbers = batch.column("id")
        for number in numbers.to_pylist():
            write_part(make, number, schema, folder)
        yield pa.RecordBatch.from_arrays([numbers], ["part"])


def _name(number: int) -> str:
    return f"part-{number:05}.parquet"
