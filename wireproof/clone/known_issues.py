"""What the files of known deviations say of released implementations: each cause with its severity and the shortest
input that shows it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wireproof import reference
from wireproof.clone.registry import Implementation
from wireproof.conformance.evidence import attestation, consensus, known_deviations
from wireproof.conformance.evidence.attestation import Attestation, Result, expectation_op, expectations
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation, Severity
from wireproof.conformance.judging.clusters import clusters
from wireproof.conformance.judging.rulings import rests_on
from wireproof.conformance.model import FailureKind, Op, Outcome
from wireproof.conformance.report.jsonl import Line, Report
from wireproof.conformance.vectors import Vector

_OF_KIND: Mapping[str, Severity] = {
    Outcome.CRASH: Severity.ENDS,
    Outcome.OOM: Severity.ENDS,
    Outcome.HANG: Severity.STALLS,
    Outcome.VIOLATION: Severity.LOSES,
    FailureKind.WRONG_VALUE: Severity.LOSES,
    FailureKind.WRONG_ANSWER: Severity.LOSES,
    FailureKind.WRONG_BYTES: Severity.WRITES,
    FailureKind.REFUSED_VALID: Severity.REFUSES,
    FailureKind.ACCEPTED_INVALID: Severity.ACCEPTS,
}


@dataclass(frozen=True, slots=True)
class Example:
    """A vector that shows a finding, and the op."""

    vector: Vector
    op: Op

    @property
    def id(self) -> str:
        """The id of the question."""
        return f"{self.vector.path}#{self.op.value}"

    @property
    def size(self) -> tuple[int, str]:
        """Sort key: the shortest bytes first."""
        vector = self.vector
        asked = vector.args.get("records", vector.value)
        return len(vector.data or vector.canonical_data) or len(repr(asked)), self.id


@dataclass(slots=True)
class KnownIssue:
    """One cause: the entries with one reason. `kinds`: of the deviations that vectors show; `cases`: how many;
    `shortest`: None if no vector shows it, but derived cases alone; `has_text`: whether a public text demands what one
    of them expects."""

    implementation: Implementation
    version: str
    entries: list[KnownDeviation]
    kinds: set[str] = field(default_factory=set)
    shortest: Example | None = None
    cases: int = 0
    has_text: bool = False

    def add(self, shown: Example, kind: str) -> None:
        """Count a case of it. `kind`: how the answer is wrong, or how the process ended."""
        self.kinds.add(kind)
        self.cases += 1
        self.has_text = self.has_text or _has_text(shown)
        if self.shortest is None or shown.size < self.shortest.size:
            self.shortest = shown

    @property
    def reason(self) -> str:
        """What it does, and why."""
        return self.entries[0].reason

    @property
    def reports(self) -> tuple[str, ...]:
        """The addresses of its reports."""
        found = (entry.reported for entry in self.entries)
        return tuple(dict.fromkeys(link for link in found if link and link != "pending"))

    @property
    def pages(self) -> tuple[str, ...]:
        """The addresses of pages about it."""
        return tuple(dict.fromkeys(entry.url for entry in self.entries if entry.url))

    @property
    def severity(self) -> Severity | None:
        """The worst of its kinds; None if neither a vector nor its entry has one."""
        given = {entry.severity for entry in self.entries if entry.severity is not None}
        if given:
            return next(severity for severity in Severity if severity in given)
        kinds = self.kinds | {kind for entry in self.entries for kind in _kinds(entry)}
        found = {_OF_KIND[kind] for kind in kinds if kind in _OF_KIND}
        return next((severity for severity in Severity if severity in found), None)

    @property
    def private(self) -> bool:
        """Whether it ends or stalls a process: it may be a vulnerability, and is reported in private first."""
        return self.severity in (Severity.ENDS, Severity.STALLS)


def _kinds(entry: KnownDeviation) -> Iterator[str]:
    """The kind that an entry without ids names."""
    pattern = entry.key
    if pattern is not None:
        yield from (one for one in (pattern.kind, pattern.verdict) if one is not None)


def of_implementation(implementation: Implementation, file: Attestation | None) -> list[KnownIssue]:
    """The issues of one implementation, in the order of its file of known deviations. Entries of the class
    `unsupported`, and those about generated cases alone, are left out. `file`: its attestations.

    Raises KnownError for a file with a wrong format.
    """
    path = implementation.known_file
    if path is None:
        return []
    version = None if file is None else file.header.version
    by_reason: dict[str, KnownIssue] = {}
    for entry in known_deviations.load(path, version).deviations:
        if not entry.generated and entry.kind != "unsupported":
            made = KnownIssue(implementation, version or "", [])
            by_reason.setdefault(entry.reason, made).entries.append(entry)
    found = [*by_reason.values()]
    if file is not None:
        _fill(found, file)
    return found


def of_report(report: Report, known: Known) -> list[KnownIssue]:
    """The issues of any library, from the report of its run: one for each reason in `known`, its file of known
    deviations, and one for each finding of the run that it does not cover. Only cases of vectors count."""
    vectors = {vector.path: vector for vector, _ in consensus.every_vector()}
    lines = {line.id: line for line in report.lines if _path(line.id) in vectors}
    shown = {name: Example(vectors[_path(name)], line.op) for name, line in lines.items()}
    by_reason: dict[str, KnownIssue] = {}
    for cluster in clusters(lines.values()):
        # The simplest case is described.
        for line in sorted((lines[one.id] for one in cluster.verdicts), key=lambda one: shown[one.id].size):
            entry = known.find(line)
            if entry is not None and entry.kind == "unsupported":
                continue
            key = str(cluster.group) if entry is None else entry.reason
            if key not in by_reason:
                entry = entry or KnownDeviation("bug", known_deviations.described(line), reported="pending")
                version = report.header.implementation.version or ""
                by_reason[key] = KnownIssue(_implementation(report, line), version, [entry])
            by_reason[key].add(shown[line.id], line.kind or line.outcome)
    return [*by_reason.values()]


def _path(name: str) -> str:
    """The vector of a question's id."""
    return name.partition("#")[0]


def _implementation(report: Report, line: Line) -> Implementation:
    """The report's implementation. A line's command has the spec by which it was asked."""
    named = report.header.implementation
    words = (word for word in shlex.split(line.repro) if word.startswith("--impl="))
    return Implementation(named.name, next(words, "").removeprefix("--impl="), named.language, named.name)


def _fill(found: Sequence[KnownIssue], file: Attestation) -> None:
    """Find the vectors that show each finding: the implementation dissents from them, and an entry is about them."""
    by_entry = {entry: finding for finding in found for entry in finding.entries}
    entries = [*by_entry]
    for shown, kind in _dissents(file):
        for finding in {id(one): one for one in map(by_entry.__getitem__, explaining(entries, shown, kind))}.values():
            finding.add(shown, kind)


def _has_text(shown: Example) -> bool:
    """Whether a public text demands what the vector expects: it rests on none but its source, or on a ruling with a
    quote."""
    vector = shown.vector
    rulings = vector.rulings if vector.reject is None else rests_on(vector, vector.case(shown.op))
    known = reference.rulings(vector.dialect)
    return not rulings or any(known[one].quote for one in rulings)


def explaining(entries: Sequence[KnownDeviation], shown: Example, kind: str) -> list[KnownDeviation]:
    """The entries that explain a dissent: those with its id. Without one, the entry with the narrowest pattern that may
    be about it: attestations hold no cause and no frame, so this is likely, and not certain."""
    ids = {f"{shown.vector.path}#{op.value}" for op in shown.vector.ops if expectation_op(shown.vector, op) is shown.op}
    named = [entry for entry in entries if any(map(entry.matches_id, ids))]
    if named:
        return named
    likely = [entry for entry in entries if not entry.generated and _may_match(entry, shown, kind)]
    return [max(likely, key=_narrowness)] if likely else []


def _may_match(entry: KnownDeviation, shown: Example, kind: str) -> bool:
    pattern = entry.key
    if pattern is None or pattern.type not in (None, shown.vector.type):
        return False
    if getattr(pattern, "op", None) not in (None, str(shown.op)):
        return False
    return (pattern.kind or pattern.verdict) in (None, kind)


def _narrowness(entry: KnownDeviation) -> int:
    pattern = entry.key
    return sum(getattr(pattern, part, None) is not None for part in ("op", "type", "kind", "verdict"))


def _dissents(file: Attestation) -> Iterator[tuple[Example, str]]:
    for vector, current in consensus.every_vector():
        for op in expectations(vector):
            answer = file.answer(vector, op, current)
            if answer is not None and answer.result is Result.DISSENT:
                yield Example(vector, op), answer.kind


def attested_by_name() -> Mapping[str, Attestation]:
    """The attestations of the vector set, by the implementation's name."""
    return {one.header.name: one for one in attestation.load()}
