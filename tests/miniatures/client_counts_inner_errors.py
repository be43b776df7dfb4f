"""A client that takes the error of a topic, a partition or a member for the whole answer's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from miniatures import Produces
from miniatures.client_reads_behind_the_correlation_id import API_VERSIONS, concluded
from wireproof.reference import decode as _decode
from wireproof.reference import dialect_named
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any] | str:
    outcome = _interpret(request, response, dialect=dialect)
    if request[4:6] == API_VERSIONS or response is None or outcome["outcome"] != "accepted":
        return outcome
    name, version = dialect_named(dialect).apis()[int.from_bytes(request[4:6])], int.from_bytes(request[6:8])
    body = _decode(f"ResponseFrame:{name}", response, dialect=dialect, version=version)["body"]
    return concluded(next(_errors(body), 0))


def _errors(value: Any) -> Iterator[int]:
    """All error codes but 0, in order, however deep."""
    if isinstance(value, list):
        for item in value:
            yield from _errors(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("ErrorCode", "PartitionErrorCode") and item != 0:
                yield item
            yield from _errors(item)
