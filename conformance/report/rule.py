"""A ruling in reports."""

from __future__ import annotations

from rich.text import Text

from wireproof.conformance.report.hexview import DIM, GOOD
from wireproof.conformance.report.text import safe, wrap
from wireproof.reference.rules import Ruling


def ruling_text(identifier: str, ruling: Ruling | None, width: int) -> Text:
    """The ruling's id, question, demand and other reading, on lines of `width`; for None only the id."""
    if ruling is None:
        return Text(safe(identifier), "bold")
    mark = " ‡" if ruling.contested else ""
    first, *rest = wrap(safe(ruling.question), width - len(identifier) - len(mark) - 2) or [""]
    out = Text().append(identifier, "bold").append(f"{mark}  {first}")
    for line in rest:
        out.append(f"\n    {line}")
    for title, said, style in (
        ("demanded", ruling.demanded, GOOD),
        ("other reading", ruling.other, "yellow"),
        ("source", ruling.source, DIM),
    ):
        if said:
            first, *rest = wrap(safe(f"{title}: {said}"), width - 4)
            out.append(f"\n  {first}", style)
            for line in rest:
                out.append(f"\n    {line}", style)
    return out
