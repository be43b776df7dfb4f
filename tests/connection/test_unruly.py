"""Programs that misbehave in the middle of their questions, in each language of the wrappers: dying, hanging, eating
memory, flooding, printing, answering twice or out of order. Each has the right verdict, within the limits, and no
question is lost. (`test_connection` has them in Python.)"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support.hurry import hurry
from support.java import NO_CRASH_FILE
from support.paths import TESTS
from support.toolchains import skip_without

from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.model import Case, Observation, Op, Status

PROGRAMS = TESTS / "programs"
COUNT, AT = 1000, 500
#: A manner → the status of the question at which the program misbehaves, and its error in any language.
MANNERS = {
    "exits": (Status.CRASH, ["exit 3"]),
    "hangs": (Status.HANG, ["timeout"]),
    "eats": (Status.OOM, ["memory", "SIGABRT", "SIGTRAP", "exit 1", "exit 2"]),
    "floods": (Status.VIOLATION, ["flood"]),
    "prints": (Status.VIOLATION, ["garbage"]),
    "twice": (Status.VIOLATION, ["answered twice"]),
    "shuffles": (Status.ANSWER, [""]),
}
#: What only some languages can do, or do in their own way.
OWN = {
    "c": {
        "dies": (Status.CRASH, ["SIGABRT"]),
        "faults": (Status.CRASH, ["SIGSEGV"]),
        "eats": (Status.CRASH, ["SIGABRT"]),  # it aborts, without a word, where malloc gives nothing
    },
    "go": {"dies": (Status.CRASH, ["SIGABRT", "exit 2"]), "panics": (Status.CRASH, ["exit 2"])},
    "java": {"halts": (Status.CRASH, ["exit 134"]), "throws": (Status.CRASH, ["exit 1"])},
    "node": {"dies": (Status.CRASH, ["SIGABRT"]), "throws": (Status.CRASH, ["exit 1"])},
    "rust": {"dies": (Status.CRASH, ["SIGABRT"]), "panics": (Status.CRASH, ["exit 101"])},
}
UNRULY = [(language, manner) for language, own in OWN.items() for manner in MANNERS | own]


def _compiled(command: Sequence[str], source: str, folder: Path) -> str:
    skip_without(command[0])
    made = folder / "unruly"
    subprocess.run([*command, "-o", str(made), str(PROGRAMS / source)], check=True, cwd=folder)
    return str(made)


def _java(folder: Path) -> str:
    skip_without("javac", "java")
    subprocess.run(["javac", "-d", str(folder), str(PROGRAMS / "Unruly.java")], check=True)
    return f"java -Xmx4g -XX:+UseSerialGC -XX:+DisplayVMOutputToStderr {NO_CRASH_FILE} -cp {folder} Unruly"


def _node(_folder: Path) -> str:
    skip_without("node")
    return f"node {PROGRAMS / 'unruly.mjs'}"


#: MiB; a JVM needs more than others before it does anything.
MEMORY = {"java": 1024}
#: What makes the program in a folder; its command.
BUILDS: dict[str, Callable[[Path], str]] = {
    "c": functools.partial(_compiled, ["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L"], "unruly.c"),
    "go": functools.partial(_compiled, ["go", "build"], "unruly.go"),
    "java": _java,
    "node": _node,
    "rust": functools.partial(_compiled, ["rustc", "--edition=2024"], "unruly.rs"),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The command of a language's program, made once."""

    @functools.cache
    def made(language: str) -> str:
        return BUILDS[language](tmp_path_factory.mktemp(language))

    return made


def cases() -> list[Case]:
    """Cases 0, 1, 2 …, with -1 in the middle."""
    numbers = [-1 if number == AT else number for number in range(COUNT)]
    return [
        Case(
            f"kafka/varints/{number}#decode",
            Op.DECODE,
            "kafka",
            "INT32",
            args={"data": number.to_bytes(4, signed=True)},
        )
        for number in numbers
    ]


@pytest.fixture
def _hurried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What hangs is found without waiting."""
    hurry(monkeypatch, tmp_path)
    monkeypatch.setattr("wireproof.conformance.connection.process.child.GRACE", 0.3)
    monkeypatch.setattr("wireproof.conformance.connection.process.pipes.GRACE", 0.3)
    monkeypatch.setattr("wireproof.conformance.connection.process.pipes.STACK_TIME", 0.15)


@pytest.mark.usefixtures("_hurried")
@pytest.mark.parametrize(("language", "manner"), UNRULY)
def test_an_unruly_program(
    programs: Callable[[str], str], language: str, manner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, errors = (MANNERS | OWN[language])[manner]
    options = Options(timeout=60, memory=MEMORY.get(language, 256))
    left = tmp_path / "left"
    left.mkdir()
    monkeypatch.chdir(left)
    with open_connection(f"exec:{programs(language)} {manner}", options) as connection:
        observations: list[Observation] = connection.ask(cases())
    assert [observation.case for observation in observations] == cases(), "none is lost, and none stands twice"
    for number, observation in enumerate(observations):
        if number != AT:
            assert (observation.status, observation.answer) == (Status.ANSWER, number)
    assert observations[AT].status is status
    assert observations[AT].error in errors
    assert not [*left.iterdir()], "no core file, and no other report of how it ended"


@pytest.mark.usefixtures("_hurried")
@pytest.mark.parametrize("language", OWN)
def test_a_program_that_never_describes_itself(
    programs: Callable[[str], str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = programs(language)
    monkeypatch.setattr("wireproof.conformance.connection.process.child.START_TIMEOUT", 1)
    with pytest.raises(ImplementationError, match="no answer to"):
        open_connection(f"exec:{command} says-nothing")
