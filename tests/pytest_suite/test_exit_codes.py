"""Every deviating outcome ends pytest with exit code 1, and with 0 where it is known. Each of these checks can fail:
with an outcome taken out of those that fail a run, the same run ends with 0."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pytest_run import Run, run

from wireproof.conformance.model import DEVIATIONS, Outcome

#: A codec that is right, but for what it does when BOOLEAN is read of the byte 01.
WRAPPER = """\
import os
import time

from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode
from wireproof.reference import recode as recode

types = {{"kafka": {{"INT8": None, "BOOLEAN": None}}}}


def decode(type, data, *, dialect, version=None):
    if type == "BOOLEAN" and data == b"\\x01":
        {does}
    return _decode(type, data, dialect=dialect, version=version)
"""
DOES = {
    Outcome.FAIL: "return False",
    Outcome.CRASH: "os._exit(0)",
    Outcome.HANG: "time.sleep(3600)",
    Outcome.OOM: "raise MemoryError",
    Outcome.VIOLATION: "return object()",
}
KNOWN = """\
[[deviation]]
signature = {{ op = "decode", type = "BOOLEAN", verdict = "{outcome}" }}
class = "bug"
reason = "it is planted"
reported = "pending"
"""
#: A plugin with which an outcome does not fail a run.
LACKS = """\
from wireproof.conformance.model import Outcome
from wireproof.conformance.pytest_suite import items

items.DEVIATIONS = items.DEVIATIONS - {{Outcome("{outcome}")}}
"""
#: Reads past what follows a BOOLEAN: another reading of R-K-7.
LENIENT = """\
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

types = {"kafka": {"INT8": None, "BOOLEAN": None}}


def decode(type, data, *, dialect, version=None):
    return _decode(type, data[:1] if type == "BOOLEAN" else data, dialect=dialect, version=version)
"""


def name_of(outcome: Outcome) -> str:
    return outcome.replace("-", "_")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("user")
    for outcome, does in DOES.items():
        name = name_of(outcome)
        (home / f"ends_in_{name}.py").write_text(WRAPPER.format(does=does))
        (home / f"{name}.toml").write_text(KNOWN.format(outcome=outcome))
        (home / f"lacks_{name}.py").write_text(LACKS.format(outcome=outcome))
    (home / "lenient.py").write_text(LENIENT)
    return home


def tried(folder: Path, spec: str, *options: str) -> Run:
    return run(f"--impl={spec}", "--area=framing", "--case-timeout=1", "--tb=no", "-q", *options, cwd=folder)


def test_every_deviating_outcome_is_tried() -> None:
    assert set(DOES) == DEVIATIONS


@pytest.mark.parametrize("outcome", DOES)
def test_a_deviation_ends_in_1_and_a_known_one_in_0(outcome: Outcome, folder: Path) -> None:
    name = name_of(outcome)
    unknown = tried(folder, f"ends_in_{name}")
    assert unknown.code == 1, unknown.text
    assert outcome.removeprefix("protocol-") in unknown.text
    assert "1 failed" in unknown.text
    known = tried(folder, f"ends_in_{name}", f"--known={name}.toml")
    assert known.code == 0, known.text
    assert "1 known" in known.text
    assert " failed" not in known.text


@pytest.mark.parametrize("outcome", DOES)
def test_without_the_outcome_among_those_that_fail_the_run_would_end_in_0(outcome: Outcome, folder: Path) -> None:
    name = name_of(outcome)
    blind = tried(folder, f"ends_in_{name}", "-p", f"lacks_{name}")
    assert blind.code == 0, blind.text


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--contested=report",), 0), (("--contested=fail",), 1)])
def test_another_reading_ends_in_1_where_that_is_wanted(options: tuple[str, ...], code: int, folder: Path) -> None:
    done = tried(folder, "lenient", *options)
    assert done.code == code, done.text
    assert "contested" in done.text
