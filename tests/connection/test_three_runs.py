"""Three runs of a broker are compared by `tests/three_runs.py`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import types

import pytest
from support.listening import spec
from support.paths import TESTS

from wireproof.conformance.evidence.known_deviations import KnownDeviation
from wireproof.conformance.model import Outcome

PROGRAM = TESTS / "three_runs.py"
_found = importlib.util.spec_from_file_location("three_runs", PROGRAM)
assert _found is not None
assert _found.loader is not None
three_runs = importlib.util.module_from_spec(_found)
_found.loader.exec_module(three_runs)

RACE = KnownDeviation(match="kafka/framing/race*#serve", kind="bug", reason="a race", reported="pending", unsteady=True)
SAME = {"kafka/framing/a#serve": Outcome.PASS, "kafka/framing/b#serve": Outcome.FAIL}


def test_the_same_verdicts() -> None:
    assert three_runs.differences([SAME, SAME, SAME], []) == []


def test_a_verdict_that_differs_once() -> None:
    other = {**SAME, "kafka/framing/b#serve": Outcome.PASS}
    assert three_runs.differences([SAME, SAME, other], [RACE]) == ["kafka/framing/b#serve: fail, fail, pass"]


def test_an_answer_that_was_only_late_differs_from_no_verdict() -> None:
    other = {**SAME, "kafka/framing/b#serve": three_runs.LATE}
    assert three_runs.differences([SAME, SAME, other], []) == []
    third = {**SAME, "kafka/framing/b#serve": Outcome.PASS}
    assert three_runs.differences([SAME, other, third], []) == ["kafka/framing/b#serve: fail, late, pass"]


@pytest.mark.parametrize(
    ("detail", "found"),
    [
        ("first wrong-answer: answer 1 of 2 is missing; sent nothing\nasked once more: pass", "late"),
        (
            "first wrong-answer: step 2: the answer of Fetch 4 does not come: nothing came\nasked once more: pass",
            "late",
        ),
        ("first wrong-answer: answer 1 of 1: body.ErrorCode is 3, 0 is expected\nasked once more: pass", "unsteady"),
        ("first crash: gone\nasked once more: wrong-answer: answer 1 of 1 is missing", "unsteady"),
    ],
)
def test_what_was_only_late(detail: str, found: str) -> None:
    line = types.SimpleNamespace(outcome=Outcome.UNSTEADY, detail=detail)
    assert three_runs.outcome(line) == found
    assert three_runs.differences([{"a": "pass"}, {"a": found}], []) == (
        [] if found == "late" else ["a: pass, unsteady"]
    )


def test_a_question_that_was_asked_once() -> None:
    other = {**SAME, "end/kafka/framing/b#serve": Outcome.CRASH}
    found = three_runs.differences([SAME, other, SAME], [])
    assert found == ["end/kafka/framing/b#serve: not there, crash, not there"]


def test_a_race_that_is_known_may_differ() -> None:
    raced = [{**SAME, "kafka/framing/race-1#serve": outcome} for outcome in (Outcome.PASS, Outcome.FAIL)]
    assert three_runs.differences(raced, [RACE]) == []
    assert len(three_runs.differences(raced, [])) == 1


def test_a_broker_is_asked_three_times() -> None:
    words = [sys.executable, str(PROGRAM), spec("conforming"), "-q", "-p", "no:cacheprovider", "--area=framing"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("3 runs of ")


def test_a_run_that_fails_ends_it() -> None:
    words = [sys.executable, str(PROGRAM), spec("another_correlation_id"), "-q", "-x", "--area=unsupported-versions"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "3 runs of" not in done.stdout
