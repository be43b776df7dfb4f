"""What a user brings to `wireproof fuzz run`: inputs of another fuzzer, a dictionary, a crash file; and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.fuzzing import TESTS, command, fuzz, need_atheris

from wireproof.cli import group
from wireproof.conformance.connection import Options
from wireproof.fuzz.campaign import campaign
from wireproof.fuzz.campaign.dependencies import Dependencies
from wireproof.fuzz.campaign.run import Plan, Run, State, describe
from wireproof.fuzz.campaign.store import Store
from wireproof.fuzz.corpus.given import dictionary
from wireproof.fuzz.corpus.vector_seeds import dictionary as words_of_the_kit
from wireproof.fuzz.errors import FuzzError

#: −129 in zigzag form.
WRONG = b"\x81\x02"


@pytest.fixture(autouse=True)
def _atheris() -> None:
    need_atheris()


@pytest.fixture(autouse=True)
def _in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)


def planned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *words: str | Path) -> tuple[Plan | None, Result]:
    """The plan of a run that does not begin."""
    plans: list[Plan] = []
    monkeypatch.setattr(campaign, "run", lambda plan, *_: plans.append(plan))
    arguments = ["fuzz", "run", *map(str, words), "--out", str(tmp_path / "out")]
    ran = CliRunner().invoke(group, arguments)
    return (plans[0] if plans else None), ran


def test_bytes_of_another_fuzzer_are_first_inputs_in_all_versions_of_their_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "below").mkdir(parents=True)
    (corpus / "raw").write_bytes(b"\x01")
    (corpus / "below" / "with a line").write_bytes(b"HeartbeatRequest/4\n\x02")
    (corpus / "long").write_bytes(bytes(5000))
    plan, ran = planned(monkeypatch, tmp_path, "decode", corpus, "--type=HeartbeatRequest")
    assert plan is not None, ran.output
    assert sorted(plan.inputs) == sorted(
        [*(b"HeartbeatRequest/%d\n\x01" % version for version in range(5)), b"HeartbeatRequest/4\n\x02"]
    )
    assert "5 inputs are left out: they have more than 4,096 bytes" in ran.output


def test_they_and_the_words_of_a_dictionary_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[bytes] = []
    monkeypatch.setattr(Run, "_take_stderr", lambda _self, _job, chunk: said.append(chunk))
    plan = Plan("reference", "decode", "kafka", Dependencies((), ()), only="VARINT", runs=1)
    described = describe("reference", Options(), None)
    executions = []
    for number, inputs in enumerate([(), (b"VARINT/-\n\xfe\xfd\xfc\x07",)]):
        now = Plan(**{**vars(plan), "inputs": inputs, "words": b'one="\\x00one"\n"two"\n'})
        with Store(tmp_path / str(number)) as store:
            executions.append(Run(now, store, described, lambda *_: None).go().executions)
    assert executions[1] == executions[0] + 1
    assert f"Dictionary: {len(words_of_the_kit('kafka')) + 2} entries".encode() in b"".join(said)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (b"", True),
        (b"# a comment", True),
        (b'"text"', True),
        (b'name="\\x00\\"\\\\ text" ', True),
        (b'name@2="AFL"', True),
        (b"text", False),
        (b'"text', False),
        (b'""', False),
        (b'"\\n"', False),
        ('"ü"'.encode(), False),
    ],
)
def test_lines_of_a_dictionary(line: bytes, right: bool, tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b'"first"\n' + line + b"\n")
    if right:
        assert dictionary(path) == path.read_bytes()
    else:
        with pytest.raises(FuzzError, match="words, line 2: this is no entry of a dictionary"):
            dictionary(path)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["decode", "{raw}"], "say what they are with --type"),
        (["decode", "{raw}", "{empty}", "--type=VARINT"], "not both"),
        (["decode", "{empty}", "--type=VARINT"], "there are no files in it"),
        (["decode", "nonesuch"], "'nonesuch' does not exist"),
        (["decode", "--dict={raw}"], "raw, line 1: this is no entry"),
    ],
)
def test_what_cannot_be_taken_is_told(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raw").write_bytes(WRONG)
    (tmp_path / "empty").mkdir()
    named: dict[str, Any] = {name: tmp_path / name for name in ("raw", "empty")}
    plan, ran = planned(monkeypatch, tmp_path, *(word.format(**named) for word in words))
    assert (plan, ran.exit_code) == (None, 2), ran.output
    assert says in " ".join(ran.output.split())


def test_a_crash_is_repeated_and_nothing_is_kept(tmp_path: Path) -> None:
    crash, raw = tmp_path / "crash-1", tmp_path / "crash-2"
    crash.write_bytes(b"VARINT/-\n" + WRONG)
    raw.write_bytes(WRONG)
    out = tmp_path / "out"
    for words in ([crash], [raw, "--type=VARINT"]):
        ran = fuzz("run", "differential", *words, "--impl=miniatures.unsigned_for_zigzag", "--out", out)
        assert ran.code == 1, ran.text
        assert "wireproof repro 'gen/kafka/VARINT/-/x01#decode' --impl=miniatures.unsigned_for_zigzag" in ran.text
        assert f"{words[0]}: kafka-fail-wrong-value-read-VARINT" in ran.text
    clean = fuzz("run", "differential", crash, "--out", out)
    assert (clean.code, clean.text) == (0, f"{crash}: no deviation\n")
    assert not out.exists()


def test_a_crash_that_ends_the_process_is_repeated(tmp_path: Path) -> None:
    crash = tmp_path / "crash"
    crash.write_bytes(b"BOOLEAN/-\n\x01\x01")
    ran = fuzz("run", "decode", crash, f"--impl=exec:{sys.executable} -m miniatures.exits")
    assert ran.code == 1, ran.text
    assert "crash: kafka-crash-" in ran.text


def test_ctrl_c_tells_the_totals(tmp_path: Path) -> None:
    words = ("run", "differential", "--impl=miniatures.unsigned_for_zigzag", "--type=VARINT", "--time=200s")
    process = subprocess.Popen(
        command(*words, "--out", tmp_path),
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("found "):
            break
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130, rest
    assert " executions, 0 new findings" not in rest
    assert f"wireproof fuzz findings {tmp_path} lists them" in rest
    assert rest.endswith("Error: it was interrupted\n")


def test_sigterm_tells_the_totals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(plan: Plan, _store: object, _described: object, watch: Callable[..., None]) -> None:
        watch(plan, State(executions=7), None)
        os.kill(os.getpid(), signal.SIGTERM)
        signal.sigtimedwait([], 10)

    monkeypatch.setattr(campaign, "run", ends)
    before = signal.getsignal(signal.SIGTERM)
    words = ["fuzz", "run", "decode", "--impl=miniatures.unsigned_for_zigzag", "--out", str(tmp_path)]
    try:
        ran = CliRunner().invoke(group, words)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ran.exit_code == 130
    assert "7 executions, 0 new findings" in ran.output
