"""The page docs/reference/bugs.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal

import click
import msgspec

from pages.markdown import DOCS, NOTE, Lines, cell, code, table
from wireproof.conformance import vectors

_BUGS = """\
{total} bugs of released software, from public trackers and histories. For {caught} of them, the `wrong` entry of a
vector holds the answer of the buggy library, and a test of the kit checks that the judge fails it. {ruled} are right or
contested under a ruling. {unreached} are not reached yet, for the given reason.

`wireproof repro` takes the ids in the last column.
"""


class _Ruled(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    ruling: str
    how: Literal["otherwise", "contested"]
    why: str


class _Bug(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    id: str
    repo: str
    ref: str
    date: str
    area: str
    title: str
    wrong_behaviour: str
    detect: str
    certainty: str
    ruled: _Ruled | None = None
    unreached: str | None = None
    once: str | None = None


class _BugFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    format: Literal[1]
    bugs: list[_Bug]


def page() -> Lines:
    """All bugs of the catalogue, and how the kit treats each. Raises ClickException for a bug without an entry."""
    content = (DOCS.parent / "vectors" / "bugs.json").read_bytes()
    catalogue = msgspec.json.decode(content, type=_BugFile).bugs
    caught = _caught()
    states = {bug.id: _state(bug, caught.get(bug.id, [])) for bug in catalogue}
    strangers = sorted(set(caught) - set(states))
    if strangers:
        raise click.ClickException(f"vectors name bugs that vectors/bugs.json lacks: {', '.join(strangers)}")
    count = Counter(kind for kind, _ in states.values())
    shares = {kind: count[kind] for kind in ("caught", "ruled", "unreached")}
    yield from ("# Real bugs, and what catches them", "", NOTE, "", _BUGS.format(total=len(catalogue), **shares))
    for area in (name for name in vectors.AREAS if any(bug.area == name for bug in catalogue)):
        yield from (f"## {area}", "")
        rows = [_bug_row(bug, states[bug.id][1]) for bug in catalogue if bug.area == area]
        yield from table(("bug", "where", "what was wrong", "what becomes of it here"), rows)


def _caught() -> Mapping[str, list[str]]:
    """Bug → ids of the questions that its behaviour fails."""
    by_bug: dict[str, list[str]] = {}
    for vector in vectors.load():
        for wrong in vector.wrong:
            by_bug.setdefault(wrong.bug, []).append(f"{vector.path}#{wrong.op}")
    return by_bug


def _state(bug: _Bug, caught: list[str]) -> tuple[str, str]:
    ruled = [] if bug.ruled is None else [_ruled(bug.ruled)]
    if caught:
        ids = [code(identifier) for identifier in dict.fromkeys(caught)]
        once = [] if bug.once is None else [f"this one alone: {cell(bug.once)}"]
        return "caught", "<br>".join(["fails", *ids, *once, *ruled])
    if ruled:
        return "ruled", ruled[0]
    if bug.unreached is not None:
        return "unreached", f"not reached: {cell(bug.unreached)}"
    raise click.ClickException(f"vectors/bugs.json: no vector names {bug.id}, so it needs `ruled` or `unreached`")


def _ruled(ruled: _Ruled) -> str:
    word = "ruled otherwise" if ruled.how == "otherwise" else "contested"
    return f"{word}, [{ruled.ruling}](../rulings.md#{ruled.ruling.lower()}): {cell(ruled.why)}"


def _bug_row(bug: _Bug, state: str) -> tuple[str, ...]:
    where = "<br>".join(map(cell, (bug.repo, bug.ref, bug.date)))
    wrong = f"**{cell(bug.title)}**: {cell(bug.wrong_behaviour)}"
    return f'<a id="{bug.id.lower()}"></a>{bug.id}', where, wrong, state
