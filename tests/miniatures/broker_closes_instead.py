"""A broker that closes the connection on an unsupported version of ApiVersions, as on one of any other api."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import UNSUPPORTED_VERSION, _frames
from wireproof.reference import configure as configure
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    kept = b""
    for frame in _frames(sent):
        if int.from_bytes(frame[8:10]) == UNSUPPORTED_VERSION:
            return kept, True
        kept += frame
    return kept, closed
