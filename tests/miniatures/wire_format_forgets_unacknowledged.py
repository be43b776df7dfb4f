"""A broker that throws away what was produced where the required acknowledgements did not come."""

from __future__ import annotations

from collections.abc import Sequence

from support.wire_format_answers import DIALECT, frames

from miniatures import Produces
from wireproof import reference
from wireproof.reference import configure as configure

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-answer")})

dialects = (DIALECT,)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    received = b"".join(chunks)
    whole = list(frames(received))
    kept = [frame if _reached(frame) else _without_messages(frame) for frame in whole]
    return reference.serve([*kept, received[sum(map(len, whole)) :]], dialect=dialect)


def _reached(frame: bytes) -> bool:
    acks = 14 + int.from_bytes(frame[12:14])
    return frame[4:6] != b"\0\0" or frame[acks] in (0, 1, 255)


def _without_messages(frame: bytes) -> bytes:
    """The request with an empty set in place of each of its sets."""
    request = reference.decode("ProduceRequest", frame, dialect=DIALECT)
    for topic in request["data"]:
        topic["partition_data"] = [row | {"messages": []} for row in topic["partition_data"]]
    return reference.encode("ProduceRequest", request, dialect=DIALECT)
