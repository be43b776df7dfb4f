"""On a worker: numbers in, rows of `cases` out."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from wireproof.conformance import garbage
from wireproof.conformance.generation.numbered import Numbered
from wireproof.pipeline import tables
from wireproof.pipeline.spark.session import BATCH


def cases_of(numbered: Numbered, numbers: range) -> Iterator[pa.RecordBatch]:
    """The rows of `cases` for these numbers."""
    garbage.freeze()  # what is alive at the beginning of a task stays
    schema = tables.CASES.arrow
    for at in range(0, len(numbers), BATCH):
        rows = []
        for number in numbers[at : at + BATCH]:
            case = numbered.case(number)
            rows.append(
                {
                    "number": case.number,
                    "seed": numbered.seed,
                    "id": case.id,
                    "dialect": case.dialect,
                    "area": case.area,
                    "type": case.type,
                    "version": case.version,
                    "op": str(case.op),
                    "kind": str(case.kind),
                    "mutation": case.mutation,
                    "size_bytes": case.size,
                }
            )
        yield pa.RecordBatch.from_pylist(rows, schema)
