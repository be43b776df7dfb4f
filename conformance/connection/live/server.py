"""A broker of the reference's behind a socket, for people and their clients: many connections, one thread.

The broker has neither sockets nor a clock (`reference.peers.connection`). After each event all connections are asked
what they have to send: bytes on one may be what a fetch on another waits for. Only loopback is listened on, at one port
or, for several brokers, at more. What waits, in both directions and over all connections, is bounded, and so are the
connections.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Self

from wireproof.errors import WireproofError
from wireproof.reference.peers.connection import Connection

#: So many connections at most; the next one is accepted once one is closed.
MOST_CONNECTIONS = 512
#: So many bytes at most are held for all connections together; who brings more is closed.
MOST_HELD = 256 << 20
#: A connection with so many bytes unread by its client, or not yet answered, is not read from.
MOST_WAITING = 1 << 20
_PIECE, _MOST_SENT = 1 << 16, 1 << 20
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


#: Gives a broker's side of a new connection; None: nobody listens there any more.
Opened = Callable[[], Connection | None]


class ServerError(WireproofError):
    """Nothing can be served."""


@dataclass(eq=False, slots=True)
class _Client:
    """A connection and its socket. `sent`: what the client has not taken yet; `ended`: it sends no more; `watched`: the
    events for which its socket is registered."""

    socket: socket.socket
    broker: Connection
    sent: bytearray = field(default_factory=bytearray)
    ended: bool = False
    watched: int = 0

    @property
    def held(self) -> int:
        return len(self.sent) + self.broker.held

    @property
    def events(self) -> int:
        """What its socket has to be watched for."""
        behind = self.broker.deadline is not None and self.broker.held >= MOST_WAITING
        reads = not (self.ended or self.broker.closed or behind or len(self.sent) >= MOST_WAITING)
        return (_READ if reads else 0) | (_WRITE if self.sent else 0)

    @property
    def over(self) -> bool:
        """Whether nothing more will be sent."""
        return not self.sent and (self.broker.closed or (self.ended and self.broker.deadline is None))


@dataclass(eq=False, slots=True)
class _Port:
    """A port that is listened on. `watched`: whether its socket is registered."""

    socket: socket.socket
    broker: Opened
    watched: bool = False


class Server:
    """Listens at 127.0.0.1. Use it as a context manager: at its end all sockets are closed."""

    def __init__(self, port: int) -> None:
        """`port`: 0 for one that is free. Raises ServerError."""
        self._first = _listening(port)
        self._others: list[_Port] = []
        self._selector = selectors.DefaultSelector()
        self._clients: set[_Client] = set()
        # The wall clock, but it never jumps.
        self._began = time.time() - time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        self._first.close()
        for port in self._others:
            port.socket.close()
        for client in self._clients:
            client.socket.close()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return _number(self._first)

    def also(self, broker: Opened) -> int:
        """Listen at one more port, for another broker: its number. Raises ServerError."""
        self._others.append(_Port(_listening(0), broker))
        return _number(self._others[-1].socket)

    @property
    def _now(self) -> float:
        """The time in ms since 1970."""
        return 1000 * (self._began + time.monotonic())

    def run(self, broker: Opened, until: int | None = None) -> None:
        """Serve. `broker`: that at the first port; `until`: a file descriptor at whose end this ends."""
        if until is not None:
            self._selector.register(until, _READ)
        ports = [_Port(self._first, broker), *self._others]
        while True:
            self._watch(ports)
            for key, events in self._selector.select(self._seconds()):
                if isinstance(key.data, _Client):
                    self._advance(key.data, events)
                elif isinstance(key.data, _Port):
                    if not self._accept(key.data):
                        ports.remove(key.data)
                elif not os.read(key.fd, _PIECE):
                    return
            for client in [one for one in self._clients if one.broker.deadline is not None]:
                if len(client.sent) < MOST_WAITING:
                    client.sent += client.broker.poll(self._now)
            self._close_some()

    def _watch(self, ports: Iterable[_Port]) -> None:
        """Watch each socket for what can be done with it."""
        for client in self._clients:
            if (events := client.events) != client.watched:
                self._change(client.socket, client.watched, events, client)
                client.watched = events
        accepts = len(self._clients) < MOST_CONNECTIONS
        for port in ports:
            if accepts is not port.watched:
                self._change(port.socket, _READ if port.watched else 0, _READ if accepts else 0, port)
                port.watched = accepts

    def _change(self, watched: socket.socket, before: int, now: int, data: object) -> None:
        if not before:
            self._selector.register(watched, now, data)
        elif not now:
            self._selector.unregister(watched)
        else:
            self._selector.modify(watched, now, data)

    def _seconds(self) -> float | None:
        """How long nothing has to be done, unless something comes."""
        awaited = (one.broker.deadline for one in self._clients if len(one.sent) < MOST_WAITING)
        first = min((deadline for deadline in awaited if deadline is not None), default=None)
        return None if first is None else max(0.0, (first - self._now) / 1000)

    def _accept(self, port: _Port) -> bool:
        """Accept a connection; false: nobody listens at this port any more."""
        # The client may be gone already.
        with contextlib.suppress(OSError):
            accepted, _ = port.socket.accept()
            broker = port.broker()
            if broker is None:
                accepted.close()
                self._selector.unregister(port.socket)
                port.socket.close()
                return False
            accepted.setblocking(False)
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._clients.add(_Client(accepted, broker))
        return True

    def _advance(self, client: _Client, events: int) -> None:
        """Send and receive what the socket is ready for."""
        try:
            if events & _WRITE and client.sent:
                del client.sent[: client.socket.send(memoryview(client.sent)[:_MOST_SENT])]
            if events & _READ:
                piece = client.socket.recv(_PIECE)
                client.ended = not piece
                client.sent += client.broker.receive(piece, self._now)
        except BlockingIOError:
            return
        except OSError:  # a reset
            self._drop(client)

    def _close_some(self) -> None:
        """Close the connections that are over, and the largest ones while too much is held."""
        for client in [one for one in self._clients if one.over]:
            # So that the client reads an end: where something is unread, `close` alone is a reset.
            with contextlib.suppress(OSError):
                client.socket.shutdown(socket.SHUT_WR)
            self._drop(client)
        while sum(one.held for one in self._clients) > MOST_HELD:
            self._drop(max(self._clients, key=lambda one: one.held))

    def _drop(self, client: _Client) -> None:
        if client.watched:
            self._selector.unregister(client.socket)
        client.socket.close()
        self._clients.discard(client)


def _listening(port: int) -> socket.socket:
    """A socket that listens at a port; 0: one that is free. Raises ServerError."""
    try:
        listening = socket.create_server(("127.0.0.1", port), backlog=MOST_CONNECTIONS)
    except (OSError, OverflowError) as error:
        raise ServerError(f"port {port} can't be listened on: {error}") from None
    listening.setblocking(False)
    return listening


def _number(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])
