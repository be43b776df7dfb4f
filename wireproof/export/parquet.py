"""An export as one table, in which a vector is a row. It holds the whole line, and beside it the parts to search by.

The columns are described in docs/reference/export-format.md. pyarrow writes the file, one version of it always the same
bytes.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wireproof.export.package import Export, ExportError, with_manifest

if TYPE_CHECKING:
    import pyarrow

TABLE = "cases.parquet"


def as_table(made: Export) -> Export:
    """The same with all lines in one table. Raises ExportError where pyarrow is missing."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ExportError("Parquet is written by pyarrow, and it is not installed: pip install pyarrow") from None
    rows = [row for path, content in made.files.items() if path.endswith(".jsonl") for row in _rows(path, content)]
    written = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, _schema()), written, compression="zstd")
    others = {path: content for path, content in made.files.items() if not path.endswith(".jsonl")}
    return with_manifest(replace(made, files=others | {TABLE: written.getvalue()}), {TABLE: len(rows)})


def _schema() -> pyarrow.Schema:
    import pyarrow as pa

    words = pa.list_(pa.field("element", pa.string(), nullable=False))
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("dialect", pa.string(), nullable=False),
            pa.field("file", pa.string(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("ops", words, nullable=False),
            pa.field("type", pa.string()),
            pa.field("version", pa.int32()),
            pa.field("bytes", pa.binary()),
            pa.field("value", pa.string()),
            pa.field("reason", pa.string()),
            pa.field("offset", pa.int64()),
            pa.field("contested", pa.bool_(), nullable=False),
            pa.field("rulings", words, nullable=False),
            pa.field("about", pa.string(), nullable=False),
            pa.field("source", pa.string(), nullable=False),
            pa.field("line", pa.string(), nullable=False),
        ]
    )


def _rows(path: str, content: bytes) -> list[dict[str, Any]]:
    """The rows of a file of lines; its header is not one of them."""
    dialect, file = path.removesuffix(".jsonl").split("/")
    _, *lines = content.decode().splitlines()
    return [_row(line, json.loads(line)) | {"dialect": dialect, "file": file} for line in lines]


def _row(line: str, read: dict[str, Any]) -> dict[str, Any]:
    same = ("id", "kind", "ops", "type", "version", "rulings", "about", "source")
    refusal = read.get("reject", {})
    return {name: read.get(name) for name in same} | {
        "bytes": bytes.fromhex(read["bytes"]) if "bytes" in read else None,
        "value": json.dumps(read["value"], ensure_ascii=False) if "value" in read else None,
        "reason": refusal.get("reason"),
        "offset": refusal.get("offset"),
        "contested": "contested" in read,
        "line": line,
    }
