"""The end of a run: its output, problems that fail it, and the draft of a file of known deviations."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import ASKED
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import Description, Verdict
from wireproof.conformance.report.summary import new_findings, numbers
from wireproof.conformance.report.unasked import NotAskedOfAll


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The results of a run, by implementation spec. `not_offered`, `lacking` (called `areas` there) and `elsewhere`:
    see `selection.LeftOut`."""

    verdicts: Mapping[str, Sequence[Verdict]]
    descriptions: Mapping[str, Description]
    not_offered: Mapping[str, Mapping[str, int]]
    lacking: Mapping[str, Mapping[str, int]]
    elsewhere: Mapping[str, Mapping[str, int]]
    #: The number of pytest's items that have run.
    items: Mapping[str, int] = field(default_factory=dict)
    #: For implementations with items that did not run: the number of items that ran, and of all items.
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
        """The findings, as texts for a person."""
        yield from new_findings(self.verdicts, self.descriptions, width=width, color=color)

    def nothing_asked(self) -> Iterator[str]:
        """A line for each implementation that was asked nothing. Such a run proves nothing, so it fails."""
        for spec, verdicts in self.verdicts.items():
            if not any(verdict.outcome in ASKED for verdict in verdicts):
                yield f"{spec}: nothing was asked, or everything was skipped: such a run proves nothing, so it fails"

    def stale(self, files: Mapping[str, known_deviations.Known], *, complete: bool) -> Iterator[str]:
        """Entries of the files of known deviations that are no longer true; they fail the run. `complete`: the run
        asked all questions that these implementations offer to answer."""
        today = datetime.datetime.now(tz=datetime.UTC).date()
        for spec, entries in files.items():
            yield from entries.stale(self.verdicts.get(spec, ()), _every_id, complete=complete, today=today)

    def drafts(self) -> str:
        """Drafts of files of known deviations, one after the other, for deviations that no file names yet."""
        from wireproof.conformance.evidence import drafts  # tomlkit loads slowly

        return "\n".join(
            drafts.draft([verdict for verdict in verdicts if verdict.known is None], spec)
            for spec, verdicts in self.verdicts.items()
        )


@functools.cache
def _every_id() -> Collection[str]:
    """The ids of all cases, without derived and generated ones."""
    return {case.id for vector in (*vectors.load(), *ledger.every_vector()) for case in vector.cases()}
