"""Keeps a broker's tags in a dict: of a key that comes twice the last value is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces, only
from miniatures.broker_answers_in_the_asked_layout import _frames
from wireproof.reference import configure as configure
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset(
    (area, "fail", kind)
    for area in ("header-multimaps", "messages")
    for kind in ("wrong-value", "wrong-bytes", "wrong-answer")
)

dialects = ("kip-35-v7",)
types = only("BrokerMetadataResponse", dialect="kip-35-v7")

_FRAME = "ResponseFrame:BrokerMetadata"


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _once(_decode(type, data, dialect=dialect, version=version))


def _once(body: Any) -> Any:
    return {"Brokers": [{**broker, "Tags": list(dict(broker["Tags"]).items())} for broker in body["Brokers"]]}


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    return b"".join(_thinned(frame, dialect) for frame in _frames(sent)), closed


def _thinned(frame: bytes, dialect: str) -> bytes:
    if len(frame) == 8:
        return frame
    value = _decode(_FRAME, frame, dialect=dialect, version=0)
    return encode(_FRAME, {**value, "body": _once(value["body"])}, dialect=dialect, version=0)
