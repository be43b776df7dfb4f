"""The end of a run: what is printed, what fails it beside its verdicts, and the draft of a file of known deviations."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance import known, ledger, vectors
from conformance.asking import ASKED
from conformance.model import Description, Verdict
from conformance.report.summary import new_findings, numbers
from conformance.report.unasked import NotAskedOfAll


@dataclass(frozen=True, slots=True)
class Ended:
    """What a run came to, all by implementation spec. `not_offered`, `lacking` (its `areas`) and `elsewhere`: see
    `selection.LeftOut`."""

    verdicts: Mapping[str, Sequence[Verdict]]
    descriptions: Mapping[str, Description]
    not_offered: Mapping[str, Mapping[str, int]]
    lacking: Mapping[str, Mapping[str, int]]
    elsewhere: Mapping[str, Mapping[str, int]]
    #: How many of pytest's items came to their end.
    items: Mapping[str, int] = field(default_factory=dict)
    #: How many items were asked, of how many, of those implementations of which a run was ended before all were.
    incomplete: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def numbers(self, *, width: int, color: bool, verbose: bool) -> Iterator[str]:
        """The run in numbers, as texts for a person."""
        yield from numbers(
            self.verdicts,
            self.descriptions,
            NotAskedOfAll(self.not_offered, self.lacking, self.elsewhere),
            width=width,
            color=color,
            items=self.items,
            incomplete=self.incomplete,
            verbose=verbose,
        )

    def findings(self, *, width: int, color: bool) -> Iterator[str]:
        """What was found, as texts for a person."""
        yield from new_findings(self.verdicts, self.descriptions, width=width, color=color)

    def nothing_asked(self) -> Iterator[str]:
        """A line for each implementation that was asked nothing. Such a run says nothing, so it fails."""
        for spec, found in self.verdicts.items():
            if not any(verdict.verdict in ASKED for verdict in found):
                yield f"{spec}: nothing was asked, or everything was skipped: such a run says nothing, so it fails"

    def stale(self, files: Mapping[str, known.Known], *, complete: bool) -> Iterator[str]:
        """What is no longer true in the files of known deviations, which fails the run. `complete`: all questions that
        these implementations offer to answer were to be asked."""
        today = datetime.datetime.now(tz=datetime.UTC).date()
        for spec, entries in files.items():
            yield from entries.stale(self.verdicts.get(spec, ()), _every_id, complete=complete, today=today)

    def drafts(self) -> str:
        """Drafts of files of known deviations, one after the other, for what is not known yet."""
        return "\n".join(
            known.draft([verdict for verdict in found if verdict.known is None], spec)
            for spec, found in self.verdicts.items()
        )


@functools.cache
def _every_id() -> Collection[str]:
    """The ids of all cases that exist, without derived and generated ones."""
    return {case.id for vector in (*vectors.load(), *ledger.every_vector()) for case in vector.cases()}
