"""`wireproof serve`: the reference as a broker holds what the kit asks of any broker, within its bounds, to its end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from support.blocks import blocks
from support.paths import ROOT
from support.served import served

from wireproof.cli import group
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.live import server as live
from wireproof.conformance.model import DEVIATIONS, Op, Outcome
from wireproof.conformance.questions import conversations, selection, sweep
from wireproof.conformance.questions.question import Question
from wireproof.reference.dialects import DIALECTS

#: ApiVersions 0, correlation id 1, no client id; and how its answer begins.
ASK = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
ID = (1).to_bytes(4)


def test_the_kit_finds_nothing_wrong() -> None:
    """Vectors, the sweep, and conversations in the lowest and the highest version of each."""
    with (
        served() as (_, port),
        Examiner(open_connection(f"tcp://127.0.0.1:{port}", Options(allow_writes=True))) as examiner,
    ):
        apis = examiner.description.apis or {}
        serve = [vector for vector in vectors.load(["kafka"]) if Op.SERVE in vector.ops]
        held: dict[str, list[Question]] = {}
        for question in conversations.questions(apis):
            held.setdefault(question.vector.id.partition("/")[0], []).append(question)
        ends = [one for each in held.values() for one in (each[0], *each[1:][-1:])]
        asked = [*selection.of_vectors(serve, examiner.description), *sweep.questions(apis), *ends]
        found = [*examiner.judge(asked)]
        assert examiner.end() is None
    others = {one.case.id: one.verdict for one in found if one.verdict.outcome is not Outcome.PASS}
    contested = {one for one, verdict in others.items() if verdict.outcome is Outcome.CONTESTED}
    assert contested == {f"kafka/messages/Produce/{version}#serve" for version in range(3)}
    skipped = [verdict.detail for verdict in others.values() if verdict.outcome is Outcome.SKIP]
    assert len(skipped) == len(others) - len(contested)
    asks_more = ("does not announce", "does without it", "SASL", "--load")
    assert [why for why in skipped if not any(word in why for word in asks_more)] == []
    assert len(found) - len(others) > 350


def test_clients_that_misbehave_hold_up_nobody() -> None:
    """Faults: beside clients that ask without end, or do not read."""
    with (
        served() as (_, port),
        Examiner(open_connection(f"tcp://127.0.0.1:{port}", Options(load=20))) as examiner,
    ):
        apis = examiner.description.apis or {}
        faults = [one for one in conversations.questions(apis) if one.case.id.startswith("kafka/faults/")]
        assert len(faults) >= 7
        found = {one.case.id: one.verdict.outcome for one in examiner.judge(faults)}
    assert {one for one, outcome in found.items() if outcome in DEVIATIONS or outcome is Outcome.UNSTEADY} == set()


def test_the_page_s_client_gets_what_it_sent(tmp_path: Path) -> None:
    pytest.importorskip("kafka")
    (client,) = (block.text for block in blocks(ROOT / "docs/how-to/test-your-client.md") if block.name == "client.py")
    (tmp_path / "client.py").write_text(client)
    with served("--topic=test:3") as (_, port):
        words = [sys.executable, "client.py", f"127.0.0.1:{port}"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "[('a', b'1'), ('a', b'2')]\n", done.stderr


def test_wire_format_lets_a_fetch_wait_for_a_produce() -> None:
    """By hand from the layouts: t/0 from offset 0, max_wait 10 s, min_bytes 1; then one message to it."""
    fetch = "00000028 0001 0000 00000008 0001 63 ffffffff 00002710 00000001 0001 0001 74 0001 00000000 0001 00000000"
    message = "00000008 01 00 d8932aac 6869"
    produce = f"0000002b 0000 0000 00000007 0001 63 01 000005dc 0001 0001 74 0001 00000000 0000000c {message}"
    fetched = f"00000023 00000008 0000 ffff 0001 0001 74 0001 00000000 0000000c {message}"
    with served("--dialect=wire-format") as (_, port), opened(port) as waiting, opened(port) as producer:
        waiting.sendall(bytes.fromhex(fetch))
        waiting.settimeout(0.3)
        with pytest.raises(TimeoutError):
            waiting.recv(1)
        producer.sendall(bytes.fromhex(produce))
        waiting.settimeout(5)
        assert waiting.recv(1000) == bytes.fromhex(fetched)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_served(dialect: str) -> None:
    """A size that no frame has is closed on."""
    with served(f"--dialect={dialect}") as (_, port), opened(port) as client:
        client.sendall(bytes.fromhex("ffffffff"))
        assert client.recv(1) == b""


def test_kip_35_names_where_it_listens() -> None:
    with served("--dialect=kip-35-v7") as (_, port), opened(port) as client:
        client.sendall(bytes.fromhex("0000000e 0011 0000 00000008 ffff 00000000"))
        assert b"127.0.0.1" + port.to_bytes(4) in client.recv(1000)


# --- Its end ---


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(number: signal.Signals) -> None:
    with served("--topic=t") as (process, port), socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(ASK)
        assert client.recv(8)[4:] == ID
        process.send_signal(number)
        assert process.wait(10) == 0
        assert process.stderr
        assert process.stderr.read() == ""


def test_the_end_of_its_input_ends_it_and_nothing_else_there() -> None:
    with served() as (process, port):
        assert process.stdin
        process.stdin.write("a line\n")
        process.stdin.flush()
        assert_answers(port)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_an_input_that_is_no_pipe_is_no_sign() -> None:
    words = [sys.executable, "-m", "wireproof", "serve", "--port=0"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        assert_answers(int(process.stdout.readline().rpartition(":")[2]))
        process.terminate()
        assert process.wait(10) == 0


# --- Its bounds ---


def test_it_listens_on_loopback_alone() -> None:
    with served() as (process, port):
        listening = [one.laddr for one in psutil.Process(process.pid).net_connections() if one.status == "LISTEN"]
        assert listening == [("127.0.0.1", port)]


@contextmanager
def running(**topics: int) -> Iterator[tuple[live.Server, int]]:
    """A server in a thread, so that a test can see into it."""
    reads, writes = os.pipe()
    with live.Server(0) as server:
        thread = threading.Thread(
            target=server.run, args=(DIALECTS["kafka"].broker(("localhost", 9092), topics), reads), daemon=True
        )
        thread.start()
        try:
            yield server, server.port
        finally:
            os.close(writes)
            thread.join(10)
            os.close(reads)
            assert not thread.is_alive()


def opened(port: int, seconds: float = 5) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(seconds)
    return client


def assert_answers(port: int) -> None:
    with opened(port) as client:
        client.sendall(ASK)
        assert client.recv(8)[4:] == ID


def test_more_connections_wait_for_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_CONNECTIONS", 2)
    with running() as (_, port):
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for client in clients:
            client.sendall(ASK)
            client.settimeout(0.3)
        assert [client.recv(8)[4:] for client in clients[:2]] == [ID, ID]
        with pytest.raises(TimeoutError):
            clients[2].recv(8)
        clients[0].close()
        clients[2].settimeout(5)
        assert clients[2].recv(8)[4:] == ID
        for client in clients:
            client.close()


def sent(client: socket.socket, data: bytes) -> int:
    """How many times these bytes could be sent, until the server closed or read no more."""
    for times in range(10_000):
        try:
            client.sendall(data)
        except (ConnectionError, TimeoutError):
            return times
    raise AssertionError("it reads on and on")


def test_who_brings_too_much_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_HELD", 1 << 20)
    with running() as (_, port), opened(port) as greedy, opened(port) as small:
        small.sendall(ASK[:9])
        greedy.sendall((64 << 20).to_bytes(4))
        assert sent(greedy, bytes(1 << 20)) < 20
        small.sendall(ASK[9:])
        assert small.recv(8)[4:] == ID


#: Few bytes that ask for many: Metadata 1 of all topics, and topics for which the answer is long.
ASK_ALL = bytes.fromhex("0000000e 0003 0001 00000001 ffff ffffffff")
MANY = {f"{number:0200}": 1 for number in range(500)}


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_who_does_not_read_is_not_read_from() -> None:
    with running(**MANY) as (server, port), opened(port, 0.2) as mute:

        def held() -> int:
            sent(mute, ASK_ALL * 100)
            return sum(len(client.sent) for client in server._clients)

        until(lambda: held() >= live.MOST_WAITING)
        time.sleep(1)
        assert held() < 3 * live.MOST_WAITING
        assert_answers(port)


def test_who_has_gone_is_forgotten() -> None:
    with running(**MANY) as (server, port):
        for data in [ASK[:9]] * 20 + [ASK_ALL * 50]:
            with opened(port) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes.fromhex("0100000000000000"))
                client.sendall(data)
                if data[:4] == ASK_ALL[:4]:
                    until(lambda: any(client.sent for client in server._clients))
        until(lambda: not server._clients)
        assert_answers(port)


def test_a_frame_that_is_none_closes() -> None:
    with running() as (_, port), opened(port) as client:
        client.sendall(bytes.fromhex("ffffffff"))
        assert client.recv(1) == b""
        assert_answers(port)


def test_who_is_closed_reads_an_end_and_no_reset() -> None:
    with running() as (_, port), opened(port) as client:
        client.sendall(bytes.fromhex("ffffffff") + bytes(1 << 17))  # more than is read at once
        assert client.recv(1) == b""


# --- The command line ---


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--dialect=nothing"], "'nothing' is not one of"),
        (["--port=70000"], "70000 is not in the range"),
        (["--topic="], "NAME or NAME:PARTITIONS is expected"),
        (["--topic=t:0"], "NAME or NAME:PARTITIONS is expected"),
        (["--topic=t:many"], "NAME or NAME:PARTITIONS is expected"),
        (["--topic=t:1001"], "NAME or NAME:PARTITIONS is expected"),
    ],
)
def test_wrong_use(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(group, ["serve", *arguments])
    assert result.exit_code == 2
    assert says in result.output


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(group, ["serve", f"--port={taken.getsockname()[1]}"])
    assert result.exit_code == 2
    assert "can't be listened on" in result.output
