"""A broker that closes the connection on a fetch that may not wait for its bytes: max_wait is 0."""

from __future__ import annotations

from collections.abc import Iterable

from miniatures import Produces, only
from wireproof import reference
from wireproof.reference.peers import framing

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-answer")})

dialects = ("wire-format",)
types = only(dialect="wire-format")
configure = reference.configure


def serve(chunks: Iterable[bytes], *, dialect: str) -> tuple[bytes, bool]:
    arrived, before = framing.Frames(), b""
    chunks = [bytes(chunk) for chunk in chunks]
    for chunk in chunks:
        arrived.add(chunk)
        try:
            while (frame := arrived.next()) is not None:
                request = len(frame).to_bytes(4, "big") + frame
                if _cannot_wait(request, dialect):
                    return reference.serve([before], dialect=dialect)[0], True
                before += request
        except reference.DecodeError:
            break
    return reference.serve(chunks, dialect=dialect)


def _cannot_wait(request: bytes, dialect: str) -> bool:
    try:
        fetch = reference.decode("FetchRequest", request, dialect=dialect)
    except reference.WireError:
        return False
    return bool(fetch["min_bytes"] > 0 and fetch["max_wait"] == 0)
