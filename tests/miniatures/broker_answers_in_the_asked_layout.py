"""A broker that answers an unsupported version of ApiVersions in the newest layout, not in that of version 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from miniatures import Produces
from wireproof.reference import configure as configure
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})

UNSUPPORTED_VERSION = 35


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    return b"".join(map(_newest, _frames(sent))), closed


def _frames(sent: bytes) -> Iterator[bytes]:
    while sent:
        size = 4 + int.from_bytes(sent[:4])
        yield sent[:size]
        sent = sent[size:]


def _newest(frame: bytes) -> bytes:
    """Size and correlation id are 8 bytes, then comes the error."""
    if int.from_bytes(frame[8:10]) != UNSUPPORTED_VERSION:
        return frame
    value = _decode("ResponseFrame:ApiVersions", frame, dialect="kafka", version=0)
    return _encode("ResponseFrame:ApiVersions", value, dialect="kafka", version=5)
