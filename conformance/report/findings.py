"""The list of a run's findings: for each the number of its cases, what they have in common, and a command that repeats
one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from wireproof.conformance.judging.clusters import Cluster, Group
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.report.hexview import DIM, FAULT
from wireproof.conformance.report.text import safe, wrap

#: The maximum number of findings in the list.
LISTED = 20


def findings_text(
    name: str,
    spec: str,
    findings: Sequence[Cluster],
    simplest: Mapping[Group, str],
    *,
    width: int,
    limit: int = LISTED,
    reached_by: Sequence[str] = (),
) -> Text:
    """At most `limit` findings of one implementation, the most frequent first. `simplest`: the ids to repeat them by;
    without one, the first case's. `reached_by`: as in a Description."""
    cases = sum(len(finding.verdicts) for finding in findings)
    out = Text(f"{safe(name)}: {_many(len(findings), 'finding')} in {_many(cases, 'case')} that deviate\n", "bold")
    margin = len(str(len(findings[0].verdicts))) + 2 if findings else 0
    for finding in findings[:limit]:
        first, *rest = wrap(safe(str(finding.group)), width - margin - 2) or [""]
        out.append(f"{len(finding.verdicts):>{margin}}", FAULT).append(f"  {first}\n")
        for line in rest:
            out.append(f"{'':{margin + 2}}{line}\n")
        repro = repro_command(simplest.get(finding.group, finding.verdicts[0].id), spec, reached_by)
        out.append(f"{'':{margin + 2}}{repro}\n", DIM)
    if len(findings) > limit:
        left = findings[limit:]
        behind = sum(len(finding.verdicts) for finding in left)
        out.append(
            f"{'':{margin + 2}}… and {_many(len(left), 'finding')} more, in {_many(behind, 'case')}: each has its page "
            "above; in the lines of --report=FILE each case has its `group`\n",
            DIM,
        )
    return out


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
