"""Whoever ends a run other than its own end makes it fail, and an answer after its time is none."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.fuzzing import need_atheris
from support.pytest_run import run, run_anew

from wireproof.cli import group
from wireproof.fuzz.campaign import campaign
from wireproof.fuzz.campaign.run import State

HERE = Path(__file__).parent
MODULES = HERE / "modules"
PROGRAM = HERE / "programs" / "after_the_end.py"
AREA = "--area=varints"
KNOWN_END = (
    '[[deviation]]\nmatch = "end/*"\nverdict = "crash"\n'
    'class = "bug"\nreason = "its destructor"\nreported = "pending"\n'
)


def program(how: str) -> str:
    return f"exec:{shlex.join([sys.executable, str(PROGRAM), how])}"


#: What an implementation does → the verdict on its end, and words of it.
ENDS = {
    "aborts_at_exit": ("crash", "the process was ended by SIGABRT"),
    "exits_at_exit": ("crash", "the process ended with exit code 7"),
    program("exit"): ("crash", "the process ended with exit code 7"),
    program("abort"): ("crash", "the process was ended by SIGABRT"),
    program("garbage"): ("protocol-violation", "a line on stdout is no answer"),
    program("half"): ("protocol-violation", "a line on stdout is no answer"),
    program("again"): ("protocol-violation", "a second answer came to an earlier question"),
}


@pytest.mark.parametrize(
    ("spec", "workers"),
    [*((spec, ()) for spec in ENDS), (program("garbage"), ("-n1",))],
    ids=[*(spec.rpartition(" ")[2] for spec in ENDS), "xdist"],
)
def test_the_end_after_the_last_answer_is_a_verdict(spec: str, workers: tuple[str, ...], tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    done = run(f"--impl={spec}", AREA, f"--report={report}", *workers, cwd=MODULES)
    outcome, words = ENDS[spec]
    assert done.code == 1
    assert f"{outcome} after its last answer: {words}" in done.text
    *_, line, _ = [json.loads(one) for one in report.read_text().splitlines()]
    assert line["id"].startswith("end/kafka/varints/")
    assert (line["area"], line["verdict"]) == ("process", outcome)
    assert line["detail"].startswith(words)


def test_the_end_is_seen_though_the_process_that_tells_it_was_stopped() -> None:
    done = run("--impl=stops_its_parent", AREA, cwd=MODULES)
    assert done.code == 1
    assert "crash after its last answer: the process was ended by SIGABRT" in done.text


@pytest.mark.parametrize("spec", ["right", program("well")], ids=["module", "program"])
def test_a_good_end_is_no_verdict(spec: str, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    assert run(f"--impl={spec}", AREA, f"--report={report}", cwd=MODULES).code == 0
    assert '"process"' not in report.read_text()


@pytest.mark.parametrize("how", ["exit", "abort", "garbage", "half", "again"])
def test_the_check_of_a_wrapper_sees_it(how: str) -> None:
    result = CliRunner().invoke(group, ["wrapper", "check", program(how)])
    assert result.exit_code == 1
    assert "✗ ends when stdin closes" in result.output


def test_the_check_of_a_wrapper_takes_a_good_end() -> None:
    assert "✓ ends when stdin closes" in CliRunner().invoke(group, ["wrapper", "check", program("well")]).output


def test_repro_shows_it() -> None:
    result = CliRunner().invoke(
        group, ["repro", "end/kafka/varints/varint-minus-1#decode", f"--impl={program('exit')}"]
    )
    assert result.exit_code == 1
    assert "the process ended with exit code 7" in result.output


@pytest.mark.parametrize(("module", "code"), [("aborts_at_exit", 1), ("right", 0)])
def test_a_campaign_sees_it_once(module: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_atheris()
    monkeypatch.chdir(MODULES)
    monkeypatch.setattr(campaign, "canary_found", lambda *_: State())
    words = ["fuzz", "run", "decode", f"--impl={module}", "--type=VARINT", "--runs=50", f"--out={tmp_path / 'kept'}"]
    result = CliRunner().invoke(group, words)
    assert result.exit_code == code, result.output
    told = "open: crash after its last answer: the process was ended by SIGABRT"
    assert result.output.count(told) == code
    if code:
        known = tmp_path / "known.toml"
        known.write_text(KNOWN_END)
        result = CliRunner().invoke(group, [*words, f"--known={known}"])
        assert result.exit_code == 0, result.output
        assert "known as end/*: crash after its last answer" in result.output


def test_a_job_on_spark_sees_it(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="the extra `pipeline` is not installed")
    words = ("pipeline", "run", "--impl=aborts_at_exit", "--cases=20", "--type=VARINT", f"--out={tmp_path / 'out'}")
    for _ in range(2):  # the second one has nothing to ask
        done = subprocess.run(
            [sys.executable, "-m", "wireproof", *words],
            cwd=MODULES,
            env={**os.environ, "PYTHONPATH": str(MODULES)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1, done.stdout + done.stderr
        told = "aborts_at_exit: crash after its last answer: the process was ended by SIGABRT"
        assert done.stdout.count(told) == 1


def test_a_number_that_it_names_ends_no_other_process() -> None:
    """Our worker tells the number of the copy that answers; a module can write such a line, too."""
    with subprocess.Popen(["sleep", "600"]) as bystander:
        try:
            done = run("--impl=names_another", AREA, "--case-timeout=0.5", cwd=MODULES, BYSTANDER=str(bystander.pid))
            assert done.code == 1
            assert "no answer within 0.5 seconds" in done.text
            assert bystander.poll() is None
        finally:
            bystander.kill()


def test_a_known_end_does_not_fail_and_a_mended_one_is_told(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(KNOWN_END)
    assert run("--impl=aborts_at_exit", AREA, f"--known={known}", cwd=MODULES).code == 0
    everything = run("--impl=right", f"--known={known}", cwd=MODULES)
    assert everything.code == 1
    assert "end/*: the process ended as it should: remove it" in everything.text


def test_a_draft_of_known_deviations_names_the_end(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    assert run("--impl=aborts_at_exit", AREA, f"--write-known={known}", cwd=MODULES).code == 1
    assert run("--impl=aborts_at_exit", AREA, f"--known={known}", cwd=MODULES).code == 0


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "xdist"])
def test_a_module_that_ends_the_process_in_process_is_no_success(workers: tuple[str, ...]) -> None:
    done = run("--impl=ends_the_process", AREA, "--in-process", *workers, cwd=MODULES)
    assert done.code == 1


def test_an_end_that_a_plugin_calls_a_success_is_none(tmp_path: Path) -> None:
    (tmp_path / "enough.py").write_text(
        "import pytest\n\n\ndef pytest_runtest_logreport(report):\n    pytest.exit('enough', 0)\n"
    )
    done = run_anew("--impl=right", AREA, "-p", "enough", cwd=MODULES, PYTHONPATH=str(tmp_path))
    assert done.code == 1
    assert "the run was ended before all items had run: that is no success" in done.text


def test_memory_that_is_taken_in_forks_counts() -> None:
    done = run(
        "--impl=hoards_in_a_fork", AREA, "--memory=128", "-k", "varint-minus-1", "--case-timeout=30", cwd=MODULES
    )
    assert done.code == 1
    assert "128 MiB are allowed: the process was killed" in done.text


def test_an_answer_after_the_limit_is_none(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    arguments = (AREA, "--case-timeout=0.5", "-k", "varint-minus-1", f"--report={report}")
    assert run("--impl=wakes_at_the_limit", *arguments, cwd=MODULES).code == 1
    verdicts = {line["id"]: line for line in map(json.loads, report.read_text().splitlines()) if "id" in line}
    late = verdicts.pop("kafka/varints/varint-minus-1#decode")
    assert (late["verdict"], late["detail"].partition(":")[0]) == ("hang", "no answer within 0.5 seconds")
    assert "hang" not in {line["verdict"] for line in verdicts.values() if line["op"] == "encode"}
    assert not any(one.startswith("end/") for one in verdicts)
