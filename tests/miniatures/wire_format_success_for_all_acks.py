"""A broker that tells success whatever acknowledgements are required, though its leaders are alone."""

from __future__ import annotations

from collections.abc import Sequence

from support.wire_format_answers import frames

from miniatures import Produces
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "wrong-answer"),
    }
)

dialects = ("wire-format",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    received = b"".join(chunks)
    whole = [_reachable(frame) for frame in frames(received)]
    return _serve([b"".join(whole), received[sum(map(len, whole)) :]], dialect=dialect)


def _reachable(frame: bytes) -> bytes:
    """The request with acks 1, where any are required."""
    acks = 14 + int.from_bytes(frame[12:14])
    required = frame[4:6] == b"\0\0" and frame[acks] != 0
    return frame[:acks] + b"\1" + frame[acks + 1 :] if required else frame
