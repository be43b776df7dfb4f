"""Each miniature and each honest reading, asked all vectors, gets exactly the verdicts that it declares."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from types import ModuleType
from typing import Any

import miniatures
import pytest
import readings
from support.paths import TESTS
from support.pytest_run import run

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import DEVIATIONS, FailureKind, Outcome, Verdict
from wireproof.conformance.questions import selection
from wireproof.conformance.vectors import Vector

WRONG, HONEST = (
    sorted(f"{room.__name__}.{module.name}" for module in pkgutil.iter_modules(room.__path__))
    for room in (miniatures, readings)
)
NAMES = [*WRONG, *HONEST]
#: Bytes.
LONG = 10_000
#: Elements, and bytes.
HUGE = 50_000, 500_000
#: The areas of the types that there are.
AREAS = {*vectors.AREAS}


def load(name: str) -> ModuleType:
    return importlib.import_module(name)


def spec(module: ModuleType) -> str:
    if getattr(module, "PROGRAM", False):
        return f"exec:{sys.executable} -m {module.__name__}"
    return module.__name__


def stays_alive(module: ModuleType) -> bool:
    """Whether it only answers wrongly. It is then asked in this process: to start one takes longer than to ask it."""
    program = getattr(module, "PROGRAM", False)
    return not program and {verdict for _, verdict, _ in module.PRODUCES} <= {Outcome.FAIL, Outcome.CONTESTED}


def is_long(vector: Vector) -> bool:
    """Whether its bytes are many, or inflate to many: a hundred miniatures need not read them all."""
    return len(vector.data) > LONG or vector.id.endswith("bomb")


def is_huge(vector: Vector) -> bool:
    """Whether it has tens of thousands of elements, or so many bytes that an array of as many could be read."""
    elements, size = HUGE
    return _count(vector.value) > elements or len(vector.data) > size


def _count(value: Any) -> int:
    """The elements of the longest array in a value."""
    match value:
        case list():
            return max(len(value), max(map(_count, value[:10]), default=0))
        case dict():
            return max(map(_count, value.values()), default=0)
    return 0


def verdicts(module: ModuleType) -> list[Verdict]:
    """The verdicts on all that the miniature offers to answer, in the set's order. What is long is asked only of those
    that deviate in resource-limits, and what is huge only of those that say so: it takes ten times as long as all else,
    and its verdicts are of the same kinds."""
    limits = getattr(module, "LIMITS", {})
    options = Options(limits.get("timeout", 10.0), limits.get("memory", 1024), in_process=stays_alive(module))
    with Examiner(open_connection(spec(module), options)) as examiner:
        every = any(area == "resource-limits" for area, _, _ in module.PRODUCES)
        huge = getattr(module, "HUGE", False)
        asked = [
            vector
            for vector in vectors.load()
            if (every or not is_long(vector)) and (huge or not every or not is_huge(vector))
        ]
        chosen = selection.of_vectors(asked, examiner.description)
        return [judged.verdict for judged in examiner.judge(chosen)]


@pytest.fixture(autouse=True)
def _in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules are found from the current folder. What one configures in this process ends with its test."""
    monkeypatch.chdir(TESTS)
    monkeypatch.setattr(reference._reference, "_settings", {})
    monkeypatch.setattr(reference._reference, "_configured", {})


@pytest.mark.parametrize("name", NAMES)
def test_produces_what_it_declares_and_nothing_else(name: str) -> None:
    module = load(name)
    found: dict[tuple[str, str, str | None], list[str]] = {}
    rulings: set[str] = set()
    passed = 0
    for verdict in verdicts(module):
        if verdict.outcome is Outcome.PASS:
            passed += 1
        elif verdict.outcome is not Outcome.SKIP:
            kind = None if verdict.kind is None else str(verdict.kind)
            found.setdefault((verdict.area, str(verdict.outcome), kind), []).append(verdict.id)
            rulings |= set(verdict.rulings)
    examples = {key: ids[:5] for key, ids in found.items()}
    caught = {identifier.partition("#")[0] for key, ids in found.items() for identifier in ids if key[1] in DEVIATIONS}
    assert found.keys() == module.PRODUCES, examples
    assert rulings == getattr(module, "TAKES", frozenset())
    assert passed or name == "miniatures.always_refuses"
    if name in WRONG:
        assert (len(caught) < 2) is hasattr(module, "ONCE"), caught


def test_every_area_and_every_deviation_has_a_miniature() -> None:
    produced = {entry for name in NAMES for entry in load(name).PRODUCES}
    assert {area for area, _, _ in produced} == AREAS == {vector.area for vector in vectors.load()}
    assert {verdict for _, verdict, _ in produced} == {*DEVIATIONS, Outcome.CONTESTED, Outcome.NOT_ASKED}
    assert {kind for _, _, kind in produced} == {*FailureKind, None}
    for area in AREAS:
        own = [name for name in NAMES if {found for found, _, _ in load(name).PRODUCES} == {area}]
        assert own, f"every miniature that deviates in {area} deviates elsewhere too"


def test_honest_readings_get_contested_verdicts_alone_and_wrong_ones_others_too() -> None:
    contested = [name for name in NAMES if {verdict for _, verdict, _ in load(name).PRODUCES} <= {"contested"}]
    assert contested == HONEST


def test_what_takes_another_reading_names_it() -> None:
    for name in HONEST:
        module = load(name)
        there = {ruling for dialect in getattr(module, "dialects", ("kafka",)) for ruling in reference.rulings(dialect)}
        assert set(getattr(module, "TAKES", ())) <= there


@pytest.mark.parametrize(
    ("name", "area", "as_reported", "when_strict"),
    [
        ("readings.drops_high_bits", "varints", 0, 1),
        ("miniatures.writes_tags_as_given", "tag-ordering", 1, 1),
        ("readings.kip_35_sends_length_0", "unsupported-versions", 0, 1),
        ("readings.kip_35_takes_both_readings", "framing", 0, 1),
        ("readings.kip_482_drops_unknown_fields", "tag-ordering", 0, 1),
        ("readings.kip_482_both_lengths", "varints", 0, 1),
        ("readings.kip_82_int_unsigned_keys", "header-multimaps", 0, 1),
        ("readings.kip_82_int_takes_both_readings", "header-multimaps", 0, 1),
        ("readings.wire_format_takes_every_other_reading", "null-encodings", 0, 1),
        ("readings.wire_format_correlation_first", "messages", 0, 1),
    ],
)
def test_through_pytest(name: str, area: str, as_reported: int, when_strict: int) -> None:
    reported = run(f"--impl={name}", f"--area={area}", "--tb=no", "-q", cwd=TESTS)
    assert reported.code == as_reported, reported.text
    strict = run(f"--impl={name}", f"--area={area}", "--tb=no", "-q", "--contested=fail", cwd=TESTS)
    assert strict.code == when_strict, strict.text
    counted = re.search(r"(\d+) contested", reported.text)
    failed = re.search(r"(\d+) failed", strict.text)
    assert failed is not None
    if name in HONEST:
        assert counted is not None
        assert counted[1] == failed[1]
    else:
        assert counted is None
        assert f"{failed[1]} failed" in reported.text


def test_of_a_long_stderr_the_beginning_and_the_end_are_shown() -> None:
    done = run(f"--impl=exec:{sys.executable} -m miniatures.dies_with_a_long_stderr", "--area=framing", cwd=TESTS)
    assert done.code == 1, done.text
    for text in (
        "panic: index out of range [0]",
        "goroutine 1 [running]:",
        "goroutine 5000 [running]:",
        "exit status 2",
    ):
        assert text in done.text
    assert done.text.count("goroutine ") < 20
