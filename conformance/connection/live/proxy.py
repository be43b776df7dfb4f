"""A proxy that alters nothing: it passes on the bytes of many connections, and tells what has passed. One thread.

Bytes are passed on first and told after that. What waits for a reader is bounded: while one side does not take its
bytes, the other one is not read from, so a slow client holds up nobody but its own broker's connection. The end of a
side, and a reset, are passed on too.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Self

from wireproof.errors import WireproofError

#: So many connections at most; the next one is accepted once one is closed.
MOST_CONNECTIONS = 512
#: While so many bytes wait for one side, the other one is not read from.
MOST_WAITING = 1 << 18
_PIECE = 1 << 17
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
#: SO_LINGER with 0 seconds: closing sends a reset.
_RESET = struct.pack("ii", 1, 0)

#: A host's IP address, and a port.
Address = tuple[str, int]


class ProxyError(WireproofError):
    """Nothing can be listened on."""


class Event(Enum):
    """What happens on a connection: it is opened, bytes pass, a side sends no more, it is closed by a reset."""

    OPENED = "opened"
    BYTES = "bytes"
    ENDED = "ended"
    RESET = "reset"


#: What is told: the event, the client's address, whether it came from the client, and the bytes.
Told = Callable[[Event, Address, bool, bytes], None]


@dataclass(eq=False, slots=True)
class _Side:
    """The client's or the broker's side of a connection. `waiting`: bytes that it has not taken yet; `ended`: it sends
    no more; `told`: it knows that the other side sends no more; `watched`: the events of its socket."""

    socket: socket.socket
    client: Address
    is_client: bool
    connected: bool = True
    other: _Side = field(init=False)
    waiting: bytearray = field(default_factory=bytearray)
    ended: bool = False
    told: bool = False
    watched: int = 0

    @property
    def events(self) -> int:
        """What its socket has to be watched for."""
        reads = self.connected and not self.ended and len(self.other.waiting) < MOST_WAITING
        return (_READ if reads else 0) | (_WRITE if self.waiting or not self.connected else 0)


class Proxy:
    """Listens at an address. Use it as a context manager: at its end all sockets are closed."""

    def __init__(self, listen: Address, to: Address) -> None:
        """`listen`: with port 0 for one that is free. Raises ProxyError."""
        try:
            self._listening = socket.create_server(listen, family=_family(listen), backlog=MOST_CONNECTIONS)
        except (OSError, OverflowError) as error:
            raise ProxyError(f"{listen[0]}:{listen[1]} can't be listened on: {error}") from None
        self._listening.setblocking(False)
        self._to = to
        self._tell: Told = lambda *_: None
        self._accepts = False
        self._selector = selectors.DefaultSelector()
        self._sides: set[_Side] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all sockets."""
        self._selector.close()
        self._listening.close()
        for side in self._sides:
            side.socket.close()

    @property
    def address(self) -> Address:
        """Where it listens."""
        host, port, *_ = self._listening.getsockname()
        return host, port

    def run(self, tell: Told, until: int | None = None) -> None:
        """Pass on, and tell what has passed. `until`: a file descriptor at whose end this ends."""
        self._tell = tell
        if until is not None:
            self._selector.register(until, _READ)
        while True:
            accepts = len(self._sides) < 2 * MOST_CONNECTIONS
            if accepts != self._accepts:
                self._watch(self._listening, _READ if self._accepts else 0, _READ if accepts else 0)
                self._accepts = accepts
            for key, events in self._selector.select():
                if isinstance(key.data, _Side):
                    if key.data in self._sides:  # it may have been closed with its other side
                        self._advance(key.data, events)
                elif key.fileobj is self._listening:
                    self._accept()
                elif not os.read(key.fd, _PIECE):
                    return

    def _watch(self, watched: socket.socket, before: int, now: int, data: object = None) -> None:
        if before == now:
            return
        if not before:
            self._selector.register(watched, now, data)
        elif not now:
            self._selector.unregister(watched)
        else:
            self._selector.modify(watched, now, data)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the client may be gone already
            near, (host, port, *_) = self._listening.accept()
            far = socket.socket(_family(self._to))
            sides = _Side(near, (host, port), True), _Side(far, (host, port), False, connected=False)
            sides[0].other, sides[1].other = sides[1], sides[0]
            self._sides.update(sides)
            self._tell(Event.OPENED, (host, port), True, b"")
            for side in sides:
                side.socket.setblocking(False)
                side.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            far.connect_ex(self._to)
            self._settle(sides[0])

    def _advance(self, side: _Side, events: int) -> None:
        """Connect, send and receive what the socket is ready for."""
        try:
            side.connected = True  # or refused: then the first call raises that
            if events & _WRITE and side.waiting:
                del side.waiting[: side.socket.send(side.waiting)]
            if events & _READ and not side.ended:
                self._receive(side)
            self._settle(side)
        except BlockingIOError:
            self._settle(side)
        except OSError:  # a reset, or nobody listens there
            self._reset(side)

    def _receive(self, side: _Side) -> None:
        piece = side.socket.recv(_PIECE)
        if not piece:
            side.ended = True
            self._tell(Event.ENDED, side.client, side.is_client, b"")
            return
        other, sent = side.other, 0
        try:
            if other.connected and not other.waiting:
                with contextlib.suppress(BlockingIOError):
                    sent = other.socket.send(piece)
            other.waiting += memoryview(piece)[sent:]
        finally:
            self._tell(Event.BYTES, side.client, side.is_client, piece)

    def _settle(self, side: _Side) -> None:
        """Pass on the ends of both sides, and watch them for what can be done now."""
        pair = side, side.other
        for one in pair:
            if one.other.ended and one.connected and not one.waiting and not one.told:
                one.told = True
                with contextlib.suppress(OSError):
                    one.socket.shutdown(socket.SHUT_WR)
        if all(one.told for one in pair):
            self._drop(side)
            return
        for one in pair:
            events = one.events
            self._watch(one.socket, one.watched, events, one)
            one.watched = events

    def _reset(self, side: _Side) -> None:
        self._tell(Event.RESET, side.client, side.is_client, b"")
        for one in (side, side.other):
            with contextlib.suppress(OSError):
                one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._drop(side)

    def _drop(self, side: _Side) -> None:
        for one in (side, side.other):
            self._watch(one.socket, one.watched, 0)
            one.socket.close()
            self._sides.discard(one)


def _family(address: Address) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address[0] else socket.AF_INET
