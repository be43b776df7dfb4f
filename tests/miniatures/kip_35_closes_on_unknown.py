"""A broker from before KIP-35: it closes the connection on what it does not know."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import _frames
from wireproof.reference import configure as configure
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset(
    {
        ("unsupported-versions", "fail", "wrong-answer"),
        ("framing", "fail", "wrong-answer"),
        ("unsupported-versions", "contested", None),
    }
)
TAKES = frozenset({"R-35-9"})

dialects = ("kip-35-v7",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    kept = b""
    for frame in _frames(sent):
        if len(frame) == 8:
            return kept, True
        kept += frame
    return kept, closed
