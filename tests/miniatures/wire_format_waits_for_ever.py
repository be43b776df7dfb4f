"""A broker that never answers a fetch whose bytes do not come: max_wait goes by, and it still waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.wire_format_answers import Answer, changed, lacks_bytes

from miniatures import Produces, only
from wireproof.reference import configure as configure

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-answer")})

dialects = ("wire-format",)
types = only(dialect="wire-format")


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    return changed(chunks, _without_those_that_wait)


def _without_those_that_wait(requests: list[Answer], answers: list[Answer]) -> list[Answer]:
    return [answer for request, answer in zip(requests, answers, strict=True) if not _waits(*request, answer[1])]


def _waits(api: str, request: dict[str, Any], answer: dict[str, Any]) -> bool:
    return api == "Fetch" and request["max_wait"] > 0 and lacks_bytes(request, answer)
