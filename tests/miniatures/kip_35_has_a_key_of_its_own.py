"""Gives BrokerMetadata the api key 18, whatever `configure` says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miniatures import Produces
from wireproof.reference import Reference

PRODUCES: Produces = frozenset(
    {
        *(
            (area, "fail", "wrong-answer")
            for area in ("header-multimaps", "unsupported-versions", "framing", "messages")
        ),
        # A malformed request is one that it does not know.
        *((area, "contested", None) for area in ("null-encodings", "resource-limits", "framing", "messages")),
    }
)
TAKES = frozenset({"R-35-11"})

dialects = ("kip-35-v7",)

_own = Reference()
rejects = _own.rejects
serve = _own.serve
interpret = _own.interpret


def configure(settings: Mapping[str, Any], *, dialect: str) -> None:
    _own.configure({**settings, "api_key": 18}, dialect=dialect)
