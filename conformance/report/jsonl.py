"""The `--report` file: JSON lines, a header, a line a verdict, a summary. Written as verdicts come; read strictly.

    {"report": 1, "kit": …, "vectors": …, "implementation": {"name", "version", "language"}, "options": {…}}
    {"id", "dialect", "area", "type", "version", "op", "verdict", "kind", "reason", "offset", "detail", "known",
     "repro"}
    {"summary": {area: {verdict: count}}}

A file may hold several such reports, one after another: one an implementation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from conformance import vectors
from conformance.closing import Closing
from conformance.model import Description, Kind, Op, Outcome, Tally, Verdict
from conformance.report.text import middle, safe_json

FORMAT: Literal[1] = 1
#: So many characters of an implementation's words stand in a line.
_LONGEST = 1 << 14

_T = TypeVar("_T")


class ReportError(ValueError):
    """A report that does not keep to the format; the text names the line and what is wrong in it."""


class Implementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose verdicts they are."""

    name: str
    version: str | None
    language: str


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line. `kit` is the kit's version, `vectors` the digest of the vector set."""

    report: Literal[1]
    kit: str
    vectors: str
    implementation: Implementation
    options: str | dict[str, Any]


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A verdict as it stands in a report. `known` is the reason in the known-deviations file, `repro` the command."""

    id: str
    dialect: str
    area: str
    type: str | None
    version: int | None
    op: Op
    verdict: Outcome
    kind: Kind | None
    reason: str | None
    offset: int | None
    detail: str
    known: str | None
    repro: str


class _Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    summary: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was read."""

    header: Header
    lines: tuple[Line, ...]
    tally: Tally


_encoder = msgspec.json.Encoder()
_header = msgspec.json.Decoder(Header)
_line = msgspec.json.Decoder(Line)
_summary = msgspec.json.Decoder(_Summary)


class ReportWriter(Closing):
    """Writes a report file, verdict after verdict: `implementation` begins a report, `summary` ends it.

    Each line is flushed, so that what was judged before an abort is there. Raises ReportError when the file cannot be
    written.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._stream = path.open("wb")
        except OSError as error:
            raise ReportError(f"{path}: the report cannot be written there: {error.strerror or error}") from None

    def implementation(self, described: Description, options: str | Mapping[str, Any]) -> None:
        """The header of this implementation's report; `options` are those in force."""
        version = None if described.version is None else _text(described.version)
        about = Implementation(_text(described.name), version, _text(described.language))
        said = options if isinstance(options, str) else dict(options)
        self._put(Header(FORMAT, _kit(), vectors.digest(), about, said))

    def verdict(self, verdict: Verdict, repro: str) -> None:
        """One verdict; `repro` is the command that repeats it."""
        self._put(
            Line(
                id=verdict.id,
                dialect=verdict.dialect,
                area=verdict.area,
                type=verdict.type,
                version=verdict.version,
                op=verdict.op,
                verdict=verdict.verdict,
                kind=verdict.kind,
                reason=verdict.reason,
                offset=verdict.offset,
                detail=_text(verdict.detail),
                known=verdict.known,
                repro=repro,
            )
        )

    def summary(self, tally: Tally) -> None:
        """The last line of a report: all its verdicts, counted."""
        self._put(_Summary(tally.areas()))

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _put(self, line: msgspec.Struct) -> None:
        self._stream.write(safe_json(_encoder.encode(line)) + b"\n")
        self._stream.flush()


def _kit() -> str:
    try:
        return metadata.version("wireproof")
    except metadata.PackageNotFoundError:
        return "0+source"


def _text(text: str) -> str:
    """Text without lone surrogates, which an implementation's words may hold and UTF-8 cannot, and no book."""
    return middle(text, _LONGEST).encode("utf-8", "backslashreplace").decode()


def read_reports(content: Iterable[bytes], name: str = "report") -> tuple[Report, ...]:
    """All reports of a file, given as its lines. Raises ReportError; `name` is how errors call the file."""
    return tuple(_reports(content, name))


def read_report(content: Iterable[bytes], name: str = "report") -> Report:
    """The only report of a file. Raises ReportError."""
    found = read_reports(content, name)
    if len(found) != 1:
        raise ReportError(f"{name}: it holds {len(found)} reports, where one is expected")
    return found[0]


def _reports(content: Iterable[bytes], name: str) -> Iterator[Report]:
    header: Header | None = None
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
            yield _finished(header, lines, summary.summary, place)
            header = None
        else:
            line = _decode(_line, raw, place, "a verdict")
            if line.id in ids:
                raise ReportError(f"{place}: the verdict {line.id!r} stands twice")
            ids.add(line.id)
            lines.append(line)
    if header is not None:
        raise ReportError(f"{name}: it ends after line {number} without a summary: the run did not come to its end")


def _decode(decoder: msgspec.json.Decoder[_T], raw: bytes, place: str, what: str) -> _T:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ReportError(f"{place}: {what} is expected here: {error}") from None


def _finished(header: Header, lines: list[Line], summary: Mapping[str, Mapping[str, int]], place: str) -> Report:
    tally = Tally(Counter((line.area, str(line.verdict)) for line in lines))
    if tally.areas() != summary:
        raise ReportError(f"{place}: the summary is not what the verdicts before it add up to, {tally.areas()}")
    return Report(header, tuple(lines), tally)
