"""On a worker: numbers in, rows of `cases` out."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from conformance.numbered import Numbered
from pipeline import tables
from pipeline.loaded import keep_loaded


def cases_of(numbered: Numbered, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of `cases` for batches with a column `number`."""
    keep_loaded()
    schema = tables.CASES.arrow
    for batch in batches:
        rows = []
        for number in batch.column("number").to_pylist():
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
