"""A broker that groups what was produced by partition, and answers in that order."""

from __future__ import annotations

from collections.abc import Sequence

from support.wire_format_answers import changed, sorted_sets

from miniatures import Produces

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "wrong-answer"),
    }
)

dialects = ("wire-format",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    return changed(chunks, sorted_sets(lambda place: place[1]))
