"""The data of the page of `wireproof explain`: one input, as a type or as frames, with each byte's field and rule.

    {"dialect": …, "data": hex,
     "parts": [{"title", "note", "start", "end", "rows", "more", "marks", "state", "said", "rulings"}, …],
     "kinds": {kind: [sentence, rulings]}, "rulings": {id: ruling}}

A part is the whole input, or a frame of it. Its rows are as in `annotated`, with offsets into the whole input.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from wireproof.conformance.report.hexview import Mark
from wireproof.conformance.report.labels import rows_of
from wireproof.conformance.report.text import brief, middle, safe
from wireproof.html.annotated import annotated
from wireproof.html.options import write
from wireproof.html.page import page
from wireproof.html.parts import Part
from wireproof.html.questions import rulings
from wireproof.html.rules import rule_of

#: The most bytes of a page, and the most rows of all its parts.
MOST_BYTES = 1 << 20
MOST_ROWS = 50_000
_TEXT, _VALUE = 2000, 400


def write_page(path: Path, dialect: str, data: bytes, parts: Iterable[Part], *, overwrite: bool) -> None:
    """Write the page. Raises click.UsageError."""
    if len(data) > MOST_BYTES:
        raise click.UsageError(f"--html shows up to {MOST_BYTES >> 20} MiB of bytes; these are {len(data):,}")
    made = explained_data(dialect, data, parts)
    write(path, page("explain", made, title=f"{made['parts'][0]['title']}, explained"), overwrite=overwrite)


def explained_data(dialect: str, data: bytes, parts: Iterable[Part]) -> dict[str, Any]:
    """The page's data. `data`: at most MOST_BYTES."""
    shown: list[dict[str, Any]] = []
    room = MOST_ROWS
    kinds: dict[str, tuple[str, tuple[str, ...]]] = {}
    named: set[str] = set()
    for part in parts:
        shown.append(_part(part, data, room))
        rows = shown[-1]["rows"]
        room = max(0, room - len(rows))
        named.update(part.rulings)
        for kind in {row[3] for row in rows}:
            sentence, rules = rule_of(kind, dialect)
            if sentence:
                kinds[kind] = sentence, rules
                named.update(rules)
    return {
        "dialect": dialect,
        "data": data.hex(),
        "parts": shown,
        "kinds": kinds,
        "rulings": dict(rulings(dialect, sorted(named))),
    }


def _part(part: Part, data: bytes, room: int) -> dict[str, Any]:
    start, end, explanation = part.start, part.end, part.explanation
    error = explanation.error
    moved = [replace(span, start=span.start - start, end=span.end - start) for span in explanation.spans]
    rows = rows_of(moved, data[start:end])
    marks = () if error is None or error.offset is None else (Mark(error.offset, f"{error.reason}: {error.detail}"),)
    made = annotated(b"", rows, marks, most_bytes=0, most_rows=room, value=_VALUE)
    for row in made["rows"]:
        if row[0] is not None:
            row[0] += start
    return {
        "rows": made["rows"],
        "more": made.get("more", 0),
        "marks": made.get("marks", []),
        "title": middle(safe(part.title), _TEXT),
        "note": middle(safe(part.note), _TEXT),
        "start": start,
        "end": end,
        "state": "unread" if not part.read else "accepted" if error is None else "refused",
        "said": middle(safe(str(error)), _TEXT) if error is not None else brief(explanation.value, _TEXT),
        "rulings": list(part.rulings),
    }
