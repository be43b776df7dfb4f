"""The `--report` file of a run, written during the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from wireproof.conformance.closing import Closing
from wireproof.conformance.model import Description, Tally, Verdict
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.report.jsonl import ReportWriter


class Recording(Closing):
    """Writes the reports of several implementations into one file, one after the other.

    Verdicts on the current implementation are written at once. Verdicts on another one wait until the current one is
    done (an xdist worker may start the next implementation while another worker still runs the last items of this one).
    Each method raises ReportError when the file cannot be written.
    """

    def __init__(self, path: Path, descriptions: Mapping[str, Description], options: str) -> None:
        """`descriptions`: by implementation spec, in the order of the reports; more may be added later."""
        self._writer = ReportWriter(path)
        self._descriptions = descriptions
        self._options = options
        self._open: str | None = None
        self._ended: set[str] = set()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._waiting: dict[str, list[Verdict]] = {}

    def verdicts(self, spec: str, verdicts: Sequence[Verdict]) -> None:
        """Verdicts on an implementation; `descriptions` must have it."""
        if self._open is None and spec not in self._ended:
            self._begin(spec)
        if self._open == spec:
            self._write(spec, verdicts)
        else:
            self._waiting.setdefault(spec, []).extend(verdicts)

    def end(self, spec: str, incomplete: tuple[int, int] | None = None) -> None:
        """This implementation is done. `incomplete`: the number of items that ran, and of all items, if they differ."""
        if spec in self._ended or spec not in self._descriptions or self._open not in (None, spec):
            return
        if self._open is None:
            self._begin(spec)
        self._writer.summary(Tally(self._counts), incomplete)
        self._ended.add(spec)
        self._open = None
        for other in self._waiting:
            self._begin(other)
            return

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def _begin(self, spec: str) -> None:
        self._open = spec
        self._counts = Counter()
        self._writer.implementation(self._descriptions[spec], self._options)
        self._write(spec, self._waiting.pop(spec, ()))

    def _write(self, spec: str, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            self._writer.verdict(verdict, repro_command(verdict.id, spec))
        self._counts.update((verdict.area, str(verdict.outcome)) for verdict in verdicts)
