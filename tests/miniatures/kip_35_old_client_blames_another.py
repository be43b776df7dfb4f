"""A client from before KIP-35 that can't parse the empty response, and tells a request type that it was not."""

from __future__ import annotations

from typing import Any

from miniatures import Produces
from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-answer")})

dialects = ("kip-35-v7",)

_own = Reference(rules_with(rulings("kip-35-v7").values(), {"R-35-8": "other"}))
rejects = _own.rejects
configure = _own.configure


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    found = _own.interpret(request, response, dialect=dialect)
    return found | {"request": "ApiVersionsRequest"} if "request" in found else found
