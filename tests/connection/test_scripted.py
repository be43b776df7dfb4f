"""The broker's side of a connection where a script says how it answers, without sockets and clocks."""

from __future__ import annotations

import struct
from typing import cast

from wireproof.conformance.client_run import Reply
from wireproof.conformance.connection.live.scripted import MOST_TRIES, Record, Scripted
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.peers.answers import Cluster, Node
from wireproof.reference.peers.broker import Broker
from wireproof.reference.peers.topics import Topics

#: ApiVersions 0, Metadata 0 and Fetch 4 of no topic, without a client id, as whole frames.
ASK = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
METADATA = bytes.fromhex("0000000e 0003 0000 00000002 ffff 00000000")
FETCH = bytes.fromhex("0000001f 0001 0004 00000003 ffff ffffffff 00000000 00000000 00100000 00 00000000")
#: Metadata 1 of all topics; ListOffsets 1 of the end of the partition.
ALL_METADATA = bytes.fromhex("0000000e 0003 0001 00000002 ffff ffffffff")
OFFSETS = bytes.fromhex(
    "00000028 0002 0001 00000004 ffff ffffffff 00000001 0004 74657374 00000001 00000000 ffffffff ffffffff"
)


class Fixed:
    """A script with these replies to ApiVersions, one after another."""

    name, asked = "fixed", "ApiVersions"

    def __init__(self, *replies: Reply, second: Fixed | None = None, hands_over: int | None = None) -> None:
        self.second, self.hands_over = second, hands_over
        self.apis: dict[int, tuple[int, int]] = {}
        self.before_login = self.apis
        self._replies = replies

    def reply(self, request: bytes, earlier: int, usual: bytes | None) -> Reply | None:
        return self._replies[earlier] if request[:2] == b"\0\x12" and earlier < len(self._replies) else None


def opened(*replies: Reply) -> tuple[Scripted, Record]:
    """A connection of a run with this script."""
    record = Record(Fixed(*replies), Topics())
    return Scripted(DIALECTS["kafka"].broker(("127.0.0.1", 9092), {"test": 1})(), record), record


def two_opened(second: Fixed) -> tuple[Scripted, Scripted, Record]:
    """A connection to each of two brokers, the second one with this script, and their record."""
    broker = DIALECTS["kafka"].broker(("127.0.0.1", 9092), {"test": 1})
    inner = [cast(Broker, broker()) for _ in range(2)]
    record = Record(Fixed(second=second), inner[0].topics)
    for node, one in enumerate(inner):
        one.cluster = Cluster(node, (Node(0, "127.0.0.1", 9092), Node(1, "127.0.0.1", 9093)))
    return Scripted(inner[0], record), Scripted(inner[1], record, 1), record


def test_the_script_answers_first_and_the_broker_all_else() -> None:
    connection, record = opened(Reply(b"abc"))
    assert connection.receive(ASK) == b"abc"
    assert connection.receive(ASK)[4:8] == bytes.fromhex("00000001")
    assert connection.receive(METADATA)[4:8] == bytes.fromhex("00000002")
    kinds = [(event.kind, event.scripted) for event in record.events]
    assert kinds == [
        ("opened", False),
        ("request", True),
        ("answer", True),
        ("request", False),
        ("answer", False),
        ("request", False),
        ("answer", False),
    ]


def test_what_comes_slowly_comes_a_byte_at_a_time_and_then_what_is_behind_it() -> None:
    connection, _ = opened(Reply(b"abc", byte_every=0.01))
    assert connection.receive(ASK + METADATA, 0.0) + connection.poll(0.0) == b"a"
    assert connection.deadline == 10
    assert connection.poll(9) == b""
    assert connection.poll(10) == b"b"
    assert connection.poll(20).startswith(b"c\0\0")


def test_a_closing_comes_behind_the_answer_and_nothing_behind_it() -> None:
    connection, record = opened(Reply(b"abc", closes=True))
    assert connection.receive(ASK + METADATA) == b"abc"
    assert connection.closed
    assert [event.kind for event in record.events] == ["opened", "request", "answer", "closed"]


def test_a_late_answer_waits_and_silence_is_none() -> None:
    connection, _ = opened(Reply(b""), Reply(b"abc", delay=0.5))
    assert connection.receive(ASK, 0.0) == b""
    assert connection.receive(ASK, 0.0) == b""
    assert connection.poll(499) == b""
    assert connection.poll(500) == b"abc"


def test_many_tries_within_a_second_are_a_busy_loop_and_many_fetches_are_none() -> None:
    connection, record = opened()
    for _ in range(3 * MOST_TRIES):
        assert connection.receive(FETCH)
    assert not record.busy
    connection, record = opened()
    for _ in range(MOST_TRIES):
        assert not record.busy
        connection.receive(METADATA)
    assert record.busy > MOST_TRIES


def leader_and_error(first: Scripted, connection: Scripted) -> tuple[int, int]:
    """Who leads the partition, as the first broker tells it, and the error of ListOffsets on a connection."""
    (leader,) = struct.unpack_from(">i", first.receive(ALL_METADATA)[-20:])
    (error,) = struct.unpack_from(">h", connection.receive(OFFSETS)[-18:])
    return leader, error


def test_the_second_broker_leads_and_the_first_one_answers_what_it_has_to() -> None:
    first, second, record = two_opened(Fixed(Reply(b"abc")))
    assert leader_and_error(first, second) == (1, 0)
    assert leader_and_error(first, first) == (1, 6)
    assert first.receive(ASK) != second.receive(ASK) == b"abc"
    assert +record.answered == {(1, 18): 1}
    assert {(event.connection, event.node) for event in record.events} == {(1, 0), (2, 1)}


def test_a_frame_without_a_header_closes() -> None:
    connection, record = opened()
    assert connection.receive(bytes.fromhex("00000002 0012")) == b""
    assert connection.closed
    assert [event.kind for event in record.events] == ["opened", "request", "closed"]


def test_the_second_broker_hands_over_with_a_request_and_refuses_it() -> None:
    first, second, _ = two_opened(Fixed(hands_over=2))
    second.receive(ASK)
    assert leader_and_error(first, second) == (1, 6)
    assert leader_and_error(first, first) == (0, 0)


def test_a_broker_that_is_gone_answers_on_no_connection_more() -> None:
    first, second, record = two_opened(Fixed(Reply(b"abc", closes=True, gone=True)))
    other = Scripted(second, record, 1)
    assert second.receive(ASK) == b"abc"
    assert (second.closed, first.closed, record.gone) == (True, False, {1})
    assert other.receive(ASK) == b""
    assert other.closed


def test_what_is_asked_of_which_broker_is_told() -> None:
    first, second, record = two_opened(Fixed())
    assert first.receive(ASK)
    assert record.unasked() == "no ApiVersions"
    record.scripts[0].asked = ""  # type: ignore[misc]
    assert record.unasked() == "nothing of the second broker"
    second.receive(METADATA)
    assert record.unasked() == "no ApiVersions of the second broker"
