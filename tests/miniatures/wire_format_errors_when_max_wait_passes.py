"""A broker that answers a fetch with an error when max_wait has gone by, as a produce when ack_timeout has."""

from __future__ import annotations

from collections.abc import Sequence

from support.wire_format_answers import Answer, changed, lacks_bytes

from miniatures import Produces, only
from wireproof.reference import configure as configure

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-answer")})

dialects = ("wire-format",)
types = only(dialect="wire-format")


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    return changed(chunks, _with_errors)


def _with_errors(requests: list[Answer], answers: list[Answer]) -> list[Answer]:
    return [
        (api, answer | {"error": 7} if api == "Fetch" and lacks_bytes(request, answer) else answer)
        for (api, request), (_, answer) in zip(requests, answers, strict=True)
    ]
