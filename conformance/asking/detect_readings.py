"""Finds out which readings of the contested rulings an implementation takes.

It is asked all vectors for which two readings give different answers. Each answer is evidence for the readings with
which it is right.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.judging.alternatives import Readings, applies, takes
from wireproof.conformance.judging.comparison import Comparison
from wireproof.conformance.model import UNJUDGED, Outcome
from wireproof.conformance.questions import selection
from wireproof.conformance.vectors import Also
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.reference.rules import Ruling

DEMANDED = "demanded"
NEITHER = "neither"
MIXED = "mixed"
NOT_ASKED = "not asked"


@dataclass
class Evidence:
    """The evidence on one ruling: reading → the ids that fit it (`demanded`, `neither`, or another reading's name). An
    id may fit several readings.

    `together` holds the cases in which several rulings act at once: they only count if there are no other cases.
    """

    ruling: Ruling
    seen: dict[str, list[str]] = field(default_factory=dict)
    together: dict[str, list[str]] = field(default_factory=dict)

    @property
    def shown(self) -> Mapping[str, list[str]]:
        """The evidence that counts."""
        nothing_alone = all(reading == NEITHER for reading in self.seen)
        return self.together if nothing_alone and self.together else self.seen

    @property
    def taken(self) -> str:
        """The reading under which all cases are right. `mixed` when they show several readings, `neither` when no case
        is right under any, `not asked` when there is no case."""
        right = {case for reading, cases in self.shown.items() if reading != NEITHER for case in cases}
        if not right:
            return next(iter(self.shown), NOT_ASKED)
        whole = (reading for reading in (DEMANDED, *self.ruling.others) if right <= {*self.shown.get(reading, ())})
        return next(whole, MIXED)

    @property
    def others(self) -> list[str]:
        """The other readings that are shown by cases that are wrong under the demanded one."""
        demanded = {*self.shown.get(DEMANDED, ())}
        return [
            reading
            for reading, cases in self.shown.items()
            if reading not in (DEMANDED, NEITHER) and not demanded >= {*cases}
        ]

    @property
    def declared(self) -> str | None:
        """The reading to declare: the name of the other reading, if the implementation always takes that one."""
        return self.taken if self.taken in self.ruling.others else None


def find_readings(examiner: Examiner, dialect: str) -> list[Evidence]:
    """The evidence on each contested ruling of the dialect with a name to declare. The examiner must not use declared
    readings.
    """
    rulings = [ruling for ruling in reference.rulings(dialect).values() if ruling.contested and ruling.others]
    findings = {ruling.id: Evidence(ruling) for ruling in rulings}
    parted = [vector for vector in vectors.load([dialect]) if vector.also]
    for judged in examiner.judge(selection.of_vectors(parted, examiner.description)):
        applying = [also for also in judged.vector.also if applies(also, judged.vector, judged.case.op)]
        if applying:
            _weigh(judged, applying, findings)
    return list(findings.values())


def _weigh(judged: Judged, applying: Iterable[Also], findings: Mapping[str, Evidence]) -> None:
    """Add the evidence of one answer, for the rulings on which it rests."""
    verdict = judged.verdict
    if verdict.outcome in UNJUDGED:
        return
    contested = verdict.rulings if verdict.outcome is Outcome.CONTESTED else ()
    alike = _alike(judged, applying) if contested else set()
    for also in applying:
        alone = len(also.rulings) == 1
        for identifier in also.rulings:
            if identifier not in findings:
                continue
            finding = findings[identifier]
            named = contested if identifier in contested else (identifier,) if identifier in alike else ()
            fitting = _others(finding.ruling, judged, named, findings)
            if verdict.outcome is Outcome.PASS:
                fitting = [DEMANDED, *(fitting if len(finding.ruling.others) > 1 else ())]
            elif identifier in alike:  # this ruling's other reading, or its demanded one with another's other reading
                fitting = [DEMANDED, *fitting]
            elif not fitting and not contested:  # else another ruling's reading explains it
                fitting = [NEITHER]
            place = finding.seen if alone and len(contested) < 2 else finding.together
            for reading in fitting:
                place.setdefault(reading, []).append(judged.case.id)


def _alike(judged: Judged, applying: Iterable[Also]) -> set[str]:
    """The rulings whose other readings each give this observation; empty if only one does."""
    taken = {also.rulings[0] for also in applying if len(also.rulings) == 1 and _takes(judged, also)}
    return taken if len(taken) > 1 else set()


def _takes(judged: Judged, also: Also) -> bool:
    """Whether the observation, which is contested, is what this entry says."""
    return takes(also, Comparison(judged.vector, judged.case), judged.observation)


def _others(ruling: Ruling, judged: Judged, named: Sequence[str], findings: Mapping[str, Evidence]) -> list[str]:
    """The names of the other readings that fit the observation. `named`: the rulings, including this one, under which
    the answer is contested; empty if it is not."""
    vector, observation = judged.vector, judged.observation
    names = list(ruling.others)
    if named and len(names) == 1:
        return names
    beside = [key for key in named if key != ruling.id and key in findings]
    dialect = observation.case.dialect
    configured = functools.partial(configured_reference, dialect)
    chosen = itertools.product(*(findings[key].ruling.others for key in beside))
    combinations = [dict(zip(beside, taken, strict=True)) for taken in chosen]
    fitting = [
        name
        for name in names
        if any(Readings(dialect, {ruling.id: name} | taken, configured).matches(observation) for taken in combinations)
    ]
    if fitting or observation.case.type is not None:
        return fitting
    # Other brokers may answer in other words. The vector's entries are in the order of the ruling's readings.
    entries = [
        also for also in vector.also if also.rulings == (ruling.id,) and applies(also, vector, observation.case.op)
    ]
    if named and len(entries) == len(names):
        fitting = [name for name, entry in zip(names, entries, strict=True) if _takes(judged, entry)]
    return fitting
