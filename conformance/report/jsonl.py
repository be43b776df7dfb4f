"""The `--report` file: JSON lines, written during the run and read strictly. Its lines are a header, one line for each
verdict, and a summary:

    {"report": 2, "kit": …, "vectors": …, "implementation": {"name", "version", "language"}, "options": {…}}
    {"id", "dialect", "area", "type", "version", "op", "verdict", "kind", "reason", "offset", "detail", "rulings",
     "note", "error", "frame", "demanded", "ground", "place", "known", "group", "repro"}
    {"summary": {area: {verdict: count}}}
    {"summary": {area: {verdict: count}}, "incomplete": {"asked": items, "of": items}}

The last form is for a run that ended before all its items were asked.

A file has one such report for each implementation. Reports of format 1, whose lines ended with `detail`, `known` and
`repro`, can be read too.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from wireproof.conformance import vectors
from wireproof.conformance.decoding import DecodingError, decode_json
from wireproof.conformance.judging.clusters import group
from wireproof.conformance.model import Description, Op, Verdict
from wireproof.conformance.report.text import middle, safe_json
from wireproof.conformance.writing import marked, open_stream
from wireproof.errors import WireproofError

FORMAT: Literal[2] = 2
#: Says of a file whether it is a report.
IS_REPORT = marked(b'{"report":')
#: The maximum length of an implementation's text in a line, in characters.
_LONGEST = 1 << 14

_T = TypeVar("_T")


class ReportError(WireproofError):
    """A report that does not keep to the format; the text names the line and the fault."""


class ReportedImplementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The implementation of a report."""

    name: str
    version: str | None
    language: str


class ReportHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line. `kit` is the kit's version, `vectors` the digest of the vector set."""

    report: Literal[1, 2]
    kit: str
    vectors: str
    implementation: ReportedImplementation
    options: str | dict[str, Any]


class Line(Verdict, frozen=True, kw_only=True):
    """A verdict in a report, with the group of its cluster and the command that repeats it. Reports of format 1 have no
    group."""

    group: dict[str, str] | None = None
    repro: str


@dataclass(frozen=True, slots=True)
class Tally:
    """Verdicts counted by (area, outcome). Tallies can be added."""

    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, *verdicts: Verdict) -> Tally:
        return cls(Counter((v.area, str(v.outcome)) for v in verdicts))

    def __add__(self, other: Tally) -> Tally:
        return Tally(Counter(self.counts) + Counter(other.counts))

    def areas(self) -> dict[str, dict[str, int]]:
        """{area: {verdict: count}}, areas and verdicts in sorted order."""
        table: dict[str, dict[str, int]] = {}
        for (area, verdict), count in sorted(self.counts.items()):
            table.setdefault(area, {})[verdict] = count
        return table


class _AnyHeader(msgspec.Struct, frozen=True):
    """What all formats have."""

    report: int


class Incomplete(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of a run that ended before all its items were asked."""

    asked: int
    of: int


class _Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    summary: dict[str, dict[str, int]]
    incomplete: Incomplete | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A report from a file. `incomplete`: None for a complete run."""

    header: ReportHeader
    lines: tuple[Line, ...]
    tally: Tally
    incomplete: Incomplete | None = None

    @property
    def of_broker(self) -> bool:
        """Whether a broker answered: it was asked nothing but `serve`."""
        return bool(self.lines) and all(line.op == Op.SERVE for line in self.lines)


_encoder = msgspec.json.Encoder()
_header = msgspec.json.Decoder(ReportHeader)
_any_header = msgspec.json.Decoder(_AnyHeader)
_line = msgspec.json.Decoder(Line)
_summary = msgspec.json.Decoder(_Summary)


class ReportWriter(AbstractContextManager["ReportWriter"]):
    """Writes a report file, verdict after verdict: `implementation` begins a report, `summary` ends it.

    Each line is written at once, so that an abort loses no verdicts. An earlier report is replaced, and any other file
    if `overwrite` is true. Raises ReportError when the file cannot be written.
    """

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        self._path = path
        try:
            self._stream = open_stream(path, IS_REPORT, overwrite=overwrite)
        except OSError as error:
            raise self._unwritten(error) from None

    def implementation(self, described: Description, options: str | Mapping[str, Any]) -> None:
        """Write the header of an implementation's report. `options`: those of the run."""
        version = None if described.version is None else _text(described.version)
        about = ReportedImplementation(_text(described.name), version, _text(described.language))
        said = options if isinstance(options, str) else dict(options)
        self._put(ReportHeader(FORMAT, _kit(), vectors.digest(), about, said))

    def verdict(self, verdict: Verdict, repro: str) -> None:
        """Write one verdict. `repro`: the command that repeats it."""
        its_group = group(verdict)
        row = msgspec.to_builtins(verdict) | {"group": None if its_group is None else its_group.row(), "repro": repro}
        self._put({name: _text(value) for name, value in row.items()})

    def summary(self, tally: Tally, incomplete: tuple[int, int] | None = None) -> None:
        """Write the last line of a report: its verdicts, counted. `incomplete`: the number of items that were asked,
        and of all items, if the run ended early."""
        self._put(_Summary(tally.areas(), None if incomplete is None else Incomplete(*incomplete)))

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Failed writes are not repeated."""
        with contextlib.suppress(OSError):
            self._stream.close()

    def _put(self, line: msgspec.Struct | dict[str, Any]) -> None:
        data = memoryview(safe_json(_encoder.encode(line)) + b"\n")
        try:
            while data:  # on a nearly full disk only a part is written
                data = data[self._stream.write(data) :]
        except OSError as error:
            raise self._unwritten(error) from None

    def _unwritten(self, error: OSError) -> ReportError:
        return ReportError(f"{self._path}: the report cannot be written there: {error.strerror or error}")


def _kit() -> str:
    try:
        return metadata.version("wireproof")
    except metadata.PackageNotFoundError:
        return "0+source"


def _text(value: Any) -> Any:
    """Text of limited length, without lone surrogates: an implementation's text may have them, UTF-8 cannot."""
    match value:
        case str():
            short = middle(value, _LONGEST)
            return short if short.isascii() else short.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {name: _text(item) for name, item in value.items()}
    return value


def read_reports(content: Iterable[bytes], name: str = "report") -> tuple[Report, ...]:
    """All reports of a file, given as its lines. Raises ReportError. `name`: the file's name in errors."""
    return tuple(_reports(content, name))


def read_report(content: Iterable[bytes], name: str = "report") -> Report:
    """The only report of a file. Raises ReportError."""
    reports = read_reports(content, name)
    if len(reports) != 1:
        raise ReportError(f"{name}: it holds {len(reports)} reports, where one is expected")
    return reports[0]


def _reports(content: Iterable[bytes], name: str) -> Iterator[Report]:
    header: ReportHeader | None = None
    lines: list[Line] = []
    ids: set[str] = set()
    number = 0
    for number, raw in enumerate(content, 1):
        place = f"{name}, line {number}"
        if header is None:
            header = _decode(_header, raw, place, "a header")
            lines, ids = [], set()
        elif raw.startswith(b'{"summary"'):
            summary = _decode(_summary, raw, place, "a summary")
            yield _finished(header, lines, summary, place)
            header = None
        else:
            line = _decode(_line, raw, place, "a verdict")
            if line.id in ids:
                raise ReportError(f"{place}: the verdict {line.id!r} stands twice")
            ids.add(line.id)
            lines.append(line)
    if header is not None:
        raise ReportError(f"{name}: it ends after line {number} without a summary: the run was interrupted")


def _decode(decoder: msgspec.json.Decoder[_T], raw: bytes, place: str, what: str) -> _T:
    try:
        return decode_json(decoder, raw)
    except DecodingError as error:
        if decoder is _header:
            _check_format(raw, place)
        raise ReportError(f"{place}: {what} is expected here: {error}") from None


def _check_format(raw: bytes, place: str) -> None:
    """Raises ReportError if this is a header of another format."""
    with contextlib.suppress(DecodingError):
        number = decode_json(_any_header, raw).report
        if not 1 <= number <= FORMAT:
            raise ReportError(
                f"{place}: the report has format {number}; this version of Wireproof reads the formats 1 to {FORMAT}"
            ) from None


def _finished(header: ReportHeader, lines: list[Line], summary: _Summary, place: str) -> Report:
    tally = Tally.of(*lines)
    if tally.areas() != summary.summary:
        raise ReportError(f"{place}: the summary differs from the sum of the verdicts before it, {tally.areas()}")
    return Report(header, tuple(lines), tally, summary.incomplete)
