"""A broker that reads a request's whole header, the client's name too, before it says that it does not know it."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import _frames
from wireproof.reference import configure as configure
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer"), ("framing", "fail", "wrong-answer")})

dialects = ("kip-35-v7",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    kept = b""
    for request, answer in zip(_frames(b"".join(chunks)), _frames(sent), strict=False):
        if not _has_a_name(request):
            return kept, True
        kept += answer
    return kept, closed


def _has_a_name(request: bytes) -> bool:
    if len(request) < 14:
        return False
    length = int.from_bytes(request[12:14], signed=True)
    return length >= -1 and 14 + max(0, length) <= len(request)
