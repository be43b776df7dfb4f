"""The frames in a capture of packets, or in two files with the bytes of a connection's two directions.

A connection in a capture is Kafka's if its first bytes are a request of a known api and version, or if its port was
named. The client is who sent the SYN, or whose first bytes are such a request. `exchange` matches and judges frames.

A response without a request is wrong where the capture has the connection from its beginning; else it is only
`unmatched`, as is a request whose response is not in the capture. Bytes that the capture has lost end the reading of a
direction: its row is a `torn-tail`.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from wireproof.pipeline.audit.captures.exchange import TELLING, Exchange, Frame, Stream, is_request
from wireproof.pipeline.audit.captures.packets import ACK, SYN, TcpSegment, packets, tcp_segment
from wireproof.pipeline.audit.captures.tcp import Direction
from wireproof.pipeline.audit.logs.segments import Bytes
from wireproof.pipeline.audit.reading import USUAL, Reading

Address = tuple[str, int]
#: The bytes that are read of one direction before the other one is read on.
_PIECE = 1 << 16


def frames(data: Bytes, path: str, ports: AbstractSet[int] = frozenset(), reading: Reading = USUAL) -> Iterator[Frame]:
    """The frames of a capture; each when its verdict is known. `ports`: the brokers' ports, if they are known. Raises
    PipelineError for what is no capture, and for one that is cut off."""
    connections: dict[frozenset[Address], _Connection] = {}
    for packet in packets(data, path):
        segment = tcp_segment(packet)
        if segment is None:
            continue
        key = frozenset((segment.source, segment.target))
        connection = connections.get(key)
        if connection is not None and connection.is_new(segment):
            yield from connection.end()
            connection = None
        if connection is None:
            connection = connections[key] = _Connection(segment, ports, reading)
        yield from connection.add(segment)
    for connection in connections.values():
        yield from connection.end()


def stream_frames(requests: Bytes, responses: Bytes, reading: Reading = USUAL) -> Iterator[Frame]:
    """The frames of a connection whose two directions are in two files; either may be empty."""
    exchange = Exchange(None, reading)
    sides = ((exchange.requests, requests), (exchange.responses, responses))
    for start in range(0, max(len(requests), len(responses)), _PIECE):
        for stream, data in sides:
            if start < len(data):
                yield from exchange.add(stream, data[start : start + _PIECE])
    yield from exchange.end(whole=False)


@dataclass(slots=True)
class _Side:
    """One direction of a connection. `early`: its bytes, until it is known whether they are Kafka's."""

    direction: Direction = field(default_factory=Direction)
    early: bytearray = field(default_factory=bytearray)


class _Connection:
    """A connection. `_client`: the client's address, once it is known. `_exchange`: None until the connection is known
    to be Kafka's."""

    def __init__(self, first: TcpSegment, ports: AbstractSet[int], reading: Reading) -> None:
        self._reading = reading
        self._sides = {first.source: _Side(), first.target: _Side()}
        named = bool({first.source[1], first.target[1]} & ports)
        self._ignored = bool(ports) and not named
        self._client: Address | None = None
        self._exchange: Exchange | None = None
        if named:
            self._client = first.source if first.target[1] in ports else first.target
            self._exchange = self._between(self._client)
        elif first.flags & SYN:
            self._client = first.target if first.flags & ACK else first.source

    def is_new(self, segment: TcpSegment) -> bool:
        return self._sides[segment.source].direction.is_new(segment)

    def add(self, segment: TcpSegment) -> Iterator[Frame]:
        side = self._sides[segment.source]
        if self._ignored:
            return
        content = side.direction.add(segment)
        if self._exchange is not None:
            yield from self._exchange.add(self._stream(segment.source), content, segment.time)
            return
        side.early += content
        self._tell()
        if self._exchange is not None:
            for address, one in self._sides.items():
                yield from self._exchange.add(self._stream(address), one.early, segment.time)
                one.early.clear()

    def _tell(self) -> None:
        """Find out whether this is Kafka's, and who is the client."""
        for address, side in self._sides.items():
            if self._client in (None, address) and len(side.early) >= TELLING:
                if is_request(side.early):
                    self._client, self._exchange = address, self._between(address)
                    return
                if self._client == address:
                    self._ignored = True
        self._ignored |= all(len(side.early) >= TELLING for side in self._sides.values())

    def _between(self, client: Address) -> Exchange:
        (broker,) = self._sides.keys() - {client}
        return Exchange(f"{_shown(client)} > {_shown(broker)}", self._reading)

    def _stream(self, address: Address) -> Stream:
        assert self._exchange is not None
        return self._exchange.requests if address == self._client else self._exchange.responses

    def end(self) -> Iterator[Frame]:
        """What is left when the capture or the connection ends."""
        if self._exchange is None:
            return
        for address, side in self._sides.items():
            self._stream(address).lost = side.direction.missing
        directions = [side.direction for side in self._sides.values()]
        whole = all(one.begun and not one.missing for one in directions)
        yield from self._exchange.end(whole=whole)


def _shown(address: Address) -> str:
    return f"[{address[0]}]:{address[1]}" if ":" in address[0] else f"{address[0]}:{address[1]}"
