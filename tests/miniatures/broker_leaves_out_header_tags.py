"""A broker that writes the correlation id and then the body, in flexible versions too: T22 of the bugs."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import _frames
from wireproof.reference import configure as configure
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer"), ("framing", "fail", "wrong-answer")})

#: The first flexible versions of the apis that the broker answers.
FLEXIBLE = {0: 9, 3: 9}


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    asked = {}
    for frame in _frames(b"".join(chunks)):
        key, version = int.from_bytes(frame[4:6]), int.from_bytes(frame[6:8], signed=True)
        asked[frame[8:12]] = version >= FLEXIBLE.get(key, 32767)
    return b"".join(_untagged(frame) if asked[frame[4:8]] else frame for frame in _frames(sent)), closed


def _untagged(frame: bytes) -> bytes:
    """Without the byte behind size and correlation id."""
    return (len(frame) - 5).to_bytes(4) + frame[4:8] + frame[9:]
