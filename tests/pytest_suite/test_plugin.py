"""`pytest --impl=…` as a user runs it, in the user's own folder."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.pytest_run import Run, counted, run, run_anew

from wireproof.conformance import vectors
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import CONVERSATIONS, Outcome
from wireproof.conformance.questions import selection
from wireproof.conformance.report.jsonl import read_reports

RIGHT = """\
from wireproof.reference import decode, encode

name = "right"
version = "1.2"
types = {"kafka": {"INT8": None, "BOOLEAN": None}}
"""
#: Takes INT8 for unsigned: negative ones are read wrong, and then can't be written again.
WRONG = """\
from wireproof.reference import decode as _decode, encode

name = "wrong"
version = "1.2"
types = {"kafka": {"INT8": None, "BOOLEAN": None}}


def decode(type, data, *, dialect, version=None):
    value = _decode(type, data, dialect=dialect, version=version)
    return value & 0xFF if type == "INT8" else value
"""
SILENT = """\
def decode(type, data, *, dialect, version=None):
    raise NotImplementedError("not yet")
"""
#: Reads nothing of what it is given.
UNREAD = """\
types = {"kafka": {"INT8": None, "HeartbeatRequest": (4, 4)}}


def decode(type, data, *, dialect, version=None):
    return 77
"""
AREA = "--area=framing"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder: wrappers, tests of their own, and a folder with the name of one of the kit's."""
    home = tmp_path_factory.mktemp("user")
    for name, text in (("right", RIGHT), ("wrong", WRONG), ("silent", SILENT)):
        (home / f"{name}.py").write_text(text)
    (home / "fuzz").mkdir()
    (home / "fuzz" / "__init__.py").write_text("raise RuntimeError('this is nobody else's')\n")
    (home / "test_own.py").write_text("def test_own():\n    assert False\n")
    return home


@dataclass(frozen=True)
class Whole:
    """A run with everything that it can leave behind."""

    run: Run
    folder: Path

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "report.jsonl").read_text().splitlines()]

    @property
    def drafted(self) -> Path:
        return self.folder / "drafted.toml"


@pytest.fixture(scope="module")
def whole(folder: Path) -> Whole:
    options = ("--junitxml=junit.xml", "--report=report.jsonl", "--write-known=drafted.toml", "--transcript=said.jsonl")
    return Whole(run("--impl=wrong", AREA, "-o", "cache_dir=cache", *options, cwd=folder), folder)


@pytest.fixture(scope="module")
def expected() -> dict[str, Outcome]:
    """What comes of each case of `wrong`: INT8 below 0 fails when it is read."""
    found = {}
    for vector in vectors.load(["kafka"], ["framing"]):
        if vector.type not in ("INT8", "BOOLEAN"):
            continue
        for op in vector.ops[:1] if vector.kind is vectors.VectorKind.INVALID else vector.ops:
            negative = vector.kind is vectors.VectorKind.VALID and vector.type == "INT8" and vector.value < 0
            failed = negative and op != "encode"
            found[vector.case(op).id] = Outcome.FAIL if failed else Outcome.PASS
    return found


# --- A run ------------------------------------------------------------------------------------------------------------


def test_the_reference_passes_in_a_folder_with_a_fuzz_of_its_own(folder: Path) -> None:
    done = run_anew("--impl=reference", "--area=tag-ordering", cwd=folder)
    assert done.code == 0, done.text
    with open_connection("reference", Options()) as connection:
        asked = len([*selection.of_vectors(vectors.load(None, ["tag-ordering"]), connection.description)])
    assert counted(done.text, "passed") == asked
    assert counted(done.text, "skipped") == 0
    assert f"vectors {vectors.digest()}" in done.text
    assert "test_own" not in done.text


def test_a_deviation_fails_the_run_and_says_how_to_repeat_it(whole: Whole, expected: dict[str, Outcome]) -> None:
    counts = Counter(expected.values())
    assert whole.run.code == 1
    assert counted(whole.run.text, "failed") == counts[Outcome.FAIL] > 0
    assert counted(whole.run.text, "passed") == counts[Outcome.PASS] > 0
    for identifier, outcome in expected.items():
        told = re.search(rf"^FAILED wrong::{re.escape(identifier)} - ", whole.run.text, re.MULTILINE)
        assert (told is not None) is (outcome is Outcome.FAIL)
    repeated = set(re.findall(r"wireproof repro '([^']*)' --impl=wrong", whole.run.text))  # one a finding
    assert repeated == {"kafka/framing/int8-minus-128#decode", "kafka/framing/int8-minus-128#recode"}
    assert "Traceback" not in whole.run.text


def test_failures_of_every_kind_are_shown_in_colour(folder: Path) -> None:
    """A vector, a ledger case, what is derived of it, and a property."""
    (folder / "unread.py").write_text(UNREAD)
    found = run(
        "--impl=unread", "--properties=1", "--color=yes", "-v", "-k", "int8-127 or INT8 or Heartbeat", cwd=folder
    )
    assert found.code == 1
    message = "kafka/messages/HeartbeatRequest/4"
    for shown in (
        "kafka/framing/int8-127#decode",
        f"{message}/set#decode",
        f"{message}/unknown-tags+prefix:0#decode",
        "gen/kafka/INT8/-/x00#decode",
    ):
        assert f"\x1b[2m{shown}\x1b[0m" in found.coloured, shown
    others = rf"^and \d+ more here:\n    {message}/unknown-tags\+prefix:\d+#decode: fail"
    assert re.search(others, found.text, re.MULTILINE)


NOT_OFFERED = (
    r"^wrong 1\.2: [\d,]+ questions not asked, without derived ones: \d+ types?\b.* not offered; -v lists them"
)


def test_what_is_not_offered_is_one_line(whole: Whole) -> None:
    assert len(re.findall("not offered", whole.run.text)) == 1
    assert re.search(NOT_OFFERED, whole.run.text, re.MULTILINE)


def test_several_implementations_make_a_matrix(folder: Path, whole: Whole, expected: dict[str, Outcome]) -> None:
    specs = ("--impl=right", "--impl=wrong", "--impl=right")
    done = run(*specs, AREA, "--tb=no", "--write-known=both.toml", cwd=folder)
    failures = counted(whole.run.text, "failed")
    assert done.code == 1, done.text
    assert (counted(done.text, "passed"), counted(done.text, "failed")) == (2 * len(expected) - failures, failures)
    assert {"right", "wrong"} <= {line.split()[0] for line in done.text.splitlines() if line.strip()}
    # Drafts of several, one of which deviates nowhere, are one file.
    drafted = known_deviations.load(folder / "both.toml", None)
    assert drafted.deviations == known_deviations.load(whole.drafted, None).deviations


# --- What goes wrong before anything is asked -------------------------------------------------------------------------

AREAS = ", ".join((*vectors.AREAS, CONVERSATIONS))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--impl=right", "--area=odds"), 4, f"--area: there is no area 'odds'; there are {AREAS}"),
        (("--impl=right", "--dialect=odd"), 4, "--dialect: there is no dialect 'odd'; there are kafka"),
        (("--impl=no.such.module",), 4, "--impl=no.such.module: no.such.module: there is no module 'no'"),
        (("--impl=no.such.module", "-n", "2"), 4, "--impl=no.such.module: no.such.module: there is no module 'no'"),
        (("--impl=right", "--impl=test_own"), 4, "test_own has none of the eleven functions"),
        (("--impl=right", "--known=none.toml"), 4, "none.toml: No such file or directory"),
        (("--impl=right", "--memory=0"), 4, "the memory limit is 0 MiB"),
    ],
)
def test_a_wrong_command_line_is_a_usage_error(folder: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = run(*arguments, cwd=folder)
    assert done.code == code, done.text
    assert said in done.text
    assert not re.search("Traceback|INTERNALERROR|/suite.py", done.text), done.text


def test_without_an_implementation_nothing_of_the_kit_is_imported(tmp_path: Path) -> None:
    (tmp_path / "conformance").mkdir()
    (tmp_path / "conformance" / "__init__.py").write_text("")
    (tmp_path / "test_own.py").write_text(
        "import sys\n\n\ndef test_own():\n"
        "    kit = {name.partition('.')[0] for name in sys.modules}\n"
        "    assert 'pytest_wireproof' in kit\n"
        "    assert not kit & {'conformance', 'reference', 'vectors', 'wireproof', 'msgspec'}\n"
    )
    done = run_anew(cwd=tmp_path)
    assert done.code == 0, done.text
    assert counted(done.text, "passed") == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        # Nothing of this area is offered.
        (("--impl=right", "--area=tag-ordering"), 5),
        # Everything that is asked is skipped.
        (("--impl=silent", "--area=tag-ordering"), 1),
    ],
)
def test_a_run_in_which_nothing_was_asked_fails(folder: Path, arguments: tuple[str, ...], code: int) -> None:
    done = run(*arguments, "-q", cwd=folder)
    assert done.code == code, done.text
    assert "nothing was asked, or everything was skipped" in done.text
    assert counted(done.text, "passed") == 0


# --- pytest's own ways ------------------------------------------------------------------------------------------------


def test_some_can_be_chosen_by_name(whole: Whole, expected: dict[str, Outcome]) -> None:
    chosen = [identifier for identifier in expected if "boolean" in identifier]
    done = run("--impl=wrong", AREA, "-k", "boolean", "--known=drafted.toml", cwd=whole.folder)
    # What is known and was deselected is not stale.
    assert (done.code, counted(done.text, "passed")) == (0, len(chosen)), done.text
    assert counted(done.text, "deselected") == len(expected) - len(chosen)


def test_the_last_failures_can_be_asked_again(whole: Whole) -> None:
    done = run("--impl=wrong", AREA, "--lf", "-o", "cache_dir=cache", "--tb=no", cwd=whole.folder)
    assert done.code == 1, done.text
    assert (counted(done.text, "failed"), counted(done.text, "passed")) == (counted(whole.run.text, "failed"), 0)


def test_junit(whole: Whole, expected: dict[str, Outcome]) -> None:
    root = ET.parse(whole.folder / "junit.xml").getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert cases.keys() == expected.keys()
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    assert failed == {name for name, outcome in expected.items() if outcome is Outcome.FAIL}


def test_two_workers_find_the_same(folder: Path, whole: Whole) -> None:
    done = run("--impl=wrong", AREA, "-n", "2", "--report=parallel.jsonl", cwd=folder)
    assert done.code == 1, done.text
    parallel = [json.loads(line) for line in (folder / "parallel.jsonl").read_text().splitlines()]
    alone = whole.lines()
    assert parallel[0] == alone[0]
    assert sorted(parallel[1:-1], key=lambda line: str(line["id"])) == sorted(
        alone[1:-1], key=lambda line: str(line["id"])
    )
    assert parallel[-1] == alone[-1]
    assert counted(done.text, "failed") == counted(whole.run.text, "failed")
    assert re.search(NOT_OFFERED, done.text, re.MULTILINE)


def verdict_lines(report: Path) -> list[tuple[str, str]]:
    """The implementation and the id of each verdict in a report, sorted."""
    with report.open("rb") as file:
        return sorted((one.header.implementation.name, line.id) for one in read_reports(file) for line in one.lines)


def test_two_workers_lose_no_verdict_on_either_of_two_implementations(
    folder: Path, expected: dict[str, Outcome]
) -> None:
    """Each worker has one of them, so that verdicts on the second wait in the controller until the first is done."""
    specs = ("--impl=right", "--impl=wrong", AREA, "--tb=no")
    run(*specs, "--report=both.jsonl", cwd=folder)
    run(*specs, "-n", "2", "--report=both-parallel.jsonl", cwd=folder)
    alone = verdict_lines(folder / "both.jsonl")
    assert len(alone) == 2 * len(expected)
    assert verdict_lines(folder / "both-parallel.jsonl") == alone


# --- What is written --------------------------------------------------------------------------------------------------

KEYS = [
    *("id", "dialect", "area", "type", "version", "op"),
    *("verdict", "kind", "reason", "offset", "detail", "rulings", "note", "error", "frame"),
    *("demanded", "ground", "place", "known", "group", "repro"),
]


def test_the_report_keeps_to_the_contract(whole: Whole, expected: dict[str, Outcome]) -> None:
    header, *verdicts, last = whole.lines()
    assert list(header) == ["report", "kit", "vectors", "implementation", "options"]
    assert (header["report"], header["vectors"]) == (2, vectors.digest())
    assert header["implementation"] == {"name": "wrong", "version": "1.2", "language": "python"}
    assert [list(verdict) for verdict in verdicts] == [KEYS] * len(verdicts)
    assert {verdict["id"]: verdict["verdict"] for verdict in verdicts} == expected
    assert last == {"summary": {"framing": dict(Counter(expected.values()))}}
    by_id = {verdict["id"]: verdict for verdict in verdicts}
    read = by_id["kafka/framing/int8-minus-1#decode"]
    assert read == {
        "id": "kafka/framing/int8-minus-1#decode",
        "dialect": "kafka",
        "area": "framing",
        "type": "INT8",
        "version": None,
        "op": "decode",
        "verdict": "fail",
        "kind": "wrong-value",
        "reason": None,
        "offset": None,
        "detail": "expected -1, got 255",
        "rulings": [],
        "note": "",
        "error": "",
        "frame": "",
        "demanded": None,
        "ground": None,
        "place": "INT8",
        "known": None,
        "group": {"verdict": "fail", "kind": "wrong-value", "side": "read", "place": "INT8"},
        "repro": "wireproof repro 'kafka/framing/int8-minus-1#decode' --impl=wrong",
    }
    again = by_id["kafka/framing/int8-minus-1#recode"]
    assert (again["kind"], again["reason"]) == ("refused-valid", "out-of-range")


def test_the_conversation_is_recorded(whole: Whole) -> None:
    said = [json.loads(line) for line in (whole.folder / "said.jsonl").read_text().splitlines()]
    assert said[0]["line"] == {"op": "describe", "protocol": 1}
    assert {entry["dir"] for entry in said} == {">", "<"}
    asked = [entry["line"] for entry in said if entry["dir"] == ">" and entry["line"].get("op") == "decode"]
    assert {"op": "decode", "dialect": "kafka", "type": "INT8", "data": "ff"}.items() <= next(
        question.items() for question in asked if question["data"] == "ff" and question["type"] == "INT8"
    )


# --- Known deviations -------------------------------------------------------------------------------------------------

EXTRA = """
[[deviation]]
match = "{match}"
class = "bug"
reason = "so it is"
reported = "pending"
"""


def test_a_drafted_file_beside_the_implementation_makes_the_run_pass(
    whole: Whole, expected: dict[str, Outcome]
) -> None:
    beside = whole.folder / "wrong.known.toml"
    beside.write_text(whole.drafted.read_text())
    try:
        done = run("--impl=wrong", AREA, "--report=known.jsonl", cwd=whole.folder)
        without = run("--impl=wrong", AREA, "--tb=no", "--known=none", cwd=whole.folder)
    finally:
        beside.unlink()
    assert (done.code, without.code) == (0, 1), done.text
    failures = {identifier for identifier, outcome in expected.items() if outcome is Outcome.FAIL}
    assert counted(done.text, "known") == counted(without.text, "failed") == len(failures)
    lines = [json.loads(line) for line in (whole.folder / "known.jsonl").read_text().splitlines()][1:-1]
    assert {line["id"] for line in lines if line["known"] is not None} == failures
    assert {line["id"] for line in lines if line["verdict"] == "fail"} == failures


def changed(whole: Whole, text: str) -> Run:
    """A run with another file of known deviations."""
    (whole.folder / "changed.toml").write_text(text)
    return run("--impl=wrong", AREA, "--known=changed.toml", "--tb=no", cwd=whole.folder)


def test_an_entry_less_makes_it_fail(whole: Whole) -> None:
    head, first, rest = whole.drafted.read_text().split("[[deviation]]")
    assert "int8-minus-128#decode" in first
    done = changed(whole, f"{head}[[deviation]]{rest}")
    assert (done.code, counted(done.text, "failed")) == (1, 2), done.text
    assert "FAILED wrong::kafka/framing/int8-minus-1#decode" in done.text


def test_each_stale_entry_makes_it_fail_and_is_named(whole: Whole) -> None:
    """One that passes, one that is nowhere, one that was to be looked at again by now."""
    drafted = whole.drafted.read_text()
    expired = drafted.replace('reported = "pending"', 'reported = "pending"\nexpires = 2001-02-03', 1)
    for text, said in (
        (drafted + EXTRA.format(match="kafka/framing/int8-1#decode"), "did not deviate (pass): remove it"),
        (drafted + EXTRA.format(match="kafka/framing/gone#decode"), "no case has the id kafka/framing/gone#decode"),
        (expired, "expired on 2001-02-03"),
    ):
        done = changed(whole, text)
        assert (done.code, counted(done.text, "failed")) == (1, 0), done.text
        assert re.search(r"changed\.toml: (kafka/framing/|finding wrong-value on read at INT8: )", done.text)
        assert said in done.text


def test_a_file_that_does_not_keep_to_the_format_is_a_usage_error(whole: Whole) -> None:
    done = changed(whole, "deviation = 1")
    assert done.code == 4, done.text
    assert "changed.toml: Expected `array`, got `int`" in done.text


FINDING = """\
[[deviation]]
finding = {{ verdict = "fail", kind = "{kind}", side = "read", place = "INT8" }}
class = "bug"
reason = "so it is"
reported = "pending"
"""


@pytest.mark.parametrize("options", [("-p", "skips"), ("-k", "not minus"), ("-k", "not minus", "-n", "1")])
def test_an_entry_whose_cases_the_user_leaves_out_is_not_stale(folder: Path, options: tuple[str, ...]) -> None:
    (folder / "skips.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        if 'minus' in item.name:\n"
        "            item.add_marker(pytest.mark.skip(reason='mine'))\n"
    )
    (folder / "read.toml").write_text(FINDING.format(kind="wrong-value"))
    done = run("--impl=wrong", "--known=read.toml", *options, cwd=folder)
    assert done.code == 0, done.text


def test_an_entry_that_nothing_of_a_whole_run_shows_is_stale(folder: Path) -> None:
    (folder / "gone.toml").write_text(FINDING.format(kind="accepted-invalid"))
    done = run("--impl=right", "--known=gone.toml", cwd=folder)
    assert done.code == 1, done.text
    assert "no deviation of this run looks so: remove the entry" in done.text


# --- Inside pytest ----------------------------------------------------------------------------------------------------


def test_in_process(folder: Path, whole: Whole) -> None:
    done = run("--impl=wrong", AREA, "--tb=no", "--in-process", cwd=folder)
    assert done.code == 1, done.text
    assert counted(done.text, "failed") == counted(whole.run.text, "failed")


def test_properties_find_it_too(folder: Path) -> None:
    done = run_anew("--impl=wrong", AREA, "--properties=20", "-k", "gen/", cwd=folder)
    assert done.code == 1, done.text
    assert counted(done.text, "failed") >= 1
    assert counted(done.text, "passed") >= 1
    assert "wireproof repro 'gen/kafka/INT8/-/x" in done.text
