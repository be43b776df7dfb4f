"""A broker that waits for the minimum of the required acks and the replicas in sync, as a comment would have it."""

from __future__ import annotations

from collections.abc import Sequence

from support.wire_format_answers import frames

from miniatures import Produces
from miniatures.wire_format_success_for_all_acks import _reachable
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "wrong-answer"),
    }
)

dialects = ("wire-format",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    received = b"".join(chunks)
    whole = [frame if _acks(frame) <= 1 else _reachable(frame) for frame in frames(received)]
    return _serve([b"".join(whole), received[sum(map(len, whole)) :]], dialect=dialect)


def _acks(frame: bytes) -> int:
    at = 14 + int.from_bytes(frame[12:14])
    return int.from_bytes(frame[at : at + 1], signed=True) if frame[4:6] == b"\0\0" else 0
