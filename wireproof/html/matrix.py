"""The data of the matrix page: runs, their counts, their findings, and the questions behind them.

    {"runs": [run, …], "areas": [name, …], "findings": [finding, …], "questions": [question, …], "texts": [text, …],
     "rulings": {dialect: {id: ruling}}, …}

A run has its verdicts counted by area, dialect, verdict and whether they are known. A finding has the number of its
cases by area, dialect and whether they are known, and its cases in short: the numbers of their question and their
texts. Passes are in the counts alone.
"""

from __future__ import annotations

import hashlib
import itertools
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from wireproof.conformance import vectors
from wireproof.conformance.judging.clusters import group
from wireproof.conformance.model import DEVIATIONS, Outcome
from wireproof.conformance.report.jsonl import Line, Report
from wireproof.conformance.report.text import middle, paragraph, safe
from wireproof.conformance.vectors import AREAS
from wireproof.html import questions

#: The most cases of a finding that are listed: those that deviate, or take another reading; and those not judged.
_LISTED, _LISTED_UNJUDGED = 2000, 20
#: The most bytes of JSON that the questions of a page may have: the rest is listed without bytes.
_ROOM = 8 << 20
_NAME, _ID, _TITLE, _OPTIONS = 80, 400, 300, 1000
#: In the command that repeats a case, this stands for its quoted id.
_HERE = "\0"


@dataclass(slots=True)
class _Finding:
    """Lines with one cause, and all of them counted by (area, dialect, known)."""

    run: int
    verdict: str
    parts: Mapping[str, str]
    title: str
    counts: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    lines: list[Line] = field(default_factory=list)

    @property
    def listed(self) -> int:
        return _LISTED if _rank(self.verdict) < 2 else _LISTED_UNJUDGED


class _Numbers:
    """Values by number, each once."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._at: dict[str, int] = {}

    def of(self, text: str) -> int:
        """The number of a text."""
        at = self._at.setdefault(text, len(self.all))
        if at == len(self.all):
            self.all.append(text)
        return at


def matrix_data(reports: Sequence[tuple[str, Report]]) -> dict[str, Any]:
    """The page's data. `reports`: each with its file's name."""
    found = [_findings(number, report) for number, (_, report) in enumerate(reports)]
    flat = list(itertools.chain.from_iterable(found))
    asked, texts = _Numbers(), _Numbers()
    lines: dict[int, Line] = {}
    commands = [_Numbers() for _ in reports]
    listed = []
    for one in flat:
        cases = []
        for line in one.lines:
            number = asked.of(line.id)
            lines.setdefault(number, line)
            said = [texts.of(_cut(text)) for text in (line.detail, line.note, line.known or "")]
            cases.append([number, *said, commands[one.run].of(_command(line))])
        listed.append(cases)
    shown, compared, rulings = _questions(asked.all, flat, listed)
    areas = {line.area for _, report in reports for line in report.lines}
    return {
        "runs": [_run(name, report, commands[at].all) for at, (name, report) in enumerate(reports)],
        "vectors": vectors.digest(),
        "areas": sorted((middle(safe(area), _NAME) for area in areas), key=_place),
        "deviations": sorted(DEVIATIONS),
        "findings": [_finding_row(one, cases) for one, cases in zip(flat, listed, strict=True)],
        "questions": [_question_row(lines[at], shown.get(at)) for at in range(len(asked.all))],
        "compared": compared,
        "texts": texts.all,
        "rulings": rulings,
    }


def title(report: Report) -> str:
    """`kio 0.6.5`, cut and made safe."""
    about = report.header.implementation
    return middle(safe(" ".join(part for part in (about.name, about.version) if part)), _NAME)


# --- Runs -------------------------------------------------------------------------------------------------------------


def _run(name: str, report: Report, commands: Sequence[str]) -> dict[str, Any]:
    about, header = report.header.implementation, report.header
    counts = Counter((line.area, line.dialect, str(line.outcome), line.known is not None) for line in report.lines)
    options = header.options if isinstance(header.options, str) else msgspec.json.encode(header.options).decode()
    return {
        "title": title(report),
        "broker": report.of_broker,
        "language": middle(safe(about.language), _NAME),
        "kit": middle(safe(header.kit), _NAME),
        "vectors": middle(safe(header.vectors), _NAME),
        "options": middle(safe(options), _OPTIONS),
        "source": middle(safe(name), _ID),
        "incomplete": None if report.incomplete is None else [report.incomplete.asked, report.incomplete.of],
        "counts": [_named(key, count) for key, count in sorted(counts.items())],
        "commands": list(commands),
    }


def _named(key: tuple[Any, ...], count: int) -> list[Any]:
    return [*(middle(safe(part), _NAME) if isinstance(part, str) else int(part) for part in key), count]


def _command(line: Line) -> str:
    """The command that repeats the case, with a mark for its id: then it is the same for all cases of a run."""
    quoted = shlex.quote(line.id)
    if line.repro.count(quoted) == 1:
        return _HERE.join(map(safe, line.repro.split(quoted)))
    return middle(safe(line.repro), 4 * _ID)


# --- Findings ---------------------------------------------------------------------------------------------------------


def _findings(run: int, report: Report) -> list[_Finding]:
    """All that is no pass, by cause; deviations first, then the most frequent first."""
    by_cause: dict[tuple[str, ...], _Finding] = {}
    for line in report.lines:
        if line.outcome is Outcome.PASS:
            continue
        parts = _parts(line)
        key = (str(line.outcome), *itertools.chain.from_iterable(parts.items()))
        finding = by_cause.get(key)
        if finding is None:
            finding = by_cause[key] = _Finding(run, str(line.outcome), parts, _title(line, parts))
        finding.counts[line.area, line.dialect, line.known is not None] += 1
        if len(finding.lines) < finding.listed:
            finding.lines.append(line)
    return sorted(by_cause.values(), key=lambda one: (_rank(one.verdict), -one.counts.total()))


def _rank(verdict: str) -> int:
    """Deviations first, then other readings, then what was not judged."""
    return 0 if verdict in DEVIATIONS else 1 if verdict == Outcome.CONTESTED else 2


def _parts(line: Line) -> Mapping[str, str]:
    """The parts of the group; of what was not judged, the reason."""
    if line.outcome in DEVIATIONS or line.outcome is Outcome.CONTESTED:
        if line.group is not None:
            return line.group
        made = group(line)
        return {} if made is None else made.row()
    return {"note": line.note or line.detail}


def _title(line: Line, parts: Mapping[str, str]) -> str:
    if "note" in parts:
        return middle(safe(f"{line.outcome}: {parts['note']}" if parts["note"] else str(line.outcome)), _TITLE)
    made = group(line)
    return middle(safe(str(made or line.outcome)), _TITLE)


def _finding_row(one: _Finding, cases: Sequence[Sequence[int]]) -> dict[str, Any]:
    key = hashlib.sha256(repr([one.verdict, *one.parts.items()]).encode("utf-8", "backslashreplace")).hexdigest()
    return {
        "run": one.run,
        "key": key[:10],
        "verdict": one.verdict,
        "kind": middle(safe(one.parts.get("kind", "")), _NAME),
        "title": one.title,
        "rules": [middle(safe(rule), _NAME) for rule in one.parts.get("ruling", "").split(", ") if rule],
        "counts": [_named(which, count) for which, count in sorted(one.counts.items())],
        "cases": cases,
    }


# --- Questions --------------------------------------------------------------------------------------------------------


def _question_row(line: Line, shown: Mapping[str, Any] | None) -> dict[str, Any]:
    made = {
        "id": middle(safe(line.id), 4 * _ID),
        "dialect": middle(safe(line.dialect), _NAME),
        "area": middle(safe(line.area), _NAME),
        "type": middle(safe(line.type or ""), _NAME),
        "version": line.version,
        "op": str(line.op),
    }
    return made if shown is None else made | {"shown": shown}


def _questions(
    ids: Sequence[str], found: Sequence[_Finding], listed: Sequence[Sequence[Sequence[int]]]
) -> tuple[dict[int, Any], dict[str, Any], dict[str, dict[str, Any]]]:
    """The questions by number, the comparisons of bytes by `finding.case`, and the rulings that they name.

    First come the first cases of all findings, then the second ones, until the room is full.
    """
    made: dict[int, dict[str, Any]] = {}
    compared: dict[str, Any] = {}
    named: dict[str, set[str]] = {}
    room = _ROOM
    for number, at in _in_turns(listed):
        if room < 0:
            break
        finding, place = found[number], listed[number][at][0]
        asked = None if finding.listed == _LISTED_UNJUDGED else questions.found(ids[place])
        if asked is None:
            continue
        if place not in made:
            made[place] = questions.shown(asked)
            room -= len(msgspec.json.encode(made[place]))
        line = finding.lines[at]
        rules = {*made[place].get("rules", ()), *line.rulings, *filter(None, [line.ground])}
        named.setdefault(asked.case.dialect, set()).update(rules)
        pieces = questions.compared(asked, line.detail)
        if pieces is not None:
            compared[f"{number}.{at}"] = pieces
            room -= len(msgspec.json.encode(pieces))
    rulings = {dialect: dict(questions.rulings(dialect, sorted(ids_))) for dialect, ids_ in named.items()}
    return made, compared, rulings


def _in_turns(listed: Sequence[Sequence[Any]]) -> Iterable[tuple[int, int]]:
    """(finding, case): the first case of each finding, the second of each, …"""
    longest = max(map(len, listed), default=0)
    for at in range(longest):
        for number, cases in enumerate(listed):
            if at < len(cases):
                yield number, at


def _cut(text: str) -> str:
    return paragraph(text, lines=24, line=400)


def _place(area: str) -> tuple[int, str]:
    return (AREAS.index(area) if area in AREAS else len(AREAS), area)
