"""The short way for messages of magic 0 and 1, alone and in a wrapper: it accepts only what the reference accepts.

    Entry   => offset:INT64 size:INT32 crc:UINT32 magic:INT8 attributes:INT8 [timestamp:INT64 ; magic 1] key value

Source: as `reference.records.message_set`.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

from wireproof.reference.records.compression import LZ4, MASK, NONE, CompressionError, inflate
from wireproof.reference.rules import Rules

_HEAD = struct.Struct(">qiIbb")
_SIZE = struct.Struct(">i")
_TIME = struct.Struct(">q")
#: The bytes before the CRC; the CRC's end.
_BEFORE, _CRC_END = 12, 16
_GREATEST = 2**63 - 1


def plain_messages(entry: bytes, magic: int, rules: Rules) -> list[dict[str, Any]] | None:
    """The message of an entry, or the messages in the wrapper, with absolute offsets; None where the reference has to
    read it."""
    outer = _message(entry, 0, magic)
    if outer is None or outer[1] != len(entry):
        return None
    message = outer[0]
    codec = message["attributes"] & MASK
    if codec == NONE:
        return [message]
    if codec > LZ4 or not message["value"]:
        return None
    try:
        content = inflate(codec, message["value"], rules, magic)
    except CompressionError:
        return None
    inner = _inside(content, magic)
    return inner and _absolute(inner, magic, message["offset"])


def _inside(content: bytes, magic: int) -> list[dict[str, Any]] | None:
    messages: list[dict[str, Any]] = []
    at = 0
    while at < len(content):
        found = _message(content, at, magic)
        if found is None or found[0]["attributes"] & MASK:
            return None
        message, at = found
        messages.append(message)
    return messages or None


def _absolute(messages: list[dict[str, Any]], magic: int, offset: int) -> list[dict[str, Any]] | None:
    """In magic 1 offsets are relative: the last message has the wrapper's."""
    if not magic or not offset:
        return messages
    base = offset - messages[-1]["offset"]
    for message in messages:
        message["offset"] += base
    too_great = max(message["offset"] for message in messages) > _GREATEST
    return None if base < 0 or too_great else messages


def _message(data: bytes, at: int, magic: int) -> tuple[dict[str, Any], int] | None:
    """The message here, and the position after it."""
    try:
        offset, size, crc, actual, attributes = _HEAD.unpack_from(data, at)
        end = at + _BEFORE + size
        if actual != magic or end > len(data) or zlib.crc32(memoryview(data)[at + _CRC_END : end]) != crc:
            return None
        at += _HEAD.size
        timestamp = None
        if magic:
            (timestamp,) = _TIME.unpack_from(data, at)
            at += _TIME.size
        key, at = _octets(data, at, end)
        value, at = _octets(data, at, end)
    except struct.error:
        return None
    if at != end:
        return None
    message = {
        "offset": offset,
        "attributes": attributes,
        "timestamp": timestamp,
        "key": key,
        "value": value,
        "headers": [],
    }
    return message, end


def _octets(data: bytes, at: int, end: int) -> tuple[bytes | None, int]:
    """Bytes with their length before them; a position after `end` if they do not fit."""
    (size,) = _SIZE.unpack_from(data, at)
    at += _SIZE.size
    if size == -1:
        return None, at
    return data[at : at + size], at + size if size >= 0 else end + 1
