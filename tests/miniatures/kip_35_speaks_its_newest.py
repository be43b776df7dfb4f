"""A client that speaks its own greatest ProtocolVersion, beyond the broker's."""

from __future__ import annotations

from miniatures import Produces

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})

dialects = ("kip-35-v7",)


def negotiate(api_key: int, client: tuple[int, int], broker: tuple[int, int] | None, *, dialect: str) -> int | None:
    if broker is None or client[0] > broker[1] or broker[0] > client[1]:
        return None
    return client[1]
