"""Groups deviations into findings, by the signature of the verdict."""

from __future__ import annotations

import hashlib
import re

import msgspec

from wireproof.conformance.asking import rows
from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.judging.clusters import Signature
from wireproof.conformance.model import Verdict
from wireproof.fuzz.campaign.finding import FuzzFinding, seed_of

_PLAIN = re.compile(r"[^A-Za-z0-9]+")
#: The maximum length of the readable part of a file name.
_LONGEST = 80


def name_of(verdict: Verdict) -> str:
    """The name of a finding, made from its dialect and signature. It can be used as a file name."""
    signature = Signature.of(verdict)
    parts = [verdict.dialect, signature.op, signature.type, signature.verdict, signature.kind, signature.cause]
    readable = "-".join(_PLAIN.sub("-", part).strip("-") for part in map(str, filter(None, parts)))[:_LONGEST]
    exact = repr((verdict.dialect, *parts_of(verdict).values()))
    return f"{readable}-{hashlib.sha256(exact.encode()).hexdigest()[:8]}"


def parts_of(verdict: Verdict) -> dict[str, str | None]:
    """The parts of a verdict's signature, by name."""
    return msgspec.structs.asdict(Signature.of(verdict))


def finding_of(judged: Judged, raw: bytes, target: str) -> FuzzFinding:
    """The finding of a deviation. `raw`: the input that caused it."""
    case = judged.case
    return FuzzFinding(
        name=name_of(judged.verdict),
        signature=parts_of(judged.verdict),
        target=target,
        dialect=case.dialect,
        id=case.id,
        input=raw.hex(),
        size=len(seed_of(case.id)),
        row=rows.judged_row(judged),
    )
