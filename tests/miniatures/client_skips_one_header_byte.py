"""A client that passes over one byte of a flexible header, whatever tags it holds."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from miniatures.client_reads_behind_the_correlation_id import API_VERSIONS
from wireproof.reference import decode as _decode
from wireproof.reference import dialect_named
from wireproof.reference import interpret as _interpret

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any] | str:
    outcome = _interpret(request, response, dialect=dialect)
    name = dialect_named(dialect).apis().get(int.from_bytes(request[4:6]))
    if name is None or request[4:6] == API_VERSIONS or response is None or outcome["outcome"] == "malformed":
        return outcome
    version = int.from_bytes(request[6:8])
    header = _decode(f"ResponseFrame:{name}", response, dialect=dialect, version=version)["header"]
    if "_tags" not in header:
        return outcome
    return _interpret(request, response[:8] + b"\x00" + response[9:], dialect=dialect)
