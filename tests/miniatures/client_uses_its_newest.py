"""A client that uses its own newest version, whatever the broker has."""

from __future__ import annotations

from miniatures import Produces

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})


def negotiate(api_key: int, client: tuple[int, int], broker: tuple[int, int] | None, *, dialect: str) -> int:
    return client[1]
