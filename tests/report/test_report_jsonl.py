"""The report file: all that is written can be read, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from wireproof.conformance import vectors
from wireproof.conformance.model import Description, FailureKind, Op, Outcome, Verdict
from wireproof.conformance.report.jsonl import ReportError, ReportWriter, Tally, read_report, read_reports

LIBRARY = Description("library", "1.0", "rust")
VERDICTS = (
    Verdict("kafka/varints/a#decode", "kafka", "varints", "VARINT", None, Op.DECODE, Outcome.PASS),
    Verdict(
        "kafka/framing/b#serve",
        "kafka",
        "framing",
        None,
        None,
        Op.SERVE,
        Outcome.FAIL,
        FailureKind.WRONG_ANSWER,
        reason="truncated",
        offset=3,
        detail="lone \ud800 surrogate\n‡",
        known="a reason",
        rulings=("R-K-5", "R-K-6"),
        note="a note",
        error="ValueError",
        frame="mine:read",
        demanded="truncated",
        ground="R-K-18",
        place="lone \ud800 place",
    ),
)


def write(path: Path, *, summary: bool = True) -> list[bytes]:
    with ReportWriter(path) as writer:
        writer.implementation(LIBRARY, {"timeout": 5})
        for verdict in VERDICTS:
            writer.verdict(verdict, f"wireproof repro {verdict.id}")
        if summary:
            writer.summary(Tally.of(*VERDICTS))
    return path.read_bytes().splitlines()


def test_the_lines_are_those_of_the_contract(tmp_path: Path) -> None:
    header, first, second, summary = (json.loads(line) for line in write(tmp_path / "report.jsonl"))
    assert header["report"] == 2
    assert header["vectors"] == vectors.digest()
    assert header["implementation"] == {"name": "library", "version": "1.0", "language": "rust"}
    assert header["options"] == {"timeout": 5}
    assert list(first) == [
        *("id", "dialect", "area", "type", "version", "op", "verdict", "kind", "reason", "offset", "detail"),
        *("rulings", "note", "error", "frame", "demanded", "ground", "place", "known", "group", "repro"),
    ]
    assert first["group"] is None
    assert second["group"] == {"verdict": "fail", "kind": "wrong-answer", "cause": "truncated", "frame": "mine:read"}
    assert first["verdict"] == "pass"
    assert second["kind"] == "wrong-answer"
    assert second["detail"] == "lone \\ud800 surrogate\n‡"
    assert summary == {"summary": {"framing": {"fail": 1}, "varints": {"pass": 1}}}


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    report = read_report(write(tmp_path / "report.jsonl"))
    assert report.header.implementation.name == "library"
    assert [line.id for line in report.lines] == [verdict.id for verdict in VERDICTS]
    assert report.lines[1].known == "a reason"
    assert report.tally.areas() == Tally.of(*VERDICTS).areas()


def test_a_line_loses_nothing_of_its_verdict(tmp_path: Path) -> None:
    read = read_report(write(tmp_path / "report.jsonl"))
    printable: dict[str, Any] = {"detail": "lone \\ud800 surrogate\n‡", "place": "lone \\ud800 place"}
    wanted = (VERDICTS[0], msgspec.structs.replace(VERDICTS[1], **printable))
    for line, verdict in zip(read.lines, wanted, strict=True):
        assert msgspec.structs.asdict(verdict).items() <= msgspec.structs.asdict(line).items()


def test_a_report_of_format_1_is_still_read() -> None:
    header = {"report": 1, "kit": "0.1.0", "vectors": "00", "options": "timeout=5 s"} | {
        "implementation": {"name": "library", "version": None, "language": "go"}
    }
    line = {"id": "kafka/varints/a#decode", "dialect": "kafka", "area": "varints", "type": "VARINT"} | {
        "version": None,
        "op": "decode",
        "verdict": "crash",
        "kind": None,
        "reason": None,
        "offset": None,
        "detail": "it died",
        "known": None,
        "repro": "wireproof repro",
    }
    rows = (header, line, {"summary": {"varints": {"crash": 1}}})
    (read,) = read_report(json.dumps(row, separators=(",", ":")).encode() for row in rows).lines
    assert (read.outcome, read.detail, read.group, read.rulings) == (Outcome.CRASH, "it died", None, ())


def test_a_file_holds_a_report_for_each_implementation(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    with ReportWriter(path) as writer:
        for name in ("one", "two"):
            writer.implementation(Description(name), "timeout=5")
            writer.verdict(VERDICTS[0], "again")
            writer.summary(Tally.of(VERDICTS[0]))
    lines = path.read_bytes().splitlines()
    assert [one.header.implementation.name for one in read_reports(lines)] == ["one", "two"]
    with pytest.raises(ReportError, match="it holds 2 reports"):
        read_report(lines)


def test_verdicts_are_there_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    writer = ReportWriter(path)
    writer.implementation(LIBRARY, {})
    writer.verdict(VERDICTS[0], "again")
    assert len(path.read_bytes().splitlines()) == 2
    writer.close()
    writer.close()


def _changed(number: int, **fields: Any) -> Callable[[list[bytes]], list[bytes]]:
    def change(lines: list[bytes]) -> list[bytes]:
        lines[number] = json.dumps(json.loads(lines[number]) | fields).encode()
        return lines

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines[:-1], "ends after line 3 without a summary"),
        (lambda lines: lines[1:], "line 1: a header is expected"),
        (
            lambda lines: [*lines[:2], lines[1], *lines[2:]],
            r"line 3: the verdict 'kafka/varints/a#decode' stands twice",
        ),
        (lambda lines: [lines[0], b"{", *lines[2:]], "line 2: a verdict is expected"),
        (lambda lines: [lines[0], b'{"id": "\xff"}'], "line 2: a verdict is expected"),
        (lambda lines: [lines[0], lines[1], lines[3]], "differs from the sum of the verdicts before it"),
        (lambda lines: [*lines, lines[1]], "line 5: a header is expected"),
        (_changed(0, report=3), r"line 1: the report has format 3; this version of Wireproof reads the formats 1 to 2"),
        (_changed(0, more=1), "unknown field `more`"),
        (_changed(1, more=1), "unknown field `more`"),
        (_changed(1, verdict="maybe"), "Invalid enum value 'maybe'"),
        (_changed(1, version="3"), "Expected `int | null`, got `str`"),
        (_changed(3, more=1), "line 4: a summary"),
        (lambda _: [], "it holds 0 reports"),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], words: str) -> None:
    with pytest.raises(ReportError, match=words):
        read_report(change(write(tmp_path / "report.jsonl")), "r.jsonl")


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot be written"):
        ReportWriter(tmp_path / "missing" / "report.jsonl")
