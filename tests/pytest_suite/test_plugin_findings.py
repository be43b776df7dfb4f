"""The end of a `pytest --impl=…` run: findings, a page for each, and the questions not asked."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.paths import TESTS
from support.pytest_run import Run, run

from wireproof.conformance.questions.lookup import find

#: Two faults: it reads INT8 as unsigned, and refuses every BOOLEAN.
TWO_FAULTS = """\
from wireproof.reference import decode as _decode, encode

name = "faulty"
types = {"kafka": {"INT8": None, "BOOLEAN": None, "INT16": None}}


def decode(type, data, *, dialect, version=None):
    if type == "BOOLEAN":
        raise ValueError(f"a boolean of {len(data)} bytes: {data.hex()!r}")
    value = _decode(type, data, dialect=dialect, version=version)
    return value & 0xFF if type == "INT8" else value
"""
RIGHT = """\
from wireproof.reference import decode, encode

name = "right"
types = {"kafka": {"INT8": None, "BOOLEAN": None, "INT16": None}}
"""
NARROW = """\
from wireproof.reference import decode, encode

name = "narrow"
types = {"kafka": {"INT8": None}}
"""
#: One fault, which many questions show.
ONE_FAULT = """\
name = "one"
types = {"kafka": {"COMPACT_BYTES": None, "INT8": None}}


def decode(type, data, *, dialect, version=None):
    from wireproof import reference
    value = reference.decode(type, data, dialect=dialect, version=version)
    return value + b"!" if type == "COMPACT_BYTES" else value
"""
AREA = ("--area=framing", "--dialect=kafka")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("user")
    for name, text in (("faulty", TWO_FAULTS), ("right", RIGHT), ("narrow", NARROW)):
        (home / f"{name}.py").write_text(text)
    return home


@pytest.fixture(scope="module")
def whole(folder: Path) -> Run:
    return run("--impl=faulty", *AREA, "--report=report.jsonl", "--write-known=drafted.toml", cwd=folder)


def test_a_finding_is_shown_by_its_simplest_case(folder: Path) -> None:
    """Not by its first one in the order of files, whose bytes are longer."""
    (folder / "one.py").write_text(ONE_FAULT)
    done = run("--impl=one", "--dialect=kafka", "--report=one.jsonl", cwd=folder)
    rows = [json.loads(line) for line in (folder / "one.jsonl").read_text().splitlines()]
    groups: dict[str, dict[str, tuple[int, int]]] = {}
    for row in rows:
        if row.get("verdict") == "fail":
            vector = find(row["id"]).vector
            groups.setdefault(json.dumps(row["group"]), {})[row["id"]] = (len(vector.data), len(vector.rulings))
    shown = [*dict.fromkeys(re.findall(r"wireproof repro '?([^' ]+)'? --impl=one", done.text))]
    assert len(shown) == len(groups)
    for sizes in groups.values():
        (identifier,) = sizes.keys() & {*shown}
        assert sizes[identifier] == min(sizes.values())
    assert any(sizes[next(iter(sizes))] > min(sizes.values()) for sizes in groups.values())


def pages(done: Run) -> int:
    return len(re.findall(r"^repeat    wireproof repro ", done.text, re.MULTILINE))


def failed(done: Run) -> int:
    found = re.search(r"(\d+) failed", done.text)
    return int(found[1]) if found else 0


def test_a_finding_gets_one_page_and_each_of_its_cases_a_line(whole: Run) -> None:
    assert whole.code == 1
    assert failed(whole) > 10
    listed = re.search(r"faulty: (\d+) findings in (\d+) cases", whole.text)
    assert listed is not None
    assert pages(whole) == int(listed[1]) < failed(whole)
    assert len(re.findall(r"^FAILED ", whole.text, re.MULTILINE)) == failed(whole) == int(listed[2])


def test_verbose_shows_every_page(whole: Run, folder: Path) -> None:
    assert pages(run("--impl=faulty", *AREA, "-v", cwd=folder)) == failed(whole)


def test_what_one_came_for_stands_last(whole: Run) -> None:
    table, lines, found, count = (
        whole.text.index(text) for text in ("area   ", "FAILED faulty::", "faulty: ", " failed, ")
    )
    assert table > lines
    last = whole.text.rindex("cases that deviate")
    assert table < last < count
    assert found < last
    assert whole.text.rindex("wireproof repro") > last


def test_each_case_of_the_report_has_the_group_of_its_finding(whole: Run, folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "report.jsonl").read_text().splitlines()][1:-1]
    groups = {json.dumps(line["group"]) for line in lines if line["verdict"] == "fail"}
    assert len(groups) == pages(whole)
    assert {line["group"] for line in lines if line["verdict"] == "pass"} == {None}


def test_what_is_drafted_of_a_run_excuses_it(folder: Path, whole: Run) -> None:
    drafted = (folder / "drafted.toml").read_text()
    assert drafted.count("[[deviation]]") == pages(whole)
    done = run("--impl=faulty", *AREA, "--known=drafted.toml", cwd=folder)
    assert done.code == 0, done.text
    assert f"{failed(whole)} known" in done.text
    assert "cases that deviate" not in done.text


def test_two_workers_show_a_finding_on_one_page_each(folder: Path, whole: Run) -> None:
    done = run("--impl=faulty", *AREA, "-n", "2", cwd=folder)
    assert failed(done) == failed(whole)
    assert pages(whole) <= pages(done) <= 2 * pages(whole)
    assert "cases that deviate" in done.text


def test_implementations_are_compared_by_findings(folder: Path) -> None:
    done = run("--impl=faulty", "--impl=right", *AREA, cwd=folder)
    assert re.search(r"faulty: wrong-value on read at INT8  right: pass  \(\d+\)", done.text)
    done = run("--impl=narrow", "--impl=right", *AREA, cwd=folder)
    assert done.code == 0
    assert "There is no question on which they differ." not in done.text
    assert re.search(r"They do not differ on the \d+ questions that all of them were asked", done.text)


def test_the_share_that_was_not_asked_is_said_by_area(folder: Path) -> None:
    done = run("--impl=narrow", *AREA, "-v", cwd=folder)
    said = " ".join(done.text.split())
    found = re.search(r"narrow, framing: (\d+) % of \S+ questions were not asked, or not judged: \S+ not offered", said)
    assert found is not None
    assert int(found[1]) > 90


def test_who_stops_at_the_first_failure_sees_it_last(folder: Path) -> None:
    """The numbers of the run stand before its page; behind it there is nothing but pytest's own last lines."""
    done = run("--impl=faulty", *AREA, "-x", cwd=folder)
    numbers, _, page = done.text.partition("= FAILURES =")
    assert "questions by area" in numbers
    assert "-v lists them" in numbers
    assert "questions by area" not in page
    *_, behind = page.partition("repeat    wireproof repro")
    assert [line[:4] for line in behind.splitlines()[1:]] == ["====", "FAIL", "!!!!", "===="]


def test_a_whole_run_ends_with_its_findings(folder: Path) -> None:
    done = run("--impl=faulty", *AREA, cwd=folder)
    assert done.text.index("= FAILURES =") < done.text.index("questions by area") < done.text.index("that deviate")


def test_a_codec_that_refuses_everything_has_one_finding() -> None:
    """Its thousands of cases used to be as many pages."""
    done = run("--impl=miniatures.always_refuses", "--area=varints", "--dialect=kafka", cwd=TESTS)
    assert pages(done) == 1 < 100 < failed(done)
    assert "1 finding in" in done.text
