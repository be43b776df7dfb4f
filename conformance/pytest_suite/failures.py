"""Failed items as text.

Each finding gets a page, that of its simplest case, in the place of its first failure; other failures get a line.
pytest's `--tb` is followed: `auto`, `long` and `native` show a page, `short` two lines, `line` one. pytest itself
prints `line`, the words after an id in its summary, and the message in junitxml; it takes all of them from `reprcrash`,
as for its own failures. xdist's workers send text at once: there the simplest case is that of the failures before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from _pytest._code.code import TerminalRepr
from _pytest._io import TerminalWriter

from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.judging.clusters import Group, group
from wireproof.conformance.model import Description, Verdict
from wireproof.conformance.report.failure import render_failure, repro_command
from wireproof.conformance.report.text import encodable, middle, safe

#: The encoding of the stream to which pytest writes.
ENCODING = getattr(sys.__stdout__, "encoding", None)
#: Styles that show every failure, even further ones of the same finding: they are short enough.
BRIEF = ("short", "line")
#: The maximum length of a detail, in characters.
_DETAIL = 300


class Pages:
    """The findings of one implementation that already have a page. `every`: each failing item gets a page."""

    def __init__(self, *, every: bool = False) -> None:
        self._every = every
        self._shown: set[Group | None] = set()
        #: Of each finding the failure with the fewest bytes, then with the fewest rulings.
        self._simplest: dict[Group | None, Judged] = {}

    def divide(self, failed: Sequence[Judged]) -> tuple[list[Judged], list[Verdict]]:
        """An item's failures that get a page now, and the verdicts of its other failures."""
        paged, others = [], []
        here: set[Group | None] = set()
        for judged in failed:
            finding = group(judged.verdict)
            if finding not in self._simplest or _size(judged) < _size(self._simplest[finding]):
                self._simplest[finding] = judged
            if finding in here or (finding in self._shown and not self._every):
                others.append(judged.verdict)
            else:
                here.add(finding)
                paged.append(judged)
        self._shown |= here
        return paged, others

    def simplest(self, judged: Judged) -> Judged:
        """The simplest failure of the same finding so far; each failure itself if each gets a page."""
        return judged if self._every else self._simplest.get(group(judged.verdict), judged)

    @property
    def ids(self) -> Mapping[Group, str]:
        """The id of the simplest failure of each finding."""
        return {finding: judged.case.id for finding, judged in self._simplest.items() if finding is not None}


def _size(judged: Judged) -> tuple[int, int]:
    """How simple a question is: its bytes, or the text of its value, and the rulings that it rests on."""
    data = judged.vector.data or judged.vector.canonical_data
    return len(data) or len(repr(judged.vector.value)), len(judged.vector.rulings)


@dataclass(frozen=True, slots=True)
class Crash:
    """A failure in brief: pytest shows `message` in its summary, and `str` of this object for `--tb=line`. `path` and
    `lineno`: the vector's file and line (from 1), which other plugins read, as in pytest's ReprFileLocation."""

    path: str
    lineno: int
    message: str
    nodeid: str

    def __str__(self) -> str:
        return f"{self.nodeid}: {self.message}"


class Failure(TerminalRepr):
    """An item's failure, in colour if the terminal has colours: a page for each of `paged`, a line for each of the
    `others`, if the style of `--tb` shows them."""

    def __init__(
        self,
        paged: Sequence[Judged],
        others: Sequence[Verdict],
        *,
        first: Verdict,
        location: tuple[str, int | None, str],
        described: Description,
        spec: str,
        style: str,
        simplest: Callable[[Judged], Judged] = lambda judged: judged,
    ) -> None:
        """`first`: the verdict for the styles that show only one. `location`: the item's, as pytest has it. `simplest`:
        gives the failure to show in the place of one that has a page; asked when the page is shown."""
        self._simplest = simplest
        self._paged = paged
        self._others = others
        self._described = described
        self._spec = spec
        self._style = style
        self._repeat = repro_command(first.id, spec, described.reached_by)
        head = f"{first.kind or first.outcome}: {safe(middle(first.detail, _DETAIL))}"
        path, line, nodeid = location
        self.reprcrash = Crash(path, (line or 0) + 1, head, nodeid)

    def toterminal(self, tw: TerminalWriter) -> None:
        if self._style == "short":
            tw.line(self.reprcrash.message, red=True)
            tw.line(f"repeat    {self._repeat}")
        elif self._style != "line":
            self._pages(tw)

    def _pages(self, tw: TerminalWriter) -> None:
        for judged in map(self._simplest, self._paged):
            text = render_failure(
                judged.vector,
                judged.case,
                judged.observation,
                judged.verdict,
                implementation=self._described,
                repro=repro_command(judged.case.id, self._spec, self._described.reached_by),
                width=tw.fullwidth,
                color=tw.hasmarkup,
            )
            tw.write(encodable(text, ENCODING))
        if self._paged and self._others:
            tw.write(f"and {len(self._others)} more here:\n")
        for verdict in self._others:
            tw.write(f"    {verdict.id}: {verdict.outcome}{f' ({verdict.kind})' if verdict.kind else ''}\n")


class SentFailure(TerminalRepr):
    """A failure from an xdist worker, which sends it as text."""

    def __init__(self, text: str, crash: Crash) -> None:
        self._text = text
        self.reprcrash = crash

    def toterminal(self, tw: TerminalWriter) -> None:
        if self._text:
            tw.line(self._text)
