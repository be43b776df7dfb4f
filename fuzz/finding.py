"""How a judged question becomes a finding, and what that is called."""

from __future__ import annotations

import hashlib
import re

from conformance import rows
from conformance.asking import Judged
from conformance.model import Verdict
from fuzz.found import Found

_PLAIN = re.compile(r"[^A-Za-z0-9]+")
#: The longest part of a file's name that is for people.
_LONGEST = 80


def name_of(verdict: Verdict) -> str:
    """The name of a finding: of its dialect and signature, as a file's name, the same for the same signature."""
    signature = verdict.signature
    parts = [verdict.dialect, signature.op, signature.type, signature.verdict, signature.kind, signature.cause]
    told = "-".join(_PLAIN.sub("-", part).strip("-") for part in map(str, filter(None, parts)))[:_LONGEST]
    exact = repr((verdict.dialect, *parts_of(verdict).values()))
    return f"{told}-{hashlib.sha256(exact.encode()).hexdigest()[:8]}"


def parts_of(verdict: Verdict) -> dict[str, str | None]:
    """A verdict's signature by its parts' names."""
    signature = verdict.signature
    return {
        part: None if getattr(signature, part) is None else str(getattr(signature, part))
        for part in ("op", "type", "verdict", "kind", "cause", "frame")
    }


def made_of(judged: Judged, raw: bytes, target: str) -> Found:
    """The finding of a deviation. `raw`: the input that showed it."""
    case = judged.case
    data = case.id.rpartition("/x")[2].partition("#")[0].partition("+")[0]
    return Found(
        name=name_of(judged.verdict),
        signature=parts_of(judged.verdict),
        target=target,
        dialect=case.dialect,
        id=case.id,
        input=raw.hex(),
        size=len(data) // 2,
        row=rows.judged_row(judged),
    )
