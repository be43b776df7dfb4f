"""`wireproof finding`: the text of a report about a finding in a released library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from wireproof.clone import known_issues, registry, reproducers
from wireproof.clone.known_issues import Example, KnownIssue
from wireproof.clone.reproducers import Reproducer
from wireproof.conformance.evidence import attestation, known_deviations
from wireproof.conformance.evidence.known_deviations import Known
from wireproof.conformance.judging.rulings import rests_on
from wireproof.conformance.model import Op
from wireproof.conformance.report import background, question
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.report.jsonl import read_report
from wireproof.conformance.report.text import middle, paragraph
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.vectors import Vector
from wireproof.console import say
from wireproof.reference.rules import Ruling

#: The most characters of a value, and the most bytes of an input, in a text.
_LONGEST = 1000
#: The columns of a conversation.
_WIDTH = 100
#: Ops whose question is bytes, perhaps with something beside them.
_OF_BYTES = (Op.DECODE, Op.RECODE, *question.ASKED_BESIDE_BYTES)


@click.command(epilog="Exit codes: 0 it was printed, 2 a usage error.")
@click.argument("name", metavar="NAME")
@click.argument("case", metavar="[ID]", required=False)
@click.option("--known", metavar="FILE", type=click.Path(path_type=Path), help="The known deviations beside a report.")
def finding(name: str, case: str | None, known: Path | None) -> None:
    """Print a text about a finding, to report it to the library's project.

    NAME is an implementation of the clone, as docs/reference/findings.md names it; or the file that a run of any
    library wrote with --report=FILE, whose findings have the reasons of --known. Without an ID its findings are listed,
    each with the id of the shortest case. With that ID the text is printed, as Markdown: what is wrong, which
    bytes show it, what the specification says and where, who gives the demanded answer, a program in the library's
    language that shows it, if there is one, and how to repeat it. Complete it by hand.

    \b
    Examples:
        wireproof finding kio
        wireproof finding kio 'kafka/varints/uvarint-minus-1#encode'
        wireproof finding report.jsonl --known=my_codec.known.toml
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    found = _of_report(Path(name), known) if Path(name).is_file() else _of_clone(name)
    if case is None:
        for one in found:
            severity = f"{one.severity or 'not measured'}{', private first' if one.private else ''}"
            say(f"{one.shortest.id if one.shortest else 'no case'}: {severity}: {one.reason}")
        return
    for one in found:
        if one.shortest is not None and one.shortest.id == case:
            for line in _text(one, one.shortest):
                say(line)
            return
    raise click.UsageError(
        f"{name} has no finding whose shortest case is {case}; `wireproof finding {name}` lists them"
    )


def _of_clone(name: str) -> list[KnownIssue]:
    (implementation,) = registry.chosen((name,))
    return known_issues.of_implementation(implementation, known_issues.attested_by_name().get(implementation.name))


def _of_report(path: Path, known: Path | None) -> list[KnownIssue]:
    with path.open("rb") as file:
        report = read_report(file, path.name)
    version = report.header.implementation.version
    return known_issues.of_report(report, Known(None, ()) if known is None else known_deviations.load(known, version))


def _text(found: KnownIssue, shown: Example) -> Iterator[str]:
    """The report, line by line."""
    implementation, vector = found.implementation, shown.vector
    title = " ".join(filter(None, (implementation.name, found.version)))
    typed = " ".join(filter(None, (vector.type, "" if vector.version is None else f"version {vector.version}")))
    asked = f"{shown.op} as `{typed}`" if typed else str(shown.op)
    if found.private:
        yield "<!-- Private first: this may be a vulnerability. Report it as the project's security policy asks. -->"
    yield from (f"# {title}: {asked.replace('`', '')}: {found.severity}", "")
    yield from (*paragraph(found.reason).splitlines(), "")
    yield from ("## Input", "", f"{asked}: {vector.about}", "", "```text", *_input(vector, shown.op))
    yield from ("```", "", "## What the protocol demands", "")
    yield from (*_demand(vector, shown.op), "")
    rulings = background.rulings(vector.dialect)
    rested_on = vector.rulings if vector.reject is None else rests_on(vector, vector.case(shown.op))
    for ruling in filter(None, map(rulings.get, rested_on)):
        yield f"- {ruling.question}: {ruling.demanded}"
        yield from _origin(ruling)
    if vector.source:
        yield f"- Source: {vector.source}"
    agree = attestation.agreeing(vector, vector.case(shown.op), title)
    if agree:
        yield f"- The same answer is given by {', '.join(agree)}"
    yield from ("", *_reproducer(reproducers.reproducer(implementation.name, shown.id, vector, found.version)))
    yield from ("", "## Repeat it with Wireproof", "", "```text")
    yield from (repro_command(shown.id, implementation.spec), "```")


def _origin(ruling: Ruling) -> Iterator[str]:
    """Where a ruling comes from: a public text, Kafka's classes, the kit alone."""
    place = f"[{ruling.source}]({ruling.link})" if ruling.link else ruling.source
    if ruling.quote:
        yield f"  - {place} says: “{ruling.quote}”"
    if ruling.kafka:
        yield f"  - Kafka's classes: {ruling.kafka}"
    if ruling.kit:
        yield f"  - No text and no class asks this, Wireproof does: {ruling.kit}"


def _reproducer(program: Reproducer | None) -> Iterator[str]:
    """What a person does in an empty folder to see the finding with the library alone."""
    yield from ("## Reproduce it", "")
    if program is None:
        yield "There is no program for this finding yet that needs the library alone."
        return
    yield from ("In an empty folder:", "", "```sh", *program.setup, "```", "", f"`{program.file}`:", "")
    yield from (f"```{program.language}", *program.text.splitlines(), "```", "", "```sh", program.run, "```", "")
    shows = ", ".join(f"`{one}`" for one in program.shows)
    yield f"This prints {shows}, and ends with the exit code {program.exit}."


def _input(vector: Vector, op: Op) -> Iterator[str]:
    """The bytes with their labels; the value for `encode`; the conversation of a client or a broker."""
    if op is Op.ENCODE:
        yield _json(vector)
        return
    if op not in _OF_BYTES:
        yield from question.question(vector, vector.case(op), (), _WIDTH).plain.splitlines()
        return
    if op in question.ASKED_BESIDE_BYTES:
        yield from paragraph(f"{question.of_bytes(vector.case(op))}:").splitlines()
    if len(vector.data) > _LONGEST:
        yield f"{vector.data[:_LONGEST].hex()} … ({len(vector.data):,} bytes)"
        return
    yield vector.data.hex(" ") or "(no bytes)"
    for piece in vector.pieces:
        if piece.label:
            yield f"    {piece.data.hex(' ') or '(no bytes)'}: {piece.label}"


def _demand(vector: Vector, op: Op) -> Iterator[str]:
    """The expected answer: a sentence, or the frames of a conversation."""
    if vector.reject is not None:
        at = "" if vector.reject.offset is None else f" at byte {vector.reject.offset}"
        yield f"It is to be refused ({vector.reject.reason}{at})."
    elif op in (Op.ENCODE, Op.RECODE, Op.CONVERT):
        yield f"The bytes are `{middle(vector.canonical_data.hex(' '), _LONGEST)}`."
    elif op is Op.DECODE:
        yield f"The value is `{_json(vector)}`."
    else:
        expected = question.expectation(vector, vector.case(op), _WIDTH).plain.splitlines()
        yield from ("```text", *expected, "```")


def _json(vector: Vector) -> str:
    return middle(msgspec.json.encode(to_json(vector.value)).decode("utf-8", "backslashreplace"), _LONGEST)
