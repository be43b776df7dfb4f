"""The `--report` of a run, which is written as its verdicts come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.closing import Closing
from conformance.model import Description, Tally, Verdict
from conformance.report.failure import repro_command
from conformance.report.jsonl import ReportWriter


class Recording(Closing):
    """Writes the reports of several implementations into one file, one after the other.

    Verdicts are written at once while those of one implementation come; what comes of another one in between (xdist's
    workers go on with the next while the last items of the one before run) waits until the first has ended. Each method
    raises ReportError when the file cannot be written.
    """

    def __init__(self, path: Path, descriptions: Mapping[str, Description], options: str) -> None:
        """`descriptions`: of each implementation, by its spec, in the order of the reports; they may come later."""
        self._writer = ReportWriter(path)
        self._descriptions = descriptions
        self._options = options
        self._open: str | None = None
        self._ended: set[str] = set()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._waiting: dict[str, list[Verdict]] = {}

    def verdicts(self, spec: str, found: Sequence[Verdict]) -> None:
        """Verdicts on an implementation, in a process whose descriptions hold it."""
        if self._open is None and spec not in self._ended:
            self._begin(spec)
        if self._open == spec:
            self._write(spec, found)
        else:
            self._waiting.setdefault(spec, []).extend(found)

    def end(self, spec: str, incomplete: tuple[int, int] | None = None) -> None:
        """This implementation is done. `incomplete`: how many items were asked, and of how many, if not all."""
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

    def _write(self, spec: str, found: Sequence[Verdict]) -> None:
        for verdict in found:
            self._writer.verdict(verdict, repro_command(verdict.id, spec))
        self._counts.update((verdict.area, str(verdict.verdict)) for verdict in found)
