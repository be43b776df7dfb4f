"""Converts messages between magics, as a broker does for older or newer clients.

Up: the messages have no headers; from magic 0 the timestamp is −1. Down: headers are dropped, and their bit is cleared;
to magic 0 the timestamp and its type are dropped too. Values are those of MESSAGE_SET; a wrapper is converted with its
messages, unless the reading keeps its content as bytes.
Source: KIP-82 with int keys, Compatibility, Deprecation, and Migration Plan; KIP-32, which it follows; R-82i-9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_int.messages import (
    HEADERS_FLAG,
    MAGIC,
    MAGIC_AT,
    MAGICS,
    append_message_set,
    read_message_set,
)
from wireproof.reference.errors import shown
from wireproof.reference.records import LOG_APPEND_TIME
from wireproof.reference.records.convert import NO_TIMESTAMP, Converted
from wireproof.reference.rules import Rules

__all__ = ["Converted", "convert", "converted"]

Message = Mapping[str, Any]

#: Name of a target format → its magic.
MAGIC_NAMED: Mapping[str, int] = {f"magic-{magic}": magic for magic in MAGICS}


def converted(data: bytes, to: str, rules: Rules) -> bytes:
    """A MESSAGE_SET, converted to another magic. Raises DecodeError, and NotImplementedError for an unknown format."""
    if to not in MAGIC_NAMED:
        raise NotImplementedError(f"messages are converted to {', '.join(MAGIC_NAMED)}, not to {shown(to)}")
    magic = MAGIC_NAMED[to]
    if rules.same_magic == "passed-on" and _all_of(data, magic):
        return data
    skips = rules.dropped_headers == "skipped" and magic < MAGIC
    messages = read_message_set(Reader(data, rules), skips=skips)
    writer = Writer(rules)
    append_message_set(writer, convert(messages, magic, unpacks=rules.older_wrappers == "messages").entries)
    return bytes(writer.out)


def _all_of(data: bytes, magic: int) -> bool:
    """Whether every message of a set has this magic; nothing else of them is looked at."""
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at + 8 : at + 12], signed=True)
        if data[at + MAGIC_AT : at + MAGIC_AT + 1] != bytes([magic]) or size < 0:
            return False
        at += 12 + size
    return True


def convert(messages: Iterable[Message], magic: int, *, unpacks: bool = False) -> Converted:
    """The messages, of any magics, converted to this one; `lost` lists the data that it can't hold. `unpacks`: in place
    of a wrapper of a higher magic stand its messages (R-82i-16's other reading)."""
    entries: list[dict[str, Any]] = []
    lost: list[str] = []
    for index, message in enumerate(messages):
        lost += [f"message {index}: {what}" for what in _losses(message, magic)]
        own = _unpacked(message) if unpacks and message["magic"] > magic else [message]
        entries += [_converted(one, magic) for one in own]
    return Converted(entries, lost)


def _unpacked(message: Message) -> Iterable[Message]:
    """The messages of a wrapper; a time of appending is the wrapper's (KIP-32). Any other message is itself."""
    inner: Sequence[Message] = message.get("messages", (message,))
    if not message["magic"] or not message["attributes"] & LOG_APPEND_TIME:
        return inner
    time = {"timestamp": message["timestamp"]}
    return [{**one, **time, "attributes": one["attributes"] | LOG_APPEND_TIME} for one in inner]


def _converted(message: Message, magic: int) -> dict[str, Any]:
    old_magic = message["magic"]
    if old_magic == magic:
        return dict(message)
    attributes = message["attributes"]
    if MAGIC in (old_magic, magic):
        attributes &= ~HEADERS_FLAG  # in magic 0 and 1 the bit has no meaning, and messages have no headers
    if 0 in (old_magic, magic):
        attributes &= ~LOG_APPEND_TIME  # so does that of the timestamp's type in magic 0
    entry = {"offset": message["offset"], "magic": magic, "attributes": attributes}
    if magic > 0:
        entry["timestamp"] = message.get("timestamp", NO_TIMESTAMP)
    entry |= {"key": message["key"], "headers": []}
    if "messages" not in message:
        return {**entry, "value": message["value"]}
    inner = [_converted(one, magic) for one in message["messages"]]
    # In magic 0 a wrapper's offset has no meaning; from magic 1 on it is that of its last message, or 0.
    offset = entry["offset"] if old_magic and magic else inner[-1]["offset"]
    return {**entry, "offset": offset, "messages": inner}


def _losses(message: Message, magic: int) -> Iterator[str]:
    if message["magic"] <= magic:
        return
    if message["magic"] == MAGIC:
        headers = sum(len(one["headers"]) for one in (message, *message.get("messages", ())))
        if headers:
            yield f"{headers} header{'s' * (headers != 1)}"
    if magic == 0:
        yield "the timestamp and its type"
