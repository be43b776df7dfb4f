"""A broker that gives every answer the correlation id of the connection's first request."""

from __future__ import annotations

from collections.abc import Sequence

from support.wire_format_answers import Answer, changed

from miniatures import Produces

PRODUCES: Produces = frozenset(
    {
        ("messages", "fail", "wrong-answer"),
    }
)

dialects = ("wire-format",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    return changed(chunks, _mixed_up)


def _mixed_up(asked: list[Answer], answers: list[Answer]) -> list[Answer]:
    ids = [answer["correlation_id"] for _, answer in answers]
    mixed = ids[:1] * len(ids)
    return [(api, answer | {"correlation_id": number}) for (api, answer), number in zip(answers, mixed, strict=True)]
