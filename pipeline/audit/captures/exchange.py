"""The requests and responses of one connection, matched by correlation id, and judged.

A response is read as the answer to the request with its correlation id, in that request's version; so pipelined
requests need no order. The records in a Produce request and in an answer to Fetch are read too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wireproof.conformance.oracle.codec import reference_codec
from wireproof.pipeline.audit.findings import LogReason, Trouble, Verdict, failed, refused
from wireproof.pipeline.audit.reading import Reading
from wireproof.reference import DecodeError, Reason
from wireproof.reference.peers.framing import MAX_FRAME, SIZE_BYTES, needed

_DIALECT = "kafka"
#: The bytes of a request that say what it is: size, api key, version, correlation id.
TELLING = 12
_PRODUCE = 0
#: Apis with records: in the request, in the response.
_RECORDS_IN = {"request": {_PRODUCE}, "response": {1, 78}}


@dataclass(slots=True)
class Frame:
    """A frame. `connection`: None for a file without packets. `offset`: of its size, in the stream of its direction.
    `time`: when its last byte was captured, in milliseconds since 1970. `content` begins after the size."""

    connection: str | None
    direction: str
    offset: int
    time: int | None
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


@dataclass(slots=True)
class Stream:
    """One direction. `buffer` holds what is no whole frame yet, and begins at `offset`. `time`: of its last bytes.
    `ended`: a size was refused, so nothing after it can be read. `lost`: the bytes that follow are not there."""

    direction: str
    buffer: bytearray = field(default_factory=bytearray)
    offset: int = 0
    time: int | None = None
    ended: bool = False
    lost: bool = False


class Exchange:
    """The frames of a connection, whose bytes come in any pieces."""

    def __init__(self, connection: str | None, reading: Reading) -> None:
        self.requests, self.responses = Stream("request"), Stream("response")
        self._connection = connection
        self._reading = reading
        self._asked: dict[int, deque[Frame]] = {}
        self._early: dict[int, deque[Frame]] = {}

    def add(self, stream: Stream, content: bytes | bytearray, time: int | None = None) -> Iterator[Frame]:
        """The frames whose verdicts are known with these bytes."""
        if stream.ended:
            return
        stream.buffer += content
        stream.time = time
        while True:
            try:
                if needed(stream.buffer):
                    return
            except DecodeError as error:
                frame = self._frame(stream, bytes(stream.buffer[: SIZE_BYTES + 8]))
                frame.trouble = refused(error, stream.offset)
                stream.ended = True
                yield frame
                return
            end = SIZE_BYTES + int.from_bytes(stream.buffer[:SIZE_BYTES], "big")
            frame = self._frame(stream, bytes(stream.buffer[:end]))
            del stream.buffer[:end]
            stream.offset += end
            yield from self._request(frame) if stream is self.requests else self._response(frame)

    def _frame(self, stream: Stream, sized: bytes) -> Frame:
        return Frame(self._connection, stream.direction, stream.offset, stream.time, sized[SIZE_BYTES:])

    def _request(self, frame: Frame) -> Iterator[Frame]:
        value = _judge_request(frame, self._reading)
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
        _judge_response(frame, self._reading)
        yield request
        yield frame

    def end(self, *, whole: bool) -> Iterator[Frame]:
        """What is left when no more bytes come. `whole`: all bytes of the connection were there, so a response without
        a request is wrong."""
        for requests in self._asked.values():
            for request in requests:
                if request.trouble is None:
                    detail = "its response is not in the capture"
                    request.trouble = Trouble(Verdict.UNMATCHED, LogReason.UNMATCHED, request.offset, detail)
                yield request
        unasked = (response for responses in self._early.values() for response in responses)
        for response in sorted(unasked, key=lambda one: one.offset):
            verdict = Verdict.FAIL if whole else Verdict.UNMATCHED
            detail = f"no request has its correlation id, {response.correlation_id}"
            response.trouble = Trouble(verdict, LogReason.UNMATCHED, response.offset + SIZE_BYTES, detail)
            yield response
        for stream in (self.requests, self.responses):
            if not stream.ended and (stream.buffer or stream.lost):
                frame = self._frame(stream, bytes(stream.buffer))
                lost = "the capture has lost the bytes that follow"
                detail = lost if stream.lost else f"{len(stream.buffer)} bytes of a frame are there"
                frame.trouble = Trouble(Verdict.TORN, Reason.TRUNCATED, stream.offset, detail)
                yield frame


def _kafka() -> Any:
    return reference_codec().dialect(_DIALECT)


def _judge_request(frame: Frame, reading: Reading) -> Mapping[str, Any] | None:
    """Set the request's api, version, id and trouble. Returns its value, None if it is refused."""
    head = frame.content[:8]
    if len(head) == 8:
        frame.api_key, frame.version = (int.from_bytes(head[at : at + 2], "big", signed=True) for at in (0, 2))
        frame.correlation_id = int.from_bytes(head[4:8], "big", signed=True)
    return _read(frame, "RequestFrame", None, reading)


def _judge_response(frame: Frame, reading: Reading) -> None:
    answer = _kafka().answer_type(frame.api_key, frame.version, frame.content)
    if answer is None:
        detail = f"an answer to a request of the unknown api {frame.api_key}"
        frame.trouble = failed(Reason.UNKNOWN_API, frame.offset, detail)
        return
    type_name, version, _ = answer
    _read(frame, type_name, version, reading)


def _read(frame: Frame, type_name: str, version: int | None, reading: Reading) -> Mapping[str, Any] | None:
    sized = len(frame.content).to_bytes(SIZE_BYTES, "big") + frame.content
    value: Mapping[str, Any] | None
    value, frame.trouble = reading.read(type_name, sized, frame.offset, version)
    if value is not None and frame.api_key in _RECORDS_IN[frame.direction]:
        frame.trouble = _judge_records(frame, value, reading) or frame.trouble
    return value


def _judge_records(frame: Frame, value: Any, reading: Reading) -> Trouble | None:
    """The trouble of the first record set that is refused, else of the first contested one."""
    contested = None
    for records in _record_sets(value):
        start = frame.offset + SIZE_BYTES + max(0, frame.content.find(records))
        _, trouble = reading.read("RecordSet", records, start)
        if trouble is not None and trouble.unread:
            return trouble
        contested = contested or trouble
    return contested


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


def is_request(buffer: bytearray) -> bool:
    """Whether these bytes begin as a request frame of a known api and version."""
    size, api_key, version = (
        int.from_bytes(buffer[start:end], "big", signed=True) for start, end in ((0, 4), (4, 6), (6, 8))
    )
    if not 8 <= size <= MAX_FRAME or api_key not in _kafka().apis():
        return False
    versions = _kafka().api_versions(api_key)
    return versions is not None and versions[0] <= version <= versions[1]
