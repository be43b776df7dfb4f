"""The requests and responses of the connections in a capture, matched by correlation id, and judged.

A response is read as the answer to the request with its correlation id, in that request's version; so pipelined
requests need no order. The records in a Produce request and in an answer to Fetch are read too. A connection is Kafka's
if its first bytes are a request of a known api and version, or if its port was named. The client is who sent the SYN,
or whose first bytes are such a request.

A response without a request is wrong where the capture has the connection from its beginning; else it is only
`unmatched`, as is a request whose response is not in the capture. Bytes that the capture has lost end the reading of a
direction: its row is a `torn-tail`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from conformance.reference_codec import reference_codec
from pipeline.audit.batches import REFERENCE
from pipeline.audit.findings import LogReason, Trouble, Verdict, failed, refused
from pipeline.audit.packets import ACK, SYN, TcpSegment, packets, tcp_segment
from pipeline.audit.segments import Bytes
from pipeline.audit.tcp import Direction
from reference import DecodeError, Reason
from reference.framing import MAX_FRAME, SIZE_BYTES, needed

_DIALECT = "kafka"
#: The bytes of a request that say what it is: size, api key, version, correlation id.
_TELLING = 12
_PRODUCE = 0
#: Apis with records: in the request, in the response.
_RECORDS_IN = {"request": {_PRODUCE}, "response": {1, 78}}

Address = tuple[str, int]


@dataclass(slots=True)
class Frame:
    """A frame. `offset`: of its size, in the stream of its direction. `content` begins after the size."""

    connection: str
    direction: str
    offset: int
    time: int
    content: bytes
    api_key: int | None = None
    version: int | None = None
    correlation_id: int | None = None
    trouble: Trouble | None = None

    @property
    def api(self) -> str | None:
        """The api's name."""
        return None if self.api_key is None else _kafka().apis().get(self.api_key)

    @property
    def verdict(self) -> Verdict:
        """As in the table."""
        return Verdict.PASS if self.trouble is None else self.trouble.verdict


def frames(data: Bytes, path: str, ports: AbstractSet[int] = frozenset()) -> Iterator[Frame]:
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
            connection = connections[key] = _Connection(segment, ports)
        yield from connection.add(segment)
    for connection in connections.values():
        yield from connection.end()


@dataclass(slots=True)
class _Side:
    """One direction of a connection. `buffer` holds what is no whole frame yet, and begins at `offset`."""

    direction: Direction = field(default_factory=Direction)
    buffer: bytearray = field(default_factory=bytearray)
    offset: int = 0
    ended: bool = False
    time: int = 0


class _Connection:
    """A connection. `_client`: the client's address, once it is known."""

    def __init__(self, first: TcpSegment, ports: AbstractSet[int]) -> None:
        self._sides = {first.source: _Side(), first.target: _Side()}
        self._named = bool({first.source[1], first.target[1]} & ports)
        self._ignored = bool(ports) and not self._named
        self._client: Address | None = None
        if self._named:
            self._client = first.source if first.target[1] in ports else first.target
        elif first.flags & SYN:
            self._client = first.target if first.flags & ACK else first.source
        self._told = self._named  # whether it is known to be Kafka's
        self._asked: dict[int, deque[Frame]] = {}
        self._early: dict[int, deque[Frame]] = {}

    def is_new(self, segment: TcpSegment) -> bool:
        return self._sides[segment.source].direction.is_new(segment)

    def add(self, segment: TcpSegment) -> Iterator[Frame]:
        side = self._sides[segment.source]
        if self._ignored or side.ended:
            return
        side.time = segment.time
        side.buffer += side.direction.add(segment)
        if not self._told:
            self._tell()
        if not self._told:
            return
        for address, one in self._sides.items():
            yield from self._take(one, is_client=address == self._client)

    def _tell(self) -> None:
        """Find out whether this is Kafka's, and who is the client."""
        for address, side in self._sides.items():
            if self._client in (None, address) and len(side.buffer) >= _TELLING:
                if _is_request(side.buffer):
                    self._client, self._told = address, True
                    return
                if self._client == address:
                    self._ignored = True
        self._ignored |= all(len(side.buffer) >= _TELLING for side in self._sides.values())

    def _take(self, side: _Side, *, is_client: bool) -> Iterator[Frame]:
        """The whole frames of a side."""
        while not side.ended:
            try:
                if needed(side.buffer):
                    return
            except DecodeError as error:
                frame = self._frame(side, is_client, bytes(side.buffer[: SIZE_BYTES + 8]))
                frame.trouble = refused(error, side.offset)
                side.ended = True
                yield frame
                return
            end = SIZE_BYTES + int.from_bytes(side.buffer[:SIZE_BYTES], "big")
            frame = self._frame(side, is_client, bytes(side.buffer[:end]))
            del side.buffer[:end]
            side.offset += end
            yield from self._request(frame) if is_client else self._response(frame)

    def _frame(self, side: _Side, is_client: bool, sized: bytes) -> Frame:
        client = self._client or ("", 0)
        (broker,) = self._sides.keys() - {client}
        name = f"{_shown(client)} > {_shown(broker)}"
        return Frame(name, "request" if is_client else "response", side.offset, side.time, sized[SIZE_BYTES:])

    def _request(self, frame: Frame) -> Iterator[Frame]:
        value = _judge_request(frame)
        if frame.correlation_id is None or not _expects_answer(frame, value):
            yield frame
            return
        self._asked.setdefault(frame.correlation_id, deque()).append(frame)
        early = self._early.get(frame.correlation_id)
        if early:
            yield from self._response(early.popleft())

    def _response(self, frame: Frame) -> Iterator[Frame]:
        if len(frame.content) < SIZE_BYTES:
            detail = f"{len(frame.content)} bytes; a response has a correlation id of 4"
            frame.trouble = failed(Reason.TRUNCATED, frame.offset + SIZE_BYTES, detail)
            yield frame
            return
        frame.correlation_id = int.from_bytes(frame.content[:4], "big", signed=True)
        waiting = self._asked.get(frame.correlation_id)
        if not waiting:
            self._early.setdefault(frame.correlation_id, deque()).append(frame)
            return
        request = waiting.popleft()
        frame.api_key, frame.version = request.api_key, request.version
        _judge_response(frame)
        yield request
        yield frame

    def end(self) -> Iterator[Frame]:
        """What is left when the capture or the connection ends."""
        if not self._told:
            return
        for requests in self._asked.values():
            for request in requests:
                if request.trouble is None:
                    detail = "its response is not in the capture"
                    request.trouble = Trouble(Verdict.UNMATCHED, LogReason.UNMATCHED, request.offset, detail)
                yield request
        whole = all(side.direction.begun for side in self._sides.values())
        whole &= not any(side.direction.missing for side in self._sides.values())
        unasked = (response for responses in self._early.values() for response in responses)
        for response in sorted(unasked, key=lambda one: one.offset):
            verdict = Verdict.FAIL if whole else Verdict.UNMATCHED
            detail = f"no request has its correlation id, {response.correlation_id}"
            response.trouble = Trouble(verdict, LogReason.UNMATCHED, response.offset + SIZE_BYTES, detail)
            yield response
        for address, side in self._sides.items():
            if not side.ended and (side.buffer or side.direction.missing):
                frame = self._frame(side, address == self._client, bytes(side.buffer))
                lost = "the capture has lost the bytes that follow"
                detail = lost if side.direction.missing else f"{len(side.buffer)} bytes of a frame are there"
                frame.trouble = Trouble(Verdict.TORN, Reason.TRUNCATED, side.offset, detail)
                yield frame


def _kafka() -> Any:
    return reference_codec().dialect(_DIALECT)


def _shown(address: Address) -> str:
    return f"[{address[0]}]:{address[1]}" if ":" in address[0] else f"{address[0]}:{address[1]}"


def _is_request(buffer: bytearray) -> bool:
    """Whether these bytes begin as a request frame of a known api and version."""
    size, api_key, version = (
        int.from_bytes(buffer[start:end], "big", signed=True) for start, end in ((0, 4), (4, 6), (6, 8))
    )
    if not 8 <= size <= MAX_FRAME or api_key not in _kafka().apis():
        return False
    versions = _kafka().api_versions(api_key)
    return versions is not None and versions[0] <= version <= versions[1]


def _judge_request(frame: Frame) -> Mapping[str, Any] | None:
    """Set the request's api, version, id and trouble. Returns its value, None if it is refused."""
    head = frame.content[:8]
    if len(head) == 8:
        frame.api_key, frame.version = (int.from_bytes(head[at : at + 2], "big", signed=True) for at in (0, 2))
        frame.correlation_id = int.from_bytes(head[4:8], "big", signed=True)
    return _read(frame, "RequestFrame", None)


def _judge_response(frame: Frame) -> None:
    answer = _kafka().answer_type(frame.api_key, frame.version, frame.content)
    if answer is None:
        detail = f"an answer to a request of the unknown api {frame.api_key}"
        frame.trouble = failed(Reason.UNKNOWN_API, frame.offset, detail)
        return
    type_name, version, _ = answer
    _read(frame, type_name, version)


def _read(frame: Frame, type_name: str, version: int | None) -> Mapping[str, Any] | None:
    sized = len(frame.content).to_bytes(SIZE_BYTES, "big") + frame.content
    try:
        value: Mapping[str, Any] = reference_codec().decode(type_name, sized, dialect=_DIALECT, version=version)
    except DecodeError as error:
        frame.trouble = refused(error, frame.offset)
        return None
    if frame.api_key in _RECORDS_IN[frame.direction]:
        frame.trouble = _judge_records(frame, value)
    return value


def _judge_records(frame: Frame, value: Any) -> Trouble | None:
    """The trouble of the first record set that is refused."""
    for records in _record_sets(value):
        try:
            REFERENCE.decode("RecordSet", records, dialect=_DIALECT)
        except DecodeError as error:
            return refused(error, frame.offset + SIZE_BYTES + max(0, frame.content.find(records)))
    return None


def _record_sets(value: Any) -> Iterator[bytes]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name == "Records" and isinstance(item, bytes):
                yield item
            elif isinstance(item, (Mapping, list)):
                yield from _record_sets(item)
    elif isinstance(value, Sequence):
        for item in value:
            if isinstance(item, (Mapping, list)):
                yield from _record_sets(item)


def _expects_answer(frame: Frame, value: Mapping[str, Any] | None) -> bool:
    """A Produce request with acks 0 has no answer."""
    return frame.api_key != _PRODUCE or value is None or value["body"].get("Acks") != 0
