"""What a program writes without end, where an answer is due or behind the last one, costs little time and memory."""

from __future__ import annotations

import resource
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof.cli import group
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.model import Case, Observation, Op, Status

PROGRAM = Path(__file__).parent / "programs" / "floods.py"
#: Seconds and bytes that the kit may take. Without a bound it takes 30 seconds, or gigabytes.
SECONDS, MEMORY = 15, 400 << 20
WHATS = ("lines", "line")


def program(when: str, what: str) -> str:
    return f"exec:{shlex.join([sys.executable, str(PROGRAM), when, what])}"


@pytest.fixture(autouse=True)
def in_little() -> Iterator[None]:
    began, most = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.monotonic() - began < SECONDS
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most) << 10 < MEMORY


def asked(spec: str) -> tuple[Observation, Observation | None]:
    with open_connection(spec, Options()) as connection:
        connection.configure("kafka", {})
        (observation,) = connection.ask([Case("x", Op.DECODE, "kafka", "INT32", args={"data": bytes(4)})])
        return observation, connection.end()


@pytest.mark.parametrize(
    ("when", "what", "words"),
    [
        ("describe", "lines", "its answer to describe is malformed: not JSON"),
        ("describe", "line", "did not answer describe: about 65600 KiB on stdout without an answer"),
        ("configure", "lines", "failed at configure for kafka: about 1024 KiB on stdout without an answer"),
        ("configure", "line", "failed at configure for kafka: about 65600 KiB on stdout without an answer"),
    ],
)
def test_in_place_of_a_description_or_settings(when: str, what: str, words: str) -> None:
    with pytest.raises(ImplementationError, match=words):
        asked(program(when, what))


@pytest.mark.parametrize("what", WHATS)
def test_in_place_of_an_answer(what: str) -> None:
    assert asked(program("decode", what))[0].status is Status.VIOLATION


@pytest.mark.parametrize("what", WHATS)
def test_after_the_last_answer(what: str) -> None:
    answered, end = asked(program("end", what))
    assert answered.status is Status.UNSUPPORTED
    assert end is not None
    assert end.status is Status.VIOLATION


@pytest.mark.parametrize("when", ["describe", "configure", "decode", "end"])
@pytest.mark.parametrize("what", WHATS)
def test_the_check_of_a_wrapper(when: str, what: str) -> None:
    result = CliRunner().invoke(group, ["wrapper", "check", program(when, what)])
    assert result.exit_code == 1
    assert "✗" in result.output
