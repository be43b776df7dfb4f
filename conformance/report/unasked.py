"""How much of each area says nothing of an implementation: what it was not asked, and what could not be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from conformance.model import Outcome, Verdict

#: From this share on it is said.
_LARGE = 0.1
_NOT_OFFERED = "not offered"


def unasked(verdicts: Iterable[Verdict], not_offered: Mapping[str, int]) -> dict[str, str]:
    """Area → a line, for the areas of which a large share was not asked or not judged: what share, and why.

    `not_offered`: area → how many questions of the dialects that it offers were not put to it.
    """
    totals: Counter[str] = Counter(not_offered)
    reasons: dict[str, Counter[str]] = {
        area: Counter({_NOT_OFFERED: count}) for area, count in not_offered.items() if count
    }
    for verdict in verdicts:
        totals[verdict.area] += 1
        if verdict.verdict in (Outcome.SKIP, Outcome.NOT_ASKED):
            why = verdict.note or str(verdict.verdict)
            reasons.setdefault(verdict.area, Counter())[why] += 1
    return {
        area: _line(found, totals[area]) for area, found in reasons.items() if found.total() >= _LARGE * totals[area]
    }


def _line(reasons: Counter[str], total: int) -> str:
    count = reasons.total()
    percent = min(round(100 * count / total), 99 if count < total else 100)
    why = "; ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
    return f"{percent} % of {total:,} questions were not asked, or not judged: {why}"
