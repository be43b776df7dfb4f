"""The records of applications and interceptors: headers can be set in a producer's, and never changed in a consumer's.

    record = IntKeyProducerRecord("orders", value=b"…")
    record.set_header(0x00100010, b"trace")                 # setHeader(int, byte[]) of the draft
    record.get_header(0x00100010)                           # getHeader(int): the bytes, None if there are none

Values are bytes. Each key belongs to a plugin, which knows their meaning: a `HeaderPlugin` converts its values to bytes
and back; an interceptor sees every record, and can set headers. This is the proposal's text as code: no bytes depend
on it, so the kit asks for nothing of it.
Source: KIP-82 with int keys, Public Interfaces 2, 3 and 7; R-82i-8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from wireproof.reference.dialects.kip_82_int.headers import Header, checked
from wireproof.reference.dialects.kip_82_int.messages import HEADERS_FLAG, MAGIC
from wireproof.reference.records import LOG_APPEND_TIME
from wireproof.reference.records.compression import MASK
from wireproof.reference.records.convert import NO_TIMESTAMP

T = TypeVar("T")


class IntKeyProducerRecord:
    """A record to be sent. With `value` None it is a tombstone, which may have headers too."""

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
        """The headers, sorted by key. Only `set_header` changes them."""
        return _sorted(self._headers)

    def set_header(self, key: int, value: bytes) -> None:
        """Set a header, or replace the one with this key. Raises EncodeError for a key that is no int32, or a value
        that is no bytes."""
        key, value = checked((key, value))
        self._headers[key] = value

    def get_header(self, key: int) -> bytes | None:
        return self._headers.get(key)


@dataclass(frozen=True, slots=True)
class IntKeyConsumerRecord:
    """A record that was read. Neither it nor its headers can be changed.

    `timestamp` is −1 for a message of magic 0; `log_append_time`: it is the broker's time, not the producer's.
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

    def on_send(self, record: IntKeyProducerRecord) -> IntKeyProducerRecord:
        """The record to send: this one, perhaps with more headers, or another one."""
        ...


class ConsumerInterceptor(Protocol):
    """Sees every record before the application does."""

    def on_consume(self, record: IntKeyConsumerRecord) -> IntKeyConsumerRecord:
        """The record, or another one with the same headers."""
        ...


@dataclass(frozen=True)
class HeaderPlugin(Generic[T]):
    """The owner of a header key: converts its values to bytes and back."""

    key: int
    serialize: Callable[[T], bytes]
    deserialize: Callable[[bytes], T]

    def set_on(self, record: IntKeyProducerRecord, value: T) -> None:
        record.set_header(self.key, self.serialize(value))

    def get_from(self, record: IntKeyProducerRecord | IntKeyConsumerRecord) -> T | None:
        """None when the record has no such header."""
        value = record.get_header(self.key)
        return None if value is None else self.deserialize(value)


class HeadersChangedError(TypeError):
    """A consumer's interceptor returned a record with other headers."""


# --- Records and messages ---------------------------------------------------------------------------------------------


def send(record: IntKeyProducerRecord, interceptors: Iterable[ProducerInterceptor] = (), *, now: int) -> dict[str, Any]:
    """The message of a record, after the interceptors have run in order. `now`: the timestamp in milliseconds for a
    record without one. The offset is 0; a broker assigns another."""
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
) -> list[IntKeyConsumerRecord]:
    """The records of a message of any magic, or of a wrapper, after the interceptors have run on each. An older message
    has no headers (R-82i-9). Raises HeadersChangedError."""
    records = []
    wrapper = message if "messages" in message else None
    for inner in message.get("messages", (message,)):
        record = _record(inner, wrapper, topic, partition)
        for interceptor in interceptors:
            headers = record.headers
            record = interceptor.on_consume(record)
            if record.headers != headers:
                raise HeadersChangedError(f"{type(interceptor).__name__} changed headers; a consumer's are immutable")
        records.append(record)
    return records


def _record(
    message: Mapping[str, Any], wrapper: Mapping[str, Any] | None, topic: str, partition: int
) -> IntKeyConsumerRecord:
    outer = wrapper or message
    appended = outer["magic"] > 0 and bool(outer["attributes"] & LOG_APPEND_TIME)
    timed = outer if appended else message  # the time of appending is the wrapper's (KIP-32)
    return IntKeyConsumerRecord(
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
    """A compressed wrapper around messages of magic 2, with the last one's offset and the greatest timestamp. It has no
    headers; its messages may have some (R-82i-11). Raises ValueError without messages or codec."""
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
