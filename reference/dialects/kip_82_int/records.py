"""What applications and their interceptors hold: a producer's record, whose headers can be set, and a consumer's, whose
headers can't be changed.

    record = ProducerRecord("orders", value=b"…")
    record.set_header(0x00100010, b"trace")                 # setHeader(int, byte[]) of the draft
    record.get_header(0x00100010)                           # getHeader(int): the bytes, None if there are none

Values are bytes. What they mean is the matter of the plugin that has the key: a `HeaderPlugin` turns what it likes into
bytes and back; an interceptor sets or sees headers of every record.
Source: KIP-82 with int keys, Public Interfaces 2, 3 and 7; R-82i-8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from reference.dialects.kip_82_int.headers import Header, checked
from reference.dialects.kip_82_int.messages import HEADERS_FLAG, MAGIC
from reference.records.compression import MASK
from reference.records.convert import LOG_APPEND_TIME, NO_TIMESTAMP

T = TypeVar("T")


class ProducerRecord:
    """A record to be sent. `value` None is a tombstone, which may carry headers as any other record."""

    def __init__(
        self,
        topic: str,
        *,
        value: bytes | None,
        key: bytes | None = None,
        partition: int | None = None,
        timestamp: int | None = None,
        headers: Iterable[Header] = (),
    ) -> None:
        self.topic = topic
        self.partition = partition
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self._headers: dict[int, bytes] = {}
        for header in headers:
            self.set_header(*header)

    @property
    def headers(self) -> Mapping[int, bytes]:
        """The headers, in the order of their keys; to be changed by `set_header` alone."""
        return _sorted(self._headers)

    def set_header(self, key: int, value: bytes) -> None:
        """Set a header; one that has this key already is replaced. Raises EncodeError for what is no int32, or no
        bytes."""
        key, value = checked((key, value))
        self._headers[key] = value

    def get_header(self, key: int) -> bytes | None:
        return self._headers.get(key)


@dataclass(frozen=True, slots=True)
class ConsumerRecord:
    """A record that was read. Neither it nor its headers can be changed.

    `timestamp` is −1 for a message of magic 0; `log_append_time` says whose time it is.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    log_append_time: bool
    key: bytes | None
    value: bytes | None
    headers: Mapping[int, bytes] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", _sorted(self.headers))

    def get_header(self, key: int) -> bytes | None:
        return self.headers.get(key)


def _sorted(headers: Mapping[int, bytes]) -> Mapping[int, bytes]:
    return MappingProxyType(dict(sorted(headers.items())))


# --- Interceptors and plugins -----------------------------------------------------------------------------------------


class ProducerInterceptor(Protocol):
    """Sees every record before it is sent."""

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """The record, with headers set or not; or another one."""
        ...


class ConsumerInterceptor(Protocol):
    """Sees every record before the application does."""

    def on_consume(self, record: ConsumerRecord) -> ConsumerRecord:
        """The record, or another one with the same headers."""
        ...


@dataclass(frozen=True)
class HeaderPlugin(Generic[T]):
    """What has a header key to itself: how its values become bytes, and bytes its values."""

    key: int
    serialize: Callable[[T], bytes]
    deserialize: Callable[[bytes], T]

    def set_on(self, record: ProducerRecord, value: T) -> None:
        record.set_header(self.key, self.serialize(value))

    def get_from(self, record: ProducerRecord | ConsumerRecord) -> T | None:
        """None when the record has no such header."""
        found = record.get_header(self.key)
        return None if found is None else self.deserialize(found)


class HeadersChangedError(TypeError):
    """An interceptor of a consumer gave back a record with other headers."""


# --- Records and messages ---------------------------------------------------------------------------------------------


def send(record: ProducerRecord, interceptors: Iterable[ProducerInterceptor] = (), *, now: int) -> dict[str, Any]:
    """The message of a record, once the interceptors have had it, in their order. `now`: the timestamp in milliseconds
    of a record that has none. Its offset is 0: a broker gives it another one."""
    for interceptor in interceptors:
        record = interceptor.on_send(record)
    headers = list(record.headers.items())
    return {
        "offset": 0,
        "magic": MAGIC,
        "attributes": HEADERS_FLAG if headers else 0,
        "timestamp": now if record.timestamp is None else record.timestamp,
        "key": record.key,
        "headers": headers,
        "value": record.value,
    }


def receive(
    message: Mapping[str, Any], topic: str, partition: int, interceptors: Iterable[ConsumerInterceptor] = ()
) -> list[ConsumerRecord]:
    """The records of a message of any magic, or of a wrapper, once the interceptors have had each. An older message has
    no headers (R-82i-9). Raises HeadersChangedError."""
    found = []
    wrapper = message if "messages" in message else None
    for inner in message.get("messages", (message,)):
        record = _record(inner, wrapper, topic, partition)
        for interceptor in interceptors:
            headers = record.headers
            record = interceptor.on_consume(record)
            if record.headers != headers:
                raise HeadersChangedError(f"{type(interceptor).__name__} changed headers; a consumer's are immutable")
        found.append(record)
    return found


def _record(
    message: Mapping[str, Any], wrapper: Mapping[str, Any] | None, topic: str, partition: int
) -> ConsumerRecord:
    outer = wrapper or message
    appended = outer["magic"] > 0 and bool(outer["attributes"] & LOG_APPEND_TIME)
    timed = outer if appended else message  # the time of appending is the wrapper's (KIP-32)
    return ConsumerRecord(
        topic,
        partition,
        message["offset"],
        timed.get("timestamp", NO_TIMESTAMP),
        appended,
        message["key"],
        message["value"],
        MappingProxyType(dict(message["headers"])),
    )


def wrap(messages: Iterable[Mapping[str, Any]], codec: int) -> dict[str, Any]:
    """A compressed wrapper around messages of magic 2, with the last one's offset and the greatest timestamp. The
    messages carry the headers, the wrapper none (R-82i-11). Raises ValueError for no messages, or no codec."""
    inner = [dict(message) for message in messages]
    if not inner or not codec & MASK == codec != 0:
        raise ValueError("a wrapper has a codec from 1 to 3, and at least one message")
    return {
        "offset": inner[-1]["offset"],
        "magic": MAGIC,
        "attributes": codec,
        "timestamp": max(message["timestamp"] for message in inner),
        "key": None,
        "headers": [],
        "messages": inner,
    }
