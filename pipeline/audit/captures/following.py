"""Judges a recording while it grows, at its own pace: what is not judged yet waits in the file, not in memory.

A connection is judged no more, and its bytes are told, when it is encrypted, or when it holds too much: a frame that is
announced large, requests without answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wireproof.conformance.connection.live.proxy import Address, Event
from wireproof.pipeline.audit.captures.exchange import Exchange, Frame
from wireproof.pipeline.audit.captures.recording import Recorded
from wireproof.pipeline.audit.findings import Verdict
from wireproof.pipeline.audit.reading import USUAL
from wireproof.reference.peers.framing import SIZE_BYTES

#: So many bytes at most are held of all connections together.
MOST_HELD = 256 << 20
#: How a connection with TLS begins: a record of a handshake, of version 3.x.
_TLS = b"\x16\x03"
ENCRYPTED, TOO_MUCH, AFTER_SIZE = (
    "of connections that are encrypted",
    "of connections that hold too much without an answer",
    "behind a size that no frame has",
)


@dataclass(slots=True)
class _Connection:
    """A connection. `unjudged`: why it is judged no more. `held`: the bytes without a verdict. `ended`: the sides that
    send no more."""

    exchange: Exchange
    unjudged: str | None = None
    held: int = 0
    ended: set[bool] = field(default_factory=set)


#: The name of an api (None where it is not known), its version, the frame's direction, and the verdict.
Kind = tuple[str | None, int | None, str, Verdict]


class Follower:
    """Judges what a recording tells. `broker`: its address, as shown. `counts`: frames that have a verdict.
    `unjudged_bytes`: those that have none, by the reason."""

    def __init__(self, broker: str) -> None:
        self._broker = broker
        self._connections: dict[Address, _Connection] = {}
        self._held = 0
        self.connections = 0
        self.counts: Counter[Kind] = Counter()
        self.judged_bytes = 0
        self.unjudged_bytes: Counter[str] = Counter()

    def add(self, recorded: Recorded) -> Iterator[Frame]:
        """The frames whose verdicts are known with this event."""
        if recorded.event is Event.OPENED:
            self.connections += 1
            name = f"{shown(recorded.client)} > {self._broker}"
            self._connections[recorded.client] = _Connection(Exchange(name, USUAL))
            return
        connection = self._connections[recorded.client]
        if recorded.event is Event.BYTES:
            yield from self._bytes(connection, recorded)
            return
        connection.ended.add(recorded.from_client)
        if recorded.event is Event.RESET or len(connection.ended) == 2:
            yield from self._end(self._connections.pop(recorded.client))

    def end(self) -> Iterator[Frame]:
        """The frames of connections that are still open."""
        while self._connections:
            yield from self._end(self._connections.popitem()[1])

    def _bytes(self, connection: _Connection, recorded: Recorded) -> Iterator[Frame]:
        exchange = connection.exchange
        stream = exchange.requests if recorded.from_client else exchange.responses
        if recorded.from_client and not stream.offset and not stream.buffer and recorded.data.startswith(_TLS):
            connection.unjudged = ENCRYPTED
        if stream.ended:
            self.unjudged_bytes[AFTER_SIZE] += len(recorded.data)
            return
        connection.held += len(recorded.data)
        self._held += len(recorded.data)
        if connection.unjudged is None:
            yield from self._judged(connection, exchange.add(stream, recorded.data))
        else:
            self._give_up(connection, connection.unjudged)
        while self._held > MOST_HELD:
            self._give_up(max(self._connections.values(), key=lambda one: one.held), TOO_MUCH)

    def _judged(self, connection: _Connection, frames: Iterable[Frame]) -> Iterator[Frame]:
        for frame in frames:
            size = SIZE_BYTES + len(frame.content)
            connection.held -= size
            self._held -= size
            self.judged_bytes += size
            self.counts[frame.api, frame.version, frame.direction, frame.verdict] += 1
            yield frame

    def _give_up(self, connection: _Connection, why: str) -> None:
        self.unjudged_bytes[why] += connection.held
        self._held -= connection.held
        connection.held = 0
        connection.unjudged = why
        connection.exchange = Exchange(None, USUAL)

    def _end(self, connection: _Connection) -> Iterator[Frame]:
        if connection.unjudged is None:
            # The recording has every byte, so a response that nobody asked for is wrong.
            yield from self._judged(connection, connection.exchange.end(whole=True))
            if connection.held > 0:
                self._give_up(connection, AFTER_SIZE)


def shown(address: Address) -> str:
    """An address for a person."""
    return f"[{address[0]}]:{address[1]}" if ":" in address[0] else f"{address[0]}:{address[1]}"
