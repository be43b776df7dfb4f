"""The broker's side of a connection where a script says how it answers, without sockets and clocks."""

from __future__ import annotations

from wireproof.conformance.client_run import Reply
from wireproof.conformance.connection.live.scripted import MOST_TRIES, Record, Scripted
from wireproof.reference.dialects import DIALECTS

#: ApiVersions 0, Metadata 0 and Fetch 4 of no topic, without a client id, as whole frames.
ASK = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
METADATA = bytes.fromhex("0000000e 0003 0000 00000002 ffff 00000000")
FETCH = bytes.fromhex("0000001f 0001 0004 00000003 ffff ffffffff 00000000 00000000 00100000 00 00000000")


class Fixed:
    """A script with these replies to ApiVersions, one after another."""

    name, asked = "fixed", "ApiVersions"

    def __init__(self, *replies: Reply) -> None:
        self.apis: dict[int, tuple[int, int]] = {}
        self._replies = replies

    def reply(self, request: bytes, earlier: int, usual: bytes | None) -> Reply | None:
        return self._replies[earlier] if request[:2] == b"\0\x12" and earlier < len(self._replies) else None


def opened(*replies: Reply) -> tuple[Scripted, Record]:
    """A connection of a run with this script."""
    record = Record(Fixed(*replies))
    return Scripted(DIALECTS["kafka"].broker(("127.0.0.1", 9092), {"test": 1})(), record), record


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
