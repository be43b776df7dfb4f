"""`wireproof capture`: what passes is unaltered, judged, and written as a capture that an audit reads."""

from __future__ import annotations

import random
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.full_disk import full_disk
from support.peers import echo, listening, received
from support.served import served

from wireproof.cli import group
from wireproof.conformance.connection.live.proxy import Address, Event
from wireproof.pipeline.audit.captures import following
from wireproof.pipeline.audit.captures.exchange import Frame
from wireproof.pipeline.audit.captures.following import AFTER_SIZE, ENCRYPTED, TOO_MUCH, Follower
from wireproof.pipeline.audit.captures.recording import Recorded, Recording, RecordingReader

#: ApiVersions 3 and Metadata 12, and their answers; from the protocol guide.
REQUESTS = (
    bytes.fromhex("00000012 0012 0003 00000001 0002 6d65 00  02 78 02 31 00"),
    bytes.fromhex("00000011 0003 000c 00000002 0002 6d65 00  00 01 00 00"),
)
ANSWERS = (
    bytes.fromhex("00000013 00000001 0000 02 0012 0000 0004 00 00000000 00"),
    bytes.fromhex("00000011 00000002 00 00000000 01 00 ffffffff 01 00"),
)
HEADERS = [("a", b"1"), ("b", b""), ("a", b"2")]
CLIENT, BROKER = ("127.0.0.1", 40000), ("127.0.0.1", 9092)


# --- The command ------------------------------------------------------------------------------------------------------


@dataclass
class Capturing:
    """The process, and where it listens. At its end: what it printed, and its exit code."""

    process: subprocess.Popen[str]
    address: Address
    printed: str = ""
    code: int | None = None


@contextmanager
def capturing(to: Address, out: Path, listen: str = "127.0.0.1:0") -> Iterator[Capturing]:
    """The command. At the end its standard input is closed."""
    words = [sys.executable, "-m", "wireproof", "capture", f"--listen={listen}", f"--to={to[0]}:{to[1]}"]
    with subprocess.Popen(
        [*words, f"--out={out}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        process.stdout.readline()
        run = Capturing(process, ("127.0.0.1", int(process.stdout.readline().rpartition(":")[2])))
        yield run
        run.printed, _ = process.communicate(timeout=30)
        run.code = process.returncode


def audited(path: Path) -> list[tuple[str, str | None, int | None, int | None, str]]:
    """The frames that an audit finds."""
    pytest.importorskip("dpkt", reason="the extra `pipeline` is not installed")
    from wireproof.pipeline.audit.captures.frames import frames

    found = frames(path.read_bytes(), str(path))
    return sorted((one.direction, one.api, one.version, one.correlation_id, str(one.verdict)) for one in found)


def answering(connection: socket.socket) -> None:
    """Answer what the tests ask, whatever stands between."""
    received_bytes = b""
    answered = 0
    while piece := connection.recv(1 << 16):
        received_bytes += piece
        while answered < 2 and received_bytes.startswith(b"".join(REQUESTS[: answered + 1])):
            connection.sendall(ANSWERS[answered])
            answered += 1


def test_frames_are_judged_and_written(tmp_path: Path) -> None:
    out = tmp_path / "a.pcap"
    with listening(answering) as to, capturing(to, out) as run, socket.create_connection(run.address) as client:
        for request in REQUESTS:
            client.sendall(request[:5])
            client.sendall(request[5:])
        client.shutdown(socket.SHUT_WR)
        assert received(client) == b"".join(ANSWERS)
    assert run.code == 0
    assert [line.split() for line in run.printed.splitlines()[1:3]] == [
        ["ApiVersions", "3", "pass", "1", "1"],
        ["Metadata", "12", "pass", "1", "1"],
    ]
    assert "connections: 1, frames: 4 (0.0 MiB), malformed: 0, unmatched: 0" in run.printed
    assert audited(out) == [
        ("request", "ApiVersions", 3, 1, "pass"),
        ("request", "Metadata", 12, 2, "pass"),
        ("response", "ApiVersions", 3, 1, "pass"),
        ("response", "Metadata", 12, 2, "pass"),
    ]


def test_what_is_malformed_passes_and_is_told(tmp_path: Path) -> None:
    """A byte behind a body, and then a size that no frame has, and noise."""
    longer = (18).to_bytes(4) + REQUESTS[1][4:] + b"\x07"
    sent = longer + b"\xff\xff\xff\xff" + random.Random(1).randbytes(9999)
    out = tmp_path / "a.pcap"
    with listening(echo) as to, capturing(to, out) as run, socket.create_connection(run.address) as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        assert received(client) == sent
    assert run.code == 1
    assert "request Metadata 12, correlation id 2, byte 21 of its direction: fail: trailing-bytes" in run.printed
    assert f"bytes {AFTER_SIZE}" in run.printed


def test_a_client_through_it_to_the_reference(tmp_path: Path) -> None:
    """kafka-python, whose every connection goes to the address that the broker advertises."""
    kafka = pytest.importorskip("kafka")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    out = tmp_path / "a.pcap"
    with (
        served("--topic=test", f"--advertise={port}") as (_, broker),
        capturing(("127.0.0.1", broker), out, f"127.0.0.1:{port}") as run,
    ):
        for codec in (None, "gzip", "lz4"):
            producer = kafka.KafkaProducer(bootstrap_servers=f"127.0.0.1:{port}", compression_type=codec)
            producer.send("test", b"v", headers=HEADERS).get(10)
            producer.close()
        consumer = kafka.KafkaConsumer(bootstrap_servers=f"127.0.0.1:{port}", auto_offset_reset="earliest")
        consumer.assign([kafka.TopicPartition("test", 0)])
        assert [next(consumer).headers for _ in range(3)] == [HEADERS] * 3
        consumer.close()
    assert run.code == 0, run.printed
    counts = {words[0]: words[2:] for line in run.printed.splitlines() if len(words := line.split()) == 5}
    assert counts["Produce"] == ["pass", "3", "3"]
    assert counts["Fetch"][1] == counts["Fetch"][2]
    found = audited(out)
    assert {verdict for *_, verdict in found} == {"pass"}
    assert sum(1 for one in found if one[:2] == ("request", "Produce")) == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(number: signal.Signals, tmp_path: Path) -> None:
    """And what has come until then is judged."""
    out = tmp_path / "a.pcap"
    with listening(answering) as to, capturing(to, out) as run, socket.create_connection(run.address) as client:
        client.sendall(REQUESTS[0])
        assert client.recv(100) == ANSWERS[0]
        run.process.send_signal(number)
        assert run.process.wait(30) == 0
    assert "frames: 2 (0.0 MiB), malformed: 0" in run.printed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--listen=9092", "--to=127.0.0.1:9092"], "HOST:PORT is expected"),
        (["--listen=127.0.0.1:70000", "--to=127.0.0.1:9092"], "HOST:PORT is expected"),
        (["--listen=0.0.0.0:0", "--to=127.0.0.1:9092"], "say --allow-remote"),
        (["--listen=127.0.0.1:0", "--to=192.0.2.1:9092"], "say --allow-remote"),
        (["--listen=127.0.0.1:0", "--to=nowhere.invalid:9092"], "is not found"),
    ],
)
def test_wrong_use(arguments: Sequence[str], says: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(group, ["capture", *arguments, f"--out={tmp_path / 'a.pcap'}"])
    assert result.exit_code == 2
    assert says in result.output
    assert not (tmp_path / "a.pcap").exists()


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(b"x")
    result = CliRunner().invoke(group, ["capture", "--listen=127.0.0.1:0", "--to=127.0.0.1:1", f"--out={path}"])
    assert result.exit_code == 2
    assert "--overwrite replaces it" in result.output
    assert path.read_bytes() == b"x"


# --- The recording ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("client", "broker"),
    [(CLIENT, BROKER), (("::1", 40000), ("::1", 9092)), (("127.0.0.1", 9092), ("127.0.0.2", 9092))],
)
def test_a_recording_is_read_as_it_was_told(client: Address, broker: Address, tmp_path: Path) -> None:
    data = random.Random(2).randbytes(150_000)
    told = [
        (Event.OPENED, True, b""),
        (Event.BYTES, True, REQUESTS[0]),
        (Event.BYTES, False, data),
        (Event.ENDED, True, b""),
        (Event.RESET, False, b""),
        (Event.OPENED, True, b""),  # the same port again
        (Event.BYTES, True, b"a"),
    ]
    with (tmp_path / "a.pcap").open("wb", buffering=0) as file:
        recording = Recording(file, broker)
        for event, by_client, content in told:
            recording.tell(event, client, by_client, content)
    whole = (tmp_path / "a.pcap").read_bytes()
    reader = RecordingReader(broker)
    read = [one for at in range(0, len(whole), 999) for one in reader.add(whole[at : at + 999])]
    pieces = [data[at : at + 65_000] for at in range(0, len(data), 65_000)]
    expected = [*told[:2], *((Event.BYTES, False, piece) for piece in pieces), *told[3:]]
    assert read == [Recorded(event, client, by_client, content) for event, by_client, content in expected]


def test_packets_are_what_tcp_would_have_sent(tmp_path: Path) -> None:
    """By hand from RFC 791 and 9293, and the format of pcap files."""
    with (tmp_path / "a.pcap").open("wb", buffering=0) as file:
        recording = Recording(file, BROKER)
        for event, content in ((Event.OPENED, b""), (Event.BYTES, b"ab"), (Event.ENDED, b"")):
            recording.tell(event, CLIENT, True, content)
    whole = (tmp_path / "a.pcap").read_bytes()
    # magic, version 2.4, zone, accuracy, the longest packet, and raw IP.
    assert whole[:24] == struct.pack("<I2H4I", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 101)
    at, packets = 24, []
    while at < len(whole):
        size, original = struct.unpack_from("<2I", whole, at + 8)
        assert size == original
        packets.append(whole[at + 16 : at + 16 + size])
        at += 16 + size
    first = 1_000_003
    expected = [
        ("9c40 2384", first, 0, "5002", b""),  # SYN, from 40000 to 9092
        ("2384 9c40", first, first + 1, "5012", b""),  # SYN and ACK
        ("9c40 2384", first + 1, first + 1, "5010", b"ab"),
        ("9c40 2384", first + 3, first + 1, "5011", b""),  # FIN
    ]
    for packet, (ports, sequence, acknowledged, flags, payload) in zip(packets, expected, strict=True):
        ip = bytes.fromhex("4500") + (40 + len(payload)).to_bytes(2) + bytes.fromhex("00000000 4006 0000")
        ip += bytes.fromhex("7f000001 7f000001")
        tcp = (
            bytes.fromhex(ports)
            + sequence.to_bytes(4)
            + acknowledged.to_bytes(4)
            + bytes.fromhex(flags + "ffff 0000 0000")
        )
        assert packet.hex() == (ip + tcp + payload).hex()


def test_a_full_disk_ends_the_recording_behind_a_whole_packet(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with path.open("wb", buffering=0) as file:
        recording = Recording(file, BROKER)
        recording.tell(Event.OPENED, CLIENT, True, b"")
        before = path.stat().st_size
        with full_disk(before + 60):
            recording.tell(Event.BYTES, CLIENT, True, bytes(1000))
            assert path.stat().st_size == before
        recording.tell(Event.BYTES, CLIENT, False, bytes(10))
        assert recording.failure is not None
        assert recording.lost_bytes == 1010
        assert path.stat().st_size == before


# --- The judge --------------------------------------------------------------------------------------------------------


def followed(*pieces: tuple[bool, bytes]) -> tuple[Follower, list[Frame]]:
    follower = Follower("127.0.0.1:9092")
    told = [
        Recorded(Event.OPENED, CLIENT, True, b""),
        *(Recorded(Event.BYTES, CLIENT, by_client, content) for by_client, content in pieces),
    ]
    found = [frame for one in told for frame in follower.add(one)]
    return follower, [*found, *follower.end()]


def test_every_byte_is_judged_or_told() -> None:
    noise = b"\xff\xff\xff\xff" + bytes(500)
    follower, found = followed((True, REQUESTS[0]), (False, ANSWERS[0]), (True, noise), (True, bytes(100)))
    assert [str(frame.verdict) for frame in found] == ["pass", "pass", "fail"]
    everything = len(REQUESTS[0]) + len(ANSWERS[0]) + len(noise) + 100
    assert follower.judged_bytes + follower.unjudged_bytes.total() == everything
    assert follower.unjudged_bytes == {AFTER_SIZE: len(noise) + 100 - 12}  # the frame shows 12 bytes


def test_a_response_that_nobody_asked_for_is_wrong() -> None:
    _, found = followed((False, ANSWERS[0]))
    assert [(frame.direction, str(frame.verdict)) for frame in found] == [("response", "fail")]


def test_a_request_without_its_answer_is_unmatched() -> None:
    _, found = followed((True, REQUESTS[0]))
    assert [str(frame.verdict) for frame in found] == ["unmatched"]


def test_tls_is_told_and_not_judged() -> None:
    hello = bytes.fromhex("16 0301 0200 01") + bytes(300)
    follower, found = followed((True, hello), (False, hello))
    assert found == []
    assert follower.unjudged_bytes == {ENCRYPTED: 2 * len(hello)}


def test_who_holds_too_much_is_judged_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "MOST_HELD", 1000)
    announced = (50_000).to_bytes(4)
    follower = Follower("127.0.0.1:9092")
    other = ("127.0.0.1", 40001)
    found: list[Frame] = []
    for client, content in [(CLIENT, announced + bytes(600)), (other, REQUESTS[0]), (CLIENT, bytes(500))]:
        if client not in follower._connections:
            assert [*follower.add(Recorded(Event.OPENED, client, True, b""))] == []
        found += follower.add(Recorded(Event.BYTES, client, True, content))
    found += follower.add(Recorded(Event.BYTES, other, False, ANSWERS[0]))
    assert [str(frame.verdict) for frame in found] == ["pass", "pass"]
    assert follower.unjudged_bytes == {TOO_MUCH: 1104}


def test_who_has_its_answers_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "MOST_HELD", 200)
    follower, found = followed(*[(True, REQUESTS[0]), (False, ANSWERS[0])] * 50)
    assert [str(frame.verdict) for frame in found] == ["pass"] * 100
    assert follower.unjudged_bytes == {}
