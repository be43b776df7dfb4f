"""A broker that answers every Produce, also one with acks 0, whose client waits for nothing and takes the answer for
the next request's."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import _frames
from wireproof.reference import WireError
from wireproof.reference import configure as configure
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer"), ("framing", "fail", "wrong-answer")})

PRODUCE = b"\x00\x00"


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    return _serve([_with_acks(frame, dialect) for frame in _frames(b"".join(chunks))], dialect=dialect)


def _with_acks(frame: bytes, dialect: str) -> bytes:
    """The same request with acks 1; what is no whole Produce stays as it is."""
    try:
        value = _decode("RequestFrame", frame, dialect=dialect) if frame[4:6] == PRODUCE else None
    except WireError:
        return frame
    if value is None or value["body"]["Acks"] != 0:
        return frame
    value["body"]["Acks"] = 1
    return _encode("RequestFrame", value, dialect=dialect)
