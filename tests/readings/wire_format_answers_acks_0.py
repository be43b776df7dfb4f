"""A broker that answers every Produce, one with acks 0 too, to which nobody waits for an answer."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import _frames

from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("messages", "contested", None),
    }
)
TAKES = frozenset({"R-WF-15"})

dialects = ("wire-format",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    return _serve([_with_acks(frame) for frame in _frames(b"".join(chunks))], dialect=dialect)


def _with_acks(frame: bytes) -> bytes:
    """The same request with acks 1 where it had 0."""
    if frame[4:6] != b"\x00\x00" or len(frame) < 16:
        return frame
    acks = 14 + int.from_bytes(frame[12:14])
    return frame[:acks] + (b"\x01" if frame[acks : acks + 1] == b"\x00" else frame[acks : acks + 1]) + frame[acks + 1 :]
