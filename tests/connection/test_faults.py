"""Brokers beside clients that misbehave: who lets others wait, or ends, is found; who is odd is not."""

from __future__ import annotations

import json
import select
import selectors
import socket
import subprocess
import sys
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.listening import running, spec
from support.thorough import some

from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.live.address import resolve
from wireproof.conformance.connection.live.exchange import Exchange
from wireproof.conformance.connection.live.talk import Talk
from wireproof.conformance.model import FAULTS, Outcome, Verdict
from wireproof.conformance.questions import find, selection
from wireproof.conformance.questions.selection import NotAsked
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.script import Facts
from wireproof.conformance.vectors import VectorError, load
from wireproof.conformance.vectors import conversations as stored
from wireproof.conformance.vectors.conversation_script import ConversationScript
from wireproof.errors import WireproofError

FAIL, CRASH = Outcome.FAIL, Outcome.CRASH
NAMES = [one.id for one in stored.load().values() if one.area == FAULTS]
#: By program: the outcome of the faults at which it deviates, these, and others.
WRONG: Mapping[str, tuple[Outcome, Collection[str], Collection[str]]] = {
    "reads_one_request_at_a_time": (FAIL, ("half-frames-held", "slow-senders"), ("peers-that-do-not-read",)),
    "answers_one_at_a_time": (FAIL, ("peers-that-do-not-read",), ("half-frames-held", "slow-senders")),
    "allocates_by_length": (CRASH, ("largest-sizes",), ("half-frames-held",)),
    "allocates_below_a_limit": (CRASH, ("sizes-below-the-limit",), ("largest-sizes",)),
    "dies_of_a_reset": (CRASH, ("connections-dropped",), ("half-frames-held",)),
}
#: Programs that break no rule, and the faults that they are asked.
ODD: Mapping[str, Collection[str]] = {
    "conforming": NAMES,
    "slow": ("half-frames-held", "slow-senders"),
    "byte_by_byte": ("half-sizes-held", "largest-sizes"),
    "short_queue": ("half-frames-held",),
    "closes_half_requests": ("half-sizes-held", "half-frames-held", "slow-senders"),
}


def held(implementation: str, names: Collection[str] = NAMES, options: Options | None = None) -> dict[str, Verdict]:
    """The verdicts on these faults, by name."""
    with Examiner(open_connection(implementation, options)) as examiner:
        asked = [find(f"kafka/{FAULTS}/{name}#serve") for name in names]
        return {one.vector.id: one.verdict for one in examiner.judge(asked)}


@pytest.mark.parametrize("name", some([*WRONG], 2))
def test_a_wrong_broker_is_found(name: str) -> None:
    outcome, wrong, right = WRONG[name]
    found = held(spec(name), (*right, *wrong), Options(timeout=1.0 if outcome is FAIL else 5.0))
    expected = dict.fromkeys(wrong, outcome) | dict.fromkeys(right, Outcome.PASS)
    assert {one: verdict.outcome for one, verdict in found.items()} == expected


@pytest.mark.parametrize("name", ODD)
def test_an_odd_broker_is_not_blamed(name: str) -> None:
    assert {verdict.outcome for verdict in held(spec(name), ODD[name]).values()} == {Outcome.PASS}


def test_a_program_is_started_again_after_a_fault_that_it_failed() -> None:
    """Else it would fail the next one, too: it has room for a thousand connections, and gives none free."""
    found = held(spec("leaks_connections"), ("connections-dropped", "half-frames-held"), Options(timeout=1.0))
    assert [verdict.outcome for verdict in found.values()] == [FAIL, Outcome.PASS]


def test_faults_come_last() -> None:
    with Examiner(open_connection(spec("conforming"))) as examiner:
        entries = [*selection.entries(examiner.description, NotAsked(), ["kafka"])]
    assert [one.name for one in entries[-len(NAMES) :]] == [f"kafka/{FAULTS}/{name}#serve" for name in NAMES]


def test_less_than_the_load_that_was_told_is_no_pass() -> None:
    """Nobody accepts, so only a few of the clients can come."""
    steps = {"clients": {"count": 200, "ends": "close", "seconds": 0.5}}
    (conversation,) = stored.parse(file({"load": True}, steps), FAULTS).values()
    with socket.create_server(("127.0.0.1", 0), backlog=1) as server:
        address = resolve(f"tcp://127.0.0.1:{server.getsockname()[1]}", remote=False)
        talk = Talk(ConversationScript(conversation, None, ()), Facts(""), partial(Exchange, address))
        while not talk.over:
            for one in talk.sockets:
                ready = select.select([], [one.socket], [], 0)[1]
                one.advance(selectors.EVENT_WRITE if ready else 0)
            talk.go_on(0.3, 5.0)
        talk.close()
    assert talk.unready == "not all of 200 clients came and went within 0.5 seconds"


# --- At an address, and beside all questions (--load) ---


def served(implementation: str, options: Options) -> set[Outcome]:
    """The outcomes of the vectors about ApiVersions alone."""
    chosen = [one for one in load(["kafka"]) if one.id in ("broker-v0", "broker-v3", "broker-v99")]
    with Examiner(open_connection(implementation, options)) as examiner:
        return {one.verdict.outcome for one in examiner.judge(selection.of_vectors(chosen, examiner.description))}


@pytest.mark.parametrize(
    ("name", "load", "outcome"),
    [
        ("reads_one_request_at_a_time", 0, Outcome.PASS),
        ("reads_one_request_at_a_time", 1, FAIL),  # half of a request
        ("reads_one_request_at_a_time", 2, FAIL),
        ("answers_one_at_a_time", 2, Outcome.PASS),
        ("answers_one_at_a_time", 3, FAIL),  # a client that does not read
        ("conforming", 6, Outcome.PASS),
    ],
)
def test_questions_are_asked_beside_a_load(name: str, load: int, outcome: Outcome) -> None:
    assert served(spec(name), Options(load=load, timeout=1.0 if outcome is FAIL else 5.0)) == {outcome}


def test_a_client_that_the_broker_closes_is_replaced() -> None:
    with Examiner(open_connection(spec("closes_half_requests"), Options(load=3))) as examiner:
        (found,) = examiner.judge([find("kafka/conversations/two-connections#serve")])
    assert found.verdict.outcome is Outcome.PASS


def test_an_address_is_asked_faults_if_its_owner_allows_a_load() -> None:
    names = ("half-frames-held",)
    with running("reads_one_request_at_a_time") as address:
        (skipped,) = held(address, names).values()
    with running("conforming") as address:
        (asked,) = held(address, names, Options(load=1)).values()
    assert (skipped.outcome, asked.outcome) == (Outcome.SKIP, Outcome.PASS)
    assert "--load says that it may" in skipped.detail


def test_a_run_tells_how_it_loads_a_broker() -> None:
    with running("conforming") as address:
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--area=framing", f"--impl={address}"]
        done = subprocess.run([*words, "--load=2"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    (line,) = (line for line in done.stdout.splitlines() if line.startswith(f"{address}: a broker"))
    assert "faults, with up to 100 clients at a time and 10,000 one after another" in line
    assert "; 2 clients misbehave beside the questions" in line


def test_a_command_that_repeats_a_question_has_the_same_load() -> None:
    with running("conforming") as address, open_connection(address, Options(load=2)) as connection:
        command = repro_command("kafka/a/b#serve", address, connection.description.reached_by)
    assert command.endswith(" --load=2")


@pytest.mark.parametrize("load", [-1, 301])
def test_a_load_is_bounded(load: int) -> None:
    with pytest.raises(WireproofError, match="it has to be at most 300"):
        Options(load=load)


def test_a_transcript_has_the_clients(tmp_path: Path) -> None:
    file = tmp_path / "transcript.jsonl"
    held(spec("conforming"), ["peers-that-do-not-read"], Options(transcript=file))
    said = [json.loads(line)["line"] for line in file.read_text("utf-8").splitlines()]
    (clients,) = (line for line in said if "clients" in line)
    assert (clients["clients"], clients["bytes"], len(clients["begins"])) == (10, 280_000, 200)


# --- The file ---


@pytest.mark.parametrize(
    "clients",
    [
        {"count": 0},
        {"count": 101},
        {"count": 10_001, "ends": "close"},
        {"count": 100, "times": 100_000, "send": [["0000", "two bytes"]]},
    ],
)
def test_clients_are_bounded(clients: dict[str, Any]) -> None:
    with pytest.raises(VectorError, match="too many clients, or bytes"):
        stored.parse(file({"load": True}, {"clients": clients}), FAULTS)


def test_a_load_is_a_fault() -> None:
    with pytest.raises(VectorError, match="its area is"):
        stored.parse(file({}, {"silent": True}), FAULTS)


def file(needs: dict[str, Any], step: dict[str, Any]) -> bytes:
    """A file with one vector."""
    vector = {"id": "a", "about": "b", "source": "c", "needs": needs, "steps": [step]}
    return json.dumps({"format": 1, "vectors": [vector]}).encode()


def test_slow_senders_send_a_whole_request() -> None:
    clients = [step.clients for step in stored.load()["slow-senders"].steps if step.clients is not None]
    assert [len(one.data) for one in clients] == [4 + int.from_bytes(one.data[:4]) for one in clients]
