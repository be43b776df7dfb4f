"""The page docs/reference/findings.md."""

from __future__ import annotations

import msgspec

from pages.markdown import NOTE, Lines, cell, code, count_or_dash, table
from wireproof.clone import known_issues, registry
from wireproof.conformance import vectors
from wireproof.conformance.evidence import attestation, consensus
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.report.text import middle
from wireproof.conformance.values.encoding import to_json

_FINDINGS = """\
What released libraries do otherwise than the protocol demands: an entry for each cause in their files of known
deviations, which say how each was looked at. Entries about generated cases alone are left out, and those of the class
`unsupported`.

The severity is the worst that a vector shows, or what the entry says, where verdicts say too much or too little.
*Ends the process* is a crash, too much memory, or an exception of a class that a caller does not expect. The shortest
input is that of the vector with the fewest bytes; the command asks it again, in a clone. `wireproof finding NAME`
prints a text for the library's project, for some findings with a program that needs nothing but the library. *Private
first*: a finding that ends or stalls a process may be a vulnerability, and is reported in private before it is
discussed; read [SECURITY.md](../../SECURITY.md).

There is no implementation in C# here: those come from NuGet, from which the project's CI builds nothing.
"""
_SUPPORT = """\
{share} of {total} expectations of codecs, in the dialect `kafka`, have the agreement of two independent groups of
released implementations or more, beside the reference.
[What this proves, and what it does not](../explanation/attestation.md).
Of {peers} that are asked of clients and brokers, conversations in each version among them, {peers_share} have it:
[what bounds this](../explanation/attestation.md#what-bounds-the-share-of-peers).
Against {disputed} expectations more groups dissent than agree:
[how each was decided](#where-more-dissent-than-agree).
"""
_DISPUTED = """\
More groups dissent from these {disputed} expectations than agree with them. Each was decided from Kafka's source and
the specification. *Stands*: the demanded answer is right all the same. *Contested*: the vector has the answer of
another reading too, and who gives that does not dissent. `wireproof attest --show --all` lists them, with what each
implementation said, and the known cause.
"""
#: Longer inputs are cut.
_BYTES = 24


def page() -> Lines:
    """The figures of attestation, and the findings of each implementation."""
    yield from ("# What released libraries do otherwise", "", NOTE, "")
    files = known_issues.attested_by_name()
    yield from _support([*files.values()])
    yield from ("## Findings", "", _FINDINGS)
    for implementation in registry.implementations():
        found = known_issues.of_implementation(implementation, files.get(implementation.name))
        version = found[0].version if found else ""
        yield from (f"### {' '.join(filter(None, (implementation.name, version)))}", "")
        if not found:
            yield from ("No file of known deviations.", "")
            continue
        head = ("finding", "severity", "shortest input", "upstream", "ask it again")
        yield from table(head, map(_finding_row, found))
    yield from _decisions([*files.values()])


def _support(files: list[attestation.Attestation]) -> Lines:
    """The number of expectations that two groups agree with, by area, and the others by reason."""
    counted = consensus.count(consensus.of_expectations(files))
    two, total = counted.codec
    peers_two, peers = counted.peers
    yield _SUPPORT.format(
        share=f"{100 * two / total:.1f} %",
        total=f"{total:,}",
        peers=f"{peers:,}",
        peers_share=f"{100 * peers_two / peers:.1f} %",
        disputed=f"{len(counted.disputed):,}",
    )
    yield from table(
        ("implementation", "version", "language", "group"),
        [(one.name, one.version or "", one.language, one.group) for one in (file.header for file in files)],
    )
    reasons = [one for one in consensus.Support if counted.total(support=one)]
    yield from table(
        ("area", "expectations", *map(cell, reasons)),
        [
            (area or "all", f"{counted.total(area):,}", *(count_or_dash(counted.total(area, one)) for one in reasons))
            for area in (*counted.areas(), None)
        ],
    )


def _decisions(files: list[attestation.Attestation]) -> Lines:
    """How the expectations were decided from which more dissent."""
    disputed = consensus.count(consensus.of_expectations(files)).disputed
    decisions = consensus.load_decisions()
    number = consensus.decided_by(disputed, decisions)
    yield from ("## Where more dissent than agree", "", _DISPUTED.format(disputed=f"{len(disputed):,}"))
    head = ("expectations", "number", "decided", "why")
    yield from table(head, [(cell(one.subject), f"{number[one]:,}", one.outcome, cell(one.why)) for one in decisions])


def _finding_row(found: known_issues.KnownIssue) -> tuple[str, ...]:
    kinds = sorted({entry.kind for entry in found.entries} - {"bug"})
    notes = [*kinds, *(["private first"] if found.private else [])]
    severity = str(found.severity or "not measured") + (f" ({', '.join(notes)})" if notes else "")
    links = _links("report", found.reports) + _links("page", found.pages)
    reports = ", ".join(links) if found.reports else ", ".join(("no report yet", *links))
    if found.shortest is None:
        return cell(found.reason), severity, "", reports, ""
    command = repro_command(found.shortest.id, found.implementation.spec)
    return cell(found.reason), severity, _shortest(found.shortest), reports, code(command)


def _links(name: str, addresses: tuple[str, ...]) -> list[str]:
    numbers = [""] if len(addresses) == 1 else [f" {number}" for number in range(1, len(addresses) + 1)]
    return [f"[{name}{number}]({address})" for number, address in zip(numbers, addresses, strict=False)]


def _shortest(shown: known_issues.Example) -> str:
    """What is asked, in a few words: bytes in hex, or a value that has none."""
    vector = shown.vector
    version = "" if vector.version is None else f" {vector.version}"
    what = f"{shown.op} {vector.type or ''}{version}".strip()
    data = vector.data if vector.pieces else b""
    if not vector.pieces and vector.value is not vectors.ABSENT:
        value = msgspec.json.encode(to_json(vector.value)).decode()
        return f"{cell(what)}: {code(middle(value, 2 * _BYTES))}"
    more = f" … ({len(data):,} bytes)" if len(data) > _BYTES else ""
    return f"{cell(what)}: {code(data[:_BYTES].hex() + more) if data else 'no bytes'}"
