"""Annotated bytes as plain data for a page.

    {"data": hex, "size": bytes, "rows": [[offset or null, bytes, label, kind, value, depth], …],
     "marks": [[offset, text], …], "more": rows}

A row names the bytes from its offset on; one without an offset is a heading. `data` and `rows` may be cut: `size` is
the true number of bytes, `more` the number of rows that were left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wireproof.conformance.report.hexview import Mark, Row
from wireproof.conformance.report.text import middle, safe


def annotated(
    data: bytes, rows: Sequence[Row], marks: Sequence[Mark], *, most_bytes: int, most_rows: int, value: int = 200
) -> dict[str, Any]:
    """The bytes with their rows and marks; at most so many bytes and rows, and of a value so many characters."""
    made: dict[str, Any] = {"data": data[:most_bytes].hex(), "size": len(data)}
    made["rows"] = [
        [
            row.offset,
            len(row.data),
            middle(safe(row.label), 200),
            middle(safe(row.what), 80),
            middle(safe(row.value), value),
            row.depth,
        ]
        for row in rows[:most_rows]
    ]
    if len(rows) > most_rows:
        made["more"] = len(rows) - most_rows
    if marks:
        made["marks"] = [[mark.offset, middle(safe(mark.text), 400)] for mark in marks]
    return made
