"""The page docs/reference/findings.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from pages.markdown import NOTE, Lines, cell, code, count_or_dash, table
from wireproof.clone import known_issues, registry
from wireproof.clone.registry import Implementation
from wireproof.conformance import vectors
from wireproof.conformance.evidence import attestation, consensus
from wireproof.conformance.evidence.attestation import Attestation, Result
from wireproof.conformance.model import CONVERSATIONS
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
_BROKERS = """\
Brokers that run, asked over their sockets, each under the versions that it announces. The table counts the expectations
by area: conversations count in each version. Older releases of Kafka (3.9.1, 2.8.2, 1.1.1, 0.9.0.1) are asked by
`tox -e older-brokers`; 3.9.1 and 2.8.2 have no finding.
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
    every = registry.implementations()
    brokers = [one for one in every if one.spec.endswith("/broker")]
    yield from _findings([one for one in every if one not in brokers], files)
    yield from ("## Brokers", "", _BROKERS)
    yield from _by_area([files[one.name] for one in brokers])
    yield from _findings(brokers, files)
    yield from _decisions([*files.values()])


def _findings(implementations: list[Implementation], files: Mapping[str, Attestation]) -> Lines:
    """A table for each implementation."""
    for implementation in implementations:
        found = known_issues.of_implementation(implementation, files.get(implementation.name))
        version = found[0].version if found else ""
        yield from (f"### {' '.join(filter(None, (implementation.name, version)))}", "")
        if not found:
            yield from ("No finding.", "")
            continue
        head = ("finding", "severity", "shortest input", "upstream", "ask it again")
        yield from table(head, map(_finding_row, found))


def _by_area(brokers: list[Attestation]) -> Lines:
    """Broker × area: the expectations with which it agrees, from which it dissents, and what it takes otherwise."""
    counts = [Counter[tuple[str, Result]]() for _ in brokers]
    for broker, count in zip(brokers, counts, strict=True):
        for one in consensus.of_expectations([broker]):
            count.update((one.vector.area, answer.result) for _, answer in one.answers)
    areas = list(dict.fromkeys(area for count in counts for area, _ in count))
    yield from table(
        ("broker", "version", *areas),
        [
            (one.header.name, one.header.version or "", *(_told(count, area) for area in areas))
            for one, count in zip(brokers, counts, strict=True)
        ],
    )


def _told(count: Counter[tuple[str, Result]], area: str) -> str:
    shown = (f"{count[area, result]:,} {result}" for result in Result if count[area, result])
    return ", ".join(shown) or "–"


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
    if vector.area == CONVERSATIONS:
        return f"a conversation: {cell(vector.about)}"
    version = "" if vector.version is None else f" {vector.version}"
    what = f"{shown.op} {vector.type or ''}{version}".strip()
    data = vector.data if vector.pieces else b"".join(vector.args.get("chunks", ()))
    if not vector.pieces and vector.value is not vectors.ABSENT:
        value = msgspec.json.encode(to_json(vector.value)).decode()
        return f"{cell(what)}: {code(middle(value, 2 * _BYTES))}"
    more = f" … ({len(data):,} bytes)" if len(data) > _BYTES else ""
    return f"{cell(what)}: {code(data[:_BYTES].hex() + more) if data else 'no bytes'}"
