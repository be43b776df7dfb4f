"""Drafts a file of known deviations from the deviations of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tomlkit

from wireproof.conformance.judging.findings import Finding, findings
from wireproof.conformance.model import Verdict


def draft(verdicts: Iterable[Verdict], name: str) -> str:
    """A draft of a file with these deviations, one entry for each finding, for a person to complete."""
    document = tomlkit.document()
    document.add(
        tomlkit.comment(f"Known deviations of {name}. Check the class of each entry, and say the cause in `reason`.")
    )
    entries = tomlkit.aot()
    for finding in findings(verdicts):
        entries.append(_drafted(finding))
    if entries:  # else TOML would have "deviation = []", to which no [[deviation]] can be added
        document.add("deviation", entries)
    return tomlkit.dumps(document)


def _drafted(finding: Finding) -> Any:
    first = finding.verdicts[0]
    entry = tomlkit.table()
    parts = tomlkit.inline_table()
    parts.update(finding.group.row())
    cases = len(finding.verdicts)
    entry.add(tomlkit.comment(f"{cases} {'case' if cases == 1 else 'cases'}, the first is {first.id}"))
    entry.add("finding", parts)
    entry.add("class", "bug")
    entry.add("reason", f"{first.outcome}{f' ({first.kind})' if first.kind else ''}: {first.detail}"[:200])
    entry.add("reported", "pending")
    return entry
