"""Findings: deviations with the same signature are one finding, however many cases show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.model import DEVIATIONS, Signature, Verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """Deviations that look alike, in the order they were found."""

    signature: Signature
    verdicts: tuple[Verdict, ...]


def findings(verdicts: Iterable[Verdict]) -> list[Finding]:
    """The deviations among `verdicts`, bucketed by signature, the most frequent first."""
    buckets: dict[Signature, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.verdict in DEVIATIONS:
            buckets.setdefault(verdict.signature, []).append(verdict)
    found = [Finding(signature, tuple(bucket)) for signature, bucket in buckets.items()]
    return sorted(found, key=lambda finding: -len(finding.verdicts))
