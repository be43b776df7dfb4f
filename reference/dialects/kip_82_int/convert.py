"""Converts messages between magics, as a broker does for older or newer clients.

Up: the messages have no headers; from magic 0 the timestamp is −1. Down: headers are dropped, and their bit is cleared;
to magic 0 the timestamp and its type are dropped too. Values are those of MESSAGE_SET; a wrapper is converted with its
messages, unless the reading keeps its content as bytes.
Source: KIP-82 with int keys, Compatibility, Deprecation, and Migration Plan; KIP-32, which it follows; R-82i-9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.dialects.kip_82_int import bodies
from wireproof.reference.dialects.kip_82_int.messages import (
    HEADERS_FLAG,
    MAGIC,
    MAGICS,
    append_message_set,
    read_message_set,
)
from wireproof.reference.errors import DecodeError, Reason, shown
from wireproof.reference.records.convert import LOG_APPEND_TIME, NO_TIMESTAMP, Converted
from wireproof.reference.rules import Rules

__all__ = ["Converted", "convert", "converted", "demand_magic", "magic_of"]

Message = Mapping[str, Any]

#: Name of a target format → its magic.
MAGIC_NAMED: Mapping[str, int] = {f"magic-{magic}": magic for magic in MAGICS}


def converted(data: bytes, to: str, rules: Rules) -> bytes:
    """A MESSAGE_SET, converted to another magic. Raises DecodeError, and NotImplementedError for an unknown format."""
    if to not in MAGIC_NAMED:
        raise NotImplementedError(f"messages are converted to {', '.join(MAGIC_NAMED)}, not to {shown(to)}")
    messages = read_message_set(Reader(data, rules))
    writer = Writer(rules)
    append_message_set(writer, convert(messages, MAGIC_NAMED[to]).entries)
    return bytes(writer.out)


def magic_of(version: int) -> int:
    """The magic of the messages that Produce and Fetch of this version carry. Raises DecodeError for no version."""
    if version not in bodies.MAGIC_OF:
        raise DecodeError(
            Reason.UNSUPPORTED_VERSION, f"Produce and Fetch have the versions 0 to 3, not {version}", None
        )
    return bodies.MAGIC_OF[version]


def convert(messages: Iterable[Message], magic: int) -> Converted:
    """The messages, of any magics, converted to this one; `lost` lists the data that it can't hold."""
    entries: list[dict[str, Any]] = []
    lost: list[str] = []
    for index, message in enumerate(messages):
        lost += [f"message {index}: {what}" for what in _losses(message, magic)]
        entries.append(_converted(message, magic))
    return Converted(entries, lost)


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


def demand_magic(records: bytes, version: int, rules: Rules | None = None) -> list[dict[str, Any]]:
    """The messages in a field `Records`, all of the magic that this version carries. Raises DecodeError."""
    magic = magic_of(version)
    spans: list[Span] = []
    messages = read_message_set(Reader(records, rules or Rules(), spans))
    for index, message in enumerate(messages):
        if message["magic"] != magic:
            path = f"[{index}].magic"
            at = next(span.start for span in spans if span.path == path)
            detail = f"magic {message['magic']}; Produce and Fetch {version} carry magic {magic}"
            raise DecodeError(Reason.UNSUPPORTED_MAGIC, detail, at, path)
    return messages
