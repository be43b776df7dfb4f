"""`wireproof wrapper check` finds each fault, and only that one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.paths import TESTS

from wireproof.commands import wrapper_check
from wireproof.commands.wrapper_check import wrapper
from wireproof.conformance.connection import Options
from wireproof.conformance.connection.protocol import check as module

PROGRAMS = TESTS / "programs"


@pytest.fixture(autouse=True)
def _in_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROGRAMS)
    monkeypatch.setattr(module, "MANY", 1000)
    monkeypatch.setattr(module, "PAUSE", 0.01)
    monkeypatch.setattr(module, "LARGE", 1 << 17)
    monkeypatch.setattr(module, "END", 0.3)
    monkeypatch.setattr("wireproof.conformance.connection.process.pipes.GRACE", 0.3)


def check(spec: str, *options: str) -> Result:
    return CliRunner().invoke(wrapper, ["check", spec, *options])


def bad(spec: str) -> dict[str, str]:
    """What is bad, by check."""
    inspection = module.Inspection(spec, Options(timeout=0.4))
    return {done.name: done.detail for done in inspection.run() if done.result is module.Result.BAD}


def faulty(fault: str = "") -> str:
    return f"exec:{sys.executable} faulty.py {fault}"


def test_a_program_that_keeps_to_the_protocol() -> None:
    result = check(faulty())
    assert result.exit_code == 0, result.output
    assert "✗" not in result.output
    assert "faulty: decode, encode; 3 types" in result.output
    assert result.output.rstrip().endswith("14 good, 0 bad, 0 not run")


FAULTS = [
    ("miscounts", {"an answer carries its question's seq"}, 'does not answer any question: \'{"value": 0, "seq": 4}\''),
    ("takes-pieces-for-lines", {"a question in two pieces", "a large value"}, "it ended"),
    ("parses-by-pattern", {"JSON written in another way"}, "it ended (exit code 1) with 1 answer missing"),
    ("limits-lines", {"a large value"}, "1 answer missing after 0.4 seconds"),
    ("reads-numbers-only", {"large and small numbers"}, "TypeError"),
    ("knows-every-type", {"an unknown type is unsupported"}, "the answer 'None' for the type NO_SUCH_TYPE"),
    ("dies-at-an-unknown-op", {"an unknown op does no harm"}, "KeyError: 'no-such-op'"),
    ("takes-refusals-for-errors", {"a refusal is a reject"}, "crash (ValueError) to INT32 cut off after three bytes"),
    ("fails-at-settings", {"settings are taken, or unsupported"}, "unknown op: '{"),
    ("prints", {"nothing else on stdout"}, "lines that are not answers; the first is 'decoded'"),
    ("answers-twice", {"nothing else on stdout"}, "3 lines that are not answers"),
    ("stays", {"ends when stdin closes"}, "it still runs after 0.3 seconds"),
    ("is-noisy", set(), ""),
]


@pytest.mark.parametrize(("fault", "names", "found"), FAULTS, ids=lambda item: item if isinstance(item, str) else "")
def test_a_fault_is_found(fault: str, names: set[str], found: str) -> None:
    told = bad(faulty(fault))
    if fault == "takes-pieces-for-lines":  # which may go well by chance with short lines
        told.pop("1000 questions at once", None)
    assert set(told) == names
    assert all(found in text for text in list(told.values())[-1:])


def test_a_bad_program_is_told_what_to_do() -> None:
    result = check(faulty("knows-every-type"))
    assert result.exit_code == 1
    assert "✗ an unknown type is unsupported\n    the answer 'None' for the type NO_SUCH_TYPE\n" in result.output
    assert '    → Answer {"seq":…,"unsupported":"why"} for a type that the library does not have.\n' in result.output
    assert result.output.rstrip().endswith("13 good, 1 bad, 0 not run")


def test_without_a_description_nothing_else_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    result = check(f"exec:{sys.executable} greets.py")
    assert result.exit_code == 1
    assert "✗ describes itself\n    its answer to describe is malformed" in result.output.replace("more than one", "")
    assert result.output.count("it did not describe itself") == 13


def test_a_program_that_does_not_answer_is_not_waited_for_again() -> None:
    result = check(
        'exec:sh -c \'read line; echo {\\"name\\":\\"x\\",\\"ops\\":[\\"serve\\"]}; cat > /dev/null\'', "--timeout=0.2"
    )
    assert result.exit_code == 1, result.output
    assert "3 answers missing after 0.2 seconds" in result.output
    assert result.output.count("it does not answer") == 12


@pytest.mark.parametrize(
    ("ops", "kind"),
    [
        ("serve", ""),
        ("interpret", ""),
        ("negotiate", ""),
        ("evolve", ""),
        ("lookup", '"HEADERS":null'),
        ('decode","recode', '"MetadataRequest":{"versions":[0,12],"ops":["recode"]}'),
    ],
)
def test_programs_without_small_types(ops: str, kind: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    types = f',"types":{{"kafka":{{{kind}}}}}' if kind else ""
    program.write_text(
        "import sys, json\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        f'    about = \'\'\'{{"name":"x","ops":["{ops}"]{types}}}\'\'\'\n'
        "    refusal = json.dumps({'seq': asked.get('seq'), 'unsupported': 'no'})\n"
        "    print(about if asked['op'] == 'describe' else refusal, flush=True)\n"
    )
    result = check(f"exec:{sys.executable} {program}")
    assert result.exit_code == 0, result.output
    assert ops.replace('","', ", ") in result.output
    if "recode" in ops:
        assert "MetadataRequest#recode: " in result.output
        assert "#decode" not in result.output


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("my_codec", "'my_codec' is no program: write exec:COMMAND"),
        ("exec:", "names no program"),
        ("exec:./no-such-program", "there is no program './no-such-program'"),
    ],
)
def test_usage_errors(spec: str, text: str) -> None:
    result = check(spec)
    assert result.exit_code == 2
    assert text in result.output
    assert "Traceback" not in result.output


def test_a_long_line_is_cut_with_a_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """It used to end in the middle of a word, as if that were all."""
    monkeypatch.setattr("wireproof.commands.wrapper_check.width", lambda: 60)
    shown = wrapper_check._row(module.Check("describes itself", module.Result.GOOD, "decode, encode, " * 9)).plain
    assert len(shown) <= 60
    assert "…" in shown


CONVENTIONS = {
    "spells-otherwise": ("fields have the schema's names", "MetadataResponse 9 has no field brokers: is it Brokers?"),
    "parses-records": ("records inside a message are bytes", "ProduceRequest 9: Records is no bytes, but list"),
    "reads-the-version": (
        "no version before ConsumerProtocol",
        "it is read only with its version in two bytes before it",
    ),
}


def test_a_program_that_keeps_to_the_conventions() -> None:
    result = check(f"exec:{sys.executable} conventions.py none")
    assert result.exit_code == 0, result.output
    assert all(f"✓ {name}" in result.output for name, _ in CONVENTIONS.values())


@pytest.mark.parametrize("fault", CONVENTIONS)
def test_a_broken_convention_is_told(fault: str) -> None:
    result = check(f"exec:{sys.executable} conventions.py {fault}")
    name, told = CONVENTIONS[fault]
    assert result.exit_code == 1, result.output
    assert [line for line in result.output.splitlines() if "✗" in line] == [f"✗ {name}"]
    assert told in " ".join(result.output.split())
