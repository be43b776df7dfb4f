"""The page docs/rulings.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pages.markdown import NOTE, Lines, cell, code, table
from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.evidence import attestation
from wireproof.conformance.evidence.attestation import Result
from wireproof.reference.rules import Ruling

_RULINGS = """\
A ruling is the kit's reading of a point that the specification leaves open. Vectors name the rulings they rest on.

A ruling marked ‡ is *contested*: the kit demands the reading in the column "demanded". An implementation that takes the
other reading is reported as `contested`, which is neither a pass nor a failure. All other outcomes fail. If a library
takes the other reading, its wrapper writes the text of the last column into its `readings`, see
[the contract](reference/contract.md#readings). If the column is empty, the reference has no switch for the ruling.
*Required* means that nearly all bytes differ under the other reading: who takes it without declaring it
[fails](explanation/contested-rulings.md).

Where a ruling comes from stands in three columns: what a public text says, word for word (a text without a quote is
silent); what Kafka's own classes do; and what the kit asks beyond both. A deviation is called a *bug* of a library only
where a public text is quoted. *Seen* are the answers of Kafka's own classes to the questions whose vectors name the
ruling: how many are as demanded, how many of the other reading, how many neither.

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
        seen = _seen_of_kafka(dialect)
        yield from table(head, (_ruling_row(ruling, seen.get(ruling.id, Counter())) for ruling in rulings))


def _seen_of_kafka(dialect: str) -> Mapping[str, Counter[Result]]:
    """The answers of Kafka's own classes, as attested, by ruling."""
    kafka = [found for found in attestation.load() if found.header.group == "kafka-clients"]
    seen: dict[str, Counter[Result]] = {}
    for vector in vectors.load([dialect]):
        for op in attestation.expectations(vector):
            answers = (found.answer(vector, op) for found in kafka if found.header.dialect == dialect)
            for answer in filter(None, answers):
                for ruling in vector.rulings:
                    seen.setdefault(ruling, Counter())[answer.result] += 1
    return seen


def _ruling_row(ruling: Ruling, seen: Counter[Result]) -> tuple[str, ...]:
    name = f'<a id="{ruling.id.lower()}"></a>{ruling.id}{" ‡" if ruling.contested else ""}'
    beyond = f"<br>*beyond what is asked*: {cell(ruling.beyond)}" if ruling.beyond else ""
    cells = (cell(ruling.question), cell(ruling.demanded) + beyond, cell(ruling.other))
    origin = (_text(ruling), cell(ruling.kafka) + _seen(seen), cell(ruling.kit))
    declared = " or ".join(code(f'"{other}"') for other in ruling.others) + " (required)" * ruling.layout
    return name, *cells, *origin, declared


def _seen(answers: Counter[Result]) -> str:
    """In how many answers Kafka's classes did what is demanded."""
    named = {Result.AGREE: "as demanded", Result.CONTESTED: "of the other reading", Result.DISSENT: "neither"}
    said = [f"{answers[result]} {words}" for result, words in named.items() if answers[result]]
    return f"<br>*seen*: {', '.join(said)}" if said else ""


def _text(ruling: Ruling) -> str:
    """The public text: its words, then its name and section as a link."""
    place = f"[{cell(ruling.source)}]({ruling.link})" if ruling.link else cell(ruling.source)
    return f"“{cell(ruling.quote)}” ({place})" if ruling.quote else place
