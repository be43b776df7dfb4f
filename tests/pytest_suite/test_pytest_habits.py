"""Habits of pytest's users hold: its options, its other reports, and settings in a project's file."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.pytest_run import counted, run, run_anew

#: It reads numbers of one byte only.
ODD = """\
types = {"kafka": {"UNSIGNED_VARINT": None}}


def decode(type, data, *, dialect, version=None):
    if len(data) == 1 and data[0] < 128:
        return data[0]
    raise ValueError("no")
"""
#: It reads whatever follows a number, too.
LOOSE = """\
types = {"kafka": {"UNSIGNED_VARINT": None}}


def decode(type, data, *, dialect, version=None):
    return sum((byte & 127) << 7 * at for at, byte in enumerate(data))
"""
ASKED = ("--area=varints", "--dialect=kafka", "-k", "uvarint")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("odd", "renamed"):
        (tmp_path / f"{name}.py").write_text(ODD)
    (tmp_path / "loose.py").write_text(LOOSE)
    return tmp_path


def cases(folder: Path) -> list[ET.Element]:
    return [*ET.parse(folder / "junit.xml").getroot().iter("testcase")]


@pytest.mark.parametrize(("impl", "code"), [("reference", 0), ("odd", 1), ("nonesuch", 4)])
def test_without_pytest_s_terminal_the_run_and_its_exit_code_are_the_same(folder: Path, impl: str, code: int) -> None:
    done = run(f"--impl={impl}", *ASKED, "-p", "no:terminal", "--report=report.jsonl", cwd=folder)
    assert (done.code, "INTERNALERROR" in done.text) == (code, False), done.text
    assert (folder / "report.jsonl").exists() == (code != 4)


@pytest.mark.parametrize("option", ["--cache-show", "--fixtures", "--fixtures-per-test", "--co", "--markers"])
def test_an_option_that_only_shows_something_is_no_failed_run(folder: Path, option: str) -> None:
    done = run("--impl=odd", *ASKED, option, "--report=report.jsonl", cwd=folder)
    assert done.code == 0, done.text
    assert "nothing was asked" not in done.text
    assert "no success" not in done.text
    assert not (folder / "report.jsonl").exists()


def test_a_known_deviation_is_an_expected_failure_to_others(folder: Path) -> None:
    drafted = run("--impl=odd", *ASKED, "--write-known=odd.known.toml", "--tb=no", cwd=folder)
    assert counted(drafted.text, "failed") > 10
    known = counted(drafted.text, "failed")
    done = run("--impl=odd", *ASKED, "--junitxml=junit.xml", "-o", "junit_family=xunit1", "-rx", cwd=folder)
    assert done.code == 0, done.text
    assert (counted(done.text, "known"), counted(done.text, "xfailed")) == (known, 0)
    assert len([line for line in done.text.splitlines() if line.startswith("KNOWN odd::")]) == known
    skipped = [one.find("skipped") for one in cases(folder)]
    reasons = [one.get("message") for one in skipped if one is not None and one.get("type") == "pytest.xfail"]
    assert len(reasons) == known
    assert all(reason is not None and reason.startswith("known: ") for reason in reasons)


def test_a_contested_verdict_has_its_rulings_as_a_property(folder: Path) -> None:
    run("--impl=loose", *ASKED, "--junitxml=junit.xml", "--tb=no", cwd=folder)
    said = {one.get("name"): one for one in cases(folder)}
    marked = [name for name, one in said.items() if one.find("properties/property[@name='contested']") is not None]
    assert marked == ["kafka/varints/uvarint-trailing#decode"]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_junit_leads_to_the_file_and_line_of_a_vector(folder: Path, workers: tuple[str, ...]) -> None:
    options = ("--junitxml=junit.xml", "-o", "junit_family=xunit1")
    keyword = "uvarint-129#decode or AbortedTxn/0/set or AbortedTxn/0/derived"
    done = run("--impl=reference", "--dialect=kafka", "-k", keyword, *options, *workers, cwd=folder)
    assert done.code == 0, done.text
    said = {}
    for one in cases(folder):
        at = folder / (one.get("file") or "")
        line = at.read_text().splitlines()[int(one.get("line") or -1)]
        said[one.get("name")] = (at.name, line.strip()[:40])
    assert said["kafka/varints/uvarint-129#decode"][0] == "varints.json"
    assert '"id": "uvarint-129"' in said["kafka/varints/uvarint-129#decode"][1]
    assert said["kafka/messages/AbortedTxn/0/set"] == ("AbortedTxn.jsonl", '{"case":"set","value":{"ProducerId":1684')
    assert said["kafka/messages/AbortedTxn/0/derived"][0] == "AbortedTxn.jsonl"


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_what_failed_is_asked_again_under_another_name(folder: Path, workers: tuple[str, ...]) -> None:
    first = run("--impl=odd", *ASKED, "--tb=no", cwd=folder)
    failed = counted(first.text, "failed")
    assert failed > 10
    assert counted(first.text, "passed") > 0
    again = run("--impl=renamed", *ASKED, "--lf", "--tb=no", *workers, cwd=folder)
    assert (counted(again.text, "failed"), counted(again.text, "passed")) == (failed, 0), again.text


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_stepwise_goes_on_where_it_stopped_also_under_another_name(folder: Path, workers: tuple[str, ...]) -> None:
    stops = "Test failed, continuing from this test next run"
    passed = []
    for impl in ("odd", "odd", "renamed"):
        done = run(f"--impl={impl}", *ASKED, "--sw", "--tb=no", *workers, cwd=folder)
        assert (done.code, stops in done.text, counted(done.text, "failed")) == (2, True, 1), done.text
        passed.append(counted(done.text, "passed"))
    assert passed[0] > 0
    assert passed[1:] == [0, 0]


def test_a_project_s_settings_make_pytest_alone_its_command(folder: Path) -> None:
    (folder / "pytest.ini").write_text(
        "[pytest]\nwireproof_impl = odd\nwireproof_areas = varints\nwireproof_known = sub/odd.toml\n"
    )
    (folder / "sub").mkdir()
    drafted = run("--known=none", "--write-known=sub/odd.toml", "--tb=no", cwd=folder)
    assert drafted.code == 1, drafted.text
    assert "areas=varints" in drafted.text
    done = run(cwd=folder)
    assert done.code == 0, done.text
    assert counted(done.text, "known") == counted(drafted.text, "failed")
    other = run("--impl=reference", "--area=framing", "--known=none", cwd=folder)
    assert "areas=framing" in other.text
    (folder / "test_own.py").write_text("def test_own(): pass\n")
    own = run("test_own.py", cwd=folder)
    assert (own.code, counted(own.text, "passed")) == (0, 1), own.text


def test_a_stream_of_ascii_gets_no_escapes(folder: Path) -> None:
    asked = ("--impl=loose", "--area=varints", "-k", "uvarint-continued")
    done = run_anew(*asked, cwd=folder, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert "rule      R-K-" in done.text
    assert ': "Encoding' in done.text
    assert "\\u" not in done.text
    assert done.text.isascii()


def test_too_many_examples_are_refused(folder: Path) -> None:
    done = run("--impl=odd", "--properties=10000000", cwd=folder)
    assert done.code == 4
    assert "it has to be from 1 to 100,000" in done.text
