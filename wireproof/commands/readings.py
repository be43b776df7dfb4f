"""`wireproof readings`: which readings of the contested rulings an implementation takes."""

from __future__ import annotations

import functools
import itertools
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
from rich.text import Text

import reference
from conformance import vectors
from conformance.connection import Options
from conformance.judge import judge
from conformance.model import Description, Observation, Op, Outcome
from conformance.readings import Readings
from conformance.report.failure import titled_name
from conformance.report.text import safe, wrap
from conformance.session import Question, Session
from conformance.vectors import Also, Kind, Vector
from reference.rules import Ruling
from wireproof.implementation import implementation_options, load_vectors, open_session
from wireproof.output import show, width

DEMANDED = "demanded"
NEITHER = "neither"
MIXED = "mixed"
NOT_ASKED = "not asked"

#: How many ids are listed for a reading of a mixed ruling.
_LISTED = 3
#: Where a ruling's text stands on a line.
_INDENT = 20


@dataclass
class Finding:
    """What is known of one ruling: reading → the ids that fit it (`demanded`, `neither`, or another reading's name). Of
    several other readings more than one may fit an id, and the demanded one beside them.

    `together` holds what only cases show in which several rulings act at once: it decides where nothing else does.
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
        """The reading that all cases show which are right under one; `mixed` when they show several, `neither` when no
        case is right under any, `not asked` when there is no case."""
        right = {case for reading, cases in self.shown.items() if reading != NEITHER for case in cases}
        if not right:
            return next(iter(self.shown), NOT_ASKED)
        whole = (reading for reading in (DEMANDED, *self.ruling.others) if right <= {*self.shown.get(reading, ())})
        return next(whole, MIXED)

    @property
    def others(self) -> list[str]:
        """The other readings that some case shows which is not right under the demanded one."""
        demanded = {*self.shown.get(DEMANDED, ())}
        return [
            reading
            for reading, cases in self.shown.items()
            if reading not in (DEMANDED, NEITHER) and not demanded >= {*cases}
        ]

    @property
    def declared(self) -> str | None:
        """What to declare: the name of the other reading that it takes everywhere."""
        return self.taken if self.taken in self.ruling.others else None


@click.command(epilog="Exit codes: 0 it was found out, 1 nothing could be asked, 2 a usage error.")
@implementation_options
@click.option("--dialect", metavar="NAME", help="The dialect to ask about.  [default: the first that it has]")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object in place of the table.")
def readings(
    spec: str,
    timeout: float,
    memory: int,
    in_process: bool,
    transcript: Path | None,
    dialect: str | None,
    as_json: bool,
) -> None:
    """Find out which readings of the contested rulings an implementation takes.

    The protocol leaves some points open, and good implementations differ on them. A ruling marked ‡ demands one reading
    and knows the others. This command asks every vector on which the readings part, and says for each ruling whether
    the demanded reading is taken, another one, or now this and now that. It ends with the dict to paste into the
    wrapper: what is declared there is reported as contested, in generated cases too, and not as a failure.

    \b
    Examples:
        wireproof readings --impl=implementations.kafka_python
        wireproof readings --impl="exec:./wrapper" --json
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    options = Options(timeout=timeout, memory=memory, in_process=in_process, transcript=transcript)
    with open_session(spec, options, as_declared=False) as session:
        declared = session.connection.description.readings
        chosen = _dialect(dialect, session.description)
        found = find_readings(session, chosen)
    if as_json:
        click.echo(json.dumps(_as_json(session.description, chosen, found), indent=2, ensure_ascii=False))
    else:
        show(_page(session.description, declared, chosen, found))
    sys.exit(0 if any(one.shown for one in found) else 1)


def _dialect(wanted: str | None, described: Description) -> str:
    there = [name for name in described.dialects if name in vectors.dialects()]
    if wanted is None and there:
        return there[0]
    if wanted not in there:
        said = f"there is no dialect {wanted!r}" if wanted else "it has no dialect of the vector set's"
        raise click.UsageError(
            f"{said}: the implementation has {', '.join(described.dialects)}, "
            f"the vectors {', '.join(vectors.dialects())}"
        )
    return wanted


# --- Finding out --------------------------------------------------------------------------------------------------


def find_readings(session: Session, dialect: str) -> list[Finding]:
    """A finding for each contested ruling of the dialect that has a name to declare. The session's own declared
    readings must not be in force.
    """
    rulings = [ruling for ruling in reference.rulings(dialect).values() if ruling.contested and ruling.others]
    findings = {ruling.id: Finding(ruling) for ruling in rulings}
    parted = [vector for vector in load_vectors((dialect,)) if vector.also]
    questions = session.select(parted).questions
    session.prepare(questions)
    for question in questions:
        applying = [also for also in question.vector.also if _parts(also, question.vector, question.case.op)]
        if applying:
            _weigh(session, question, applying, findings)
    return list(findings.values())


def _parts(also: Also, vector: Vector, op: Op) -> bool:
    """Whether this op's answer tells the two readings apart."""
    if also.ops is not None and op not in also.ops:
        return False
    if also.ops is None and op is Op.ENCODE and vector.kind is not Kind.UNENCODABLE:
        return False
    key = {Op.DECODE: "value", Op.LOOKUP: "value", Op.ENCODE: "bytes", Op.RECODE: "bytes"}.get(op)
    return also.refuses or key is None or key in also.expected


def _weigh(session: Session, question: Question, applying: Iterable[Also], findings: Mapping[str, Finding]) -> None:
    """What this one answer says about the rulings on which it rests."""
    judged = session.judged(question)
    verdict = judged.verdict
    if verdict.verdict in (Outcome.SKIP, Outcome.NOT_ASKED):
        return
    contested = verdict.rulings if verdict.verdict is Outcome.CONTESTED else ()
    alike = _alike(question.vector, judged.observation, applying)
    for also in applying:
        alone = len(also.rulings) == 1
        for identifier in also.rulings:
            if identifier not in findings:
                continue
            finding = findings[identifier]
            named = contested if identifier in contested else (identifier,) if identifier in alike else ()
            fitting = _others(finding.ruling, question.vector, judged.observation, named, findings)
            if verdict.verdict is Outcome.PASS:
                fitting = [DEMANDED, *(fitting if len(finding.ruling.others) > 1 else ())]
            elif identifier in alike:  # this ruling's other reading, or its demanded one beside another's other reading
                fitting = [DEMANDED, *fitting]
            elif not fitting and not contested:  # else another ruling's reading explains it
                fitting = [NEITHER]
            place = finding.seen if alone and len(contested) < 2 else finding.together
            for reading in fitting:
                place.setdefault(reading, []).append(question.case.id)


def _alike(vector: Vector, observation: Observation, applying: Iterable[Also]) -> set[str]:
    """The rulings whose other readings all give this observation, each alone; empty where only one does."""
    taken = {
        also.rulings[0]
        for also in applying
        if len(also.rulings) == 1 and judge(replace(vector, also=(also,)), observation).verdict is Outcome.CONTESTED
    }
    return taken if len(taken) > 1 else set()


def _others(
    ruling: Ruling, vector: Vector, observation: Observation, named: Sequence[str], findings: Mapping[str, Finding]
) -> list[str]:
    """The names of the other readings that fit the observation. `named`: the rulings, this one among them, under which
    it is contested, if it is."""
    names = list(ruling.others)
    if named and len(names) == 1:
        return names
    beside = [key for key in named if key != ruling.id and key in findings]
    dialect = observation.case.dialect
    settings = functools.partial(vectors.settings, dialect)
    found = [
        name
        for name in names
        if any(
            Readings(dialect, {ruling.id: name, **dict(zip(beside, taken, strict=True))}, settings).matches(observation)
            for taken in itertools.product(*(findings[key].ruling.others for key in beside))
        )
    ]
    if found or observation.case.type is not None:
        return found
    # Other brokers may say it otherwise; the vector's entries tell, in the order of the ruling's readings.
    entries = [
        also for also in vector.also if also.rulings == (ruling.id,) and _parts(also, vector, observation.case.op)
    ]
    if named and len(entries) == len(names):
        found = [
            name
            for name, entry in zip(names, entries, strict=True)
            if judge(replace(vector, also=(entry,)), observation).verdict is Outcome.CONTESTED
        ]
    return found


# --- Telling ------------------------------------------------------------------------------------------------------


def _page(described: Description, declared: Mapping[str, str], dialect: str, found: list[Finding]) -> Text:
    out = Text().append(f"{safe(titled_name(described))}, dialect {dialect}\n\n", "bold")
    for finding in found:
        _append_finding(out, finding)
    out.append("\nFor the wrapper:\n\n", "bold").append(_snippet(found))
    wanted = {one.ruling.id: one.declared for one in found if one.declared}
    asked = {one.ruling.id for one in found if one.taken not in (MIXED, NOT_ASKED)}
    missing = [key for key in wanted if declared.get(key) != wanted[key]]
    needless = [key for key in declared if key in asked and key not in wanted]
    if missing:
        out.append(f"\n\nIt does not declare {', '.join(missing)} yet.", "yellow")
    if needless:
        out.append(f"\n\nIt declares {', '.join(needless)}, and no answer shows that reading.", "yellow")
    return out


def _append_finding(out: Text, finding: Finding) -> None:
    taken, ruling = finding.taken, finding.ruling
    style = {DEMANDED: "green", NOT_ASKED: "dim", MIXED: "bold yellow", NEITHER: "bold red"}.get(taken, "yellow")
    out.append(f"{ruling.id:<9}", "bold").append(f"{taken:<11}", style)
    first, *rest = wrap(safe(ruling.question), width() - _INDENT) or [""]
    out.append(f"{first}\n")
    for line in rest:
        out.append(f"{'':{_INDENT}}{line}\n")
    if finding.declared:
        _append_prose(out, f"takes: {ruling.other}")
    for reading, ids in finding.shown.items():
        if taken == MIXED or reading == NEITHER:
            name = "wrong in every reading" if reading == NEITHER else reading
            more = f" and {len(ids) - _LISTED} more (--json has all)" if len(ids) > _LISTED else ""
            _append_prose(out, f"{name}: {', '.join(ids[:_LISTED])}{more}")


def _append_prose(out: Text, text: str) -> None:
    for line in wrap(safe(text), width() - _INDENT):
        out.append(f"{'':{_INDENT}}{line}\n", "dim")


def _snippet(found: list[Finding]) -> str:
    """The dict to paste; what is taken now and then is in it as a comment, for a person to decide."""
    lines = []
    for one in found:
        if one.declared:
            lines.append(f'    "{one.ruling.id}": "{one.declared}",  # {one.ruling.other}')
        elif one.taken == MIXED:
            lines += [f'    # "{one.ruling.id}": "{name}",  # mixed: now and then' for name in one.others]
    return "\n".join(["readings = {", *lines, "}"]) if lines else "readings = {}"


def _as_json(described: Description, dialect: str, found: list[Finding]) -> dict[str, Any]:
    return {
        "implementation": {"name": described.name, "version": described.version, "language": described.language},
        "dialect": dialect,
        "rulings": [
            {"ruling": one.ruling.id, "question": one.ruling.question, "taken": one.taken, "shown": one.shown}
            for one in found
        ],
        "readings": {one.ruling.id: one.declared for one in found if one.declared},
    }
