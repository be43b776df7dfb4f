"""The proxy that alters nothing: bytes, ends and resets pass, and a slow client holds up nobody else."""

from __future__ import annotations

import random
import socket
import threading
import time

import pytest
from support.peers import echo, listening, proxied, received, reset

from wireproof.conformance.connection.live import proxy as live
from wireproof.conformance.connection.live.proxy import Address, Event, Proxy, ProxyError


def opened(address: Address) -> socket.socket:
    connection = socket.create_connection(address)
    connection.settimeout(10)
    return connection


def send_all(client: socket.socket, data: bytes) -> None:
    client.sendall(data)
    client.shutdown(socket.SHUT_WR)


def test_bytes_pass_in_both_directions_and_are_told() -> None:
    """More than what may wait, whatever they are."""
    data = random.Random(1).randbytes(3 << 20)
    told: list[tuple[Event, bool, bytes]] = []

    def tell(event: Event, _: Address, by_client: bool, piece: bytes) -> None:
        told.append((event, by_client, piece))

    with listening(echo) as to, proxied(to, tell) as address, opened(address) as client:
        sender = threading.Thread(target=send_all, args=(client, data))
        sender.start()
        assert received(client) == data
        sender.join()
    assert [event for event, *_ in told if event is not Event.BYTES] == [Event.OPENED, Event.ENDED, Event.ENDED]
    for side in (True, False):
        assert b"".join(piece for event, by, piece in told if event is Event.BYTES and by is side) == data


def test_one_side_may_end_before_the_other() -> None:
    """The broker answers after the client has said that it sends no more."""

    def late(broker: socket.socket) -> None:
        broker.sendall(received(broker)[::-1])

    with listening(late) as to, proxied(to) as address, opened(address) as client:
        client.sendall(b"abc")
        client.shutdown(socket.SHUT_WR)
        assert received(client) == b"cba"


@pytest.mark.parametrize("by_client", [True, False])
def test_a_reset_passes(by_client: bool) -> None:
    seen: list[type[BaseException] | None] = []
    done = threading.Event()

    def broker(connection: socket.socket) -> None:
        connection.recv(1)
        if by_client:
            try:
                connection.recv(1)
                seen.append(None)
            except OSError as error:
                seen.append(type(error))
        else:
            reset(connection)
        done.set()

    with listening(broker) as to, proxied(to) as address, opened(address) as client:
        client.sendall(b"a")
        if by_client:
            time.sleep(0.1)
            reset(client)
            client.close()
            assert done.wait(10)
            assert seen == [ConnectionResetError]
        else:
            with pytest.raises(ConnectionResetError):
                client.recv(1)


def test_nobody_listens_there() -> None:
    told: list[Event] = []
    with socket.create_server(("127.0.0.1", 0)) as free:
        to = free.getsockname()
    with (
        proxied(to, lambda event, *_: told.append(event)) as address,
        opened(address) as client,
        pytest.raises(ConnectionResetError),
    ):
        client.recv(1)
    assert told == [Event.OPENED, Event.RESET]


def test_who_does_not_read_holds_up_nobody_and_costs_little() -> None:
    passed = [0]

    def tell(event: Event, client: Address, by_client: bool, data: bytes) -> None:
        passed[0] += 0 if by_client else len(data)

    def floods(connection: socket.socket) -> None:
        if connection.recv(1) == b"f":
            while True:
                connection.sendall(bytes(1 << 16))
        connection.sendall(b"x")

    with listening(floods) as to, proxied(to, tell) as address, opened(address) as mute, opened(address) as other:
        mute.sendall(b"f")
        before = -1
        while passed[0] != before:
            before = passed[0]
            time.sleep(0.3)
        other.sendall(b"o")
        assert other.recv(1) == b"x"
        buffers = 16 << 20  # of the system
        assert passed[0] < live.MOST_WAITING + buffers


def test_more_connections_wait_for_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_CONNECTIONS", 1)
    with listening(echo) as to, proxied(to) as address, opened(address) as first, opened(address) as second:
        second.sendall(b"2")
        first.sendall(b"1")
        assert first.recv(1) == b"1"
        second.settimeout(0.2)
        with pytest.raises(TimeoutError):
            second.recv(1)
        first.close()
        second.settimeout(10)
        assert second.recv(1) == b"2"


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ProxyError, match="can't be listened on"):
        Proxy(taken.getsockname(), ("127.0.0.1", 1))
