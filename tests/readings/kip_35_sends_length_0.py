"""A broker and a client of KIP-35 that take "Length=0" word by word: the length counts the payload alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import _frames

from wireproof.reference import configure as configure
from wireproof.reference import interpret as _interpret
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None), ("framing", "contested", None)})
TAKES = frozenset({"R-35-3"})

dialects = ("kip-35-v7",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    return b"".join(map(_literal, _frames(sent))), closed


def _literal(frame: bytes) -> bytes:
    return bytes(4) + frame[4:] if len(frame) == 8 else frame


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    if response is not None and len(response) == 8 and response[:4] == bytes(4):
        response = (4).to_bytes(4) + response[4:]
    return _interpret(request, response, dialect=dialect)
