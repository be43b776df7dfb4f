"""The page docs/rulings.md."""

from __future__ import annotations

from pages.markdown import NOTE, Lines, cell, code, table
from wireproof import reference
from wireproof.reference.rules import Ruling

_RULINGS = """\
A ruling is the kit's reading of a point that the specification leaves open. Vectors name the rulings they rest on.

A ruling marked ‡ is *contested*: the kit demands the reading in the column "demanded". An implementation that takes the
other reading is reported as `contested`, which is neither a pass nor a failure. All other outcomes fail. If a library
takes the other reading, its wrapper writes the text of the last column into its `readings`, see
[the contract](reference/contract.md#readings). If the column is empty, the reference has no switch for the ruling.

Where a ruling comes from stands in three columns: what a public text says, word for word (a text without a quote is
silent); what Kafka's own classes do; and what the kit asks beyond both. A deviation is called a *bug* of a library only
where a public text is quoted.

[Why rulings are contested](explanation/contested-rulings.md) · [How to dispute one](how-to/dispute-a-ruling.md)
"""


def page() -> Lines:
    """All rulings of all dialects."""
    yield from ("# Rulings", "", NOTE, "", _RULINGS)
    for dialect in reference.dialects:
        rulings = reference.rulings(dialect).values()
        contested = sum(ruling.contested for ruling in rulings)
        yield from (f"## {dialect}", "", f"{len(rulings)} rulings, {contested} of them contested.", "")
        head = (
            "ruling",
            "point",
            "demanded",
            "other reading",
            "public text",
            "Kafka's classes",
            "the kit alone",
            "declared as",
        )
        yield from table(head, map(_ruling_row, rulings))


def _ruling_row(ruling: Ruling) -> tuple[str, ...]:
    name = f'<a id="{ruling.id.lower()}"></a>{ruling.id}{" ‡" if ruling.contested else ""}'
    beyond = f"<br>*beyond what is asked*: {cell(ruling.beyond)}" if ruling.beyond else ""
    cells = (cell(ruling.question), cell(ruling.demanded) + beyond, cell(ruling.other))
    origin = (_text(ruling), cell(ruling.kafka), cell(ruling.kit))
    return name, *cells, *origin, " or ".join(code(f'"{other}"') for other in ruling.others)


def _text(ruling: Ruling) -> str:
    """The public text: its words, then its name and section as a link."""
    place = f"[{cell(ruling.source)}]({ruling.link})" if ruling.link else cell(ruling.source)
    return f"“{cell(ruling.quote)}” ({place})" if ruling.quote else place
