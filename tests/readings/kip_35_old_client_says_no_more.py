"""A client from before KIP-35 whose error says that an answer is malformed, and not to which request."""

from __future__ import annotations

from typing import Any

from miniatures import Produces

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-35-8"})

dialects = ("kip-35-v7",)

_own = Reference(rules_with(rulings("kip-35-v7").values(), {"R-35-8": "other"}))
rejects = _own.rejects
configure = _own.configure


def interpret(request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
    return {key: item for key, item in _own.interpret(request, response, dialect=dialect).items() if key != "request"}
