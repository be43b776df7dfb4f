"""What is left of messages of KIP-82's draft with int keys, and of their wrappers, without what follows from the rest.

A negative vector mends sizes and CRCs around its fault, so without them it differs from its twin in its fault alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

#: (dialect, type) of what holds such messages.
TYPES = frozenset({("kip-82-int-keys", "MESSAGE_AND_OFFSET"), ("kip-82-int-keys", "MESSAGE_SET")})
#: What stands for gzip content.
_CONTENT = ("packed", "inflated", "mended")
_GZIP = b"\x1f\x8b\x08"
#: Where MessageSize, Crc, MagicByte, Attributes and Timestamp begin, and KeyLength.
_SIZE, _CRC, _MAGIC, _KEY = 8, 12, 16, 26


def pairs(negative: bytes, twin: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The two without CRCs; without sizes too; without the lengths of headers too; with gzip content as it is, with
    what it holds in its place, and with that mended likewise."""
    for sizes, lengths in ((False, False), (True, False), (True, True)):
        for content in _CONTENT:
            yield _plain(negative, sizes, lengths, content), _plain(twin, sizes, lengths, content)


def _plain(data: bytes, sizes: bool, lengths: bool, content: str) -> bytes:
    out = b""
    while len(data) > _MAGIC:
        size = int.from_bytes(data[_SIZE:_CRC], "big", signed=True)
        end = _CRC + size if _MAGIC < _CRC + size <= len(data) else len(data)
        out += data[: _SIZE if sizes else _CRC] + _inside(data[_MAGIC:end], sizes, lengths, content)
        data = data[end:]
    return out + data


def _inside(message: bytes, sizes: bool, lengths: bool, content: str) -> bytes:
    """A message from its magic on."""
    at = message.find(_GZIP)
    if at > 0 and message[1] & 0x07 == 1 and content != "packed":
        try:
            held = zlib.decompress(message[at:], wbits=31)
        except zlib.error:
            return message
        return message[: at - 4] + (_plain(held, sizes, lengths, content) if content == "mended" else held)
    if lengths and message[0] == 2 and message[1] & 0x10:
        key = _KEY - _MAGIC
        behind = key + 4 + max(0, int.from_bytes(message[key : key + 4], "big", signed=True))
        return message[:behind] + message[behind + 4 :]
    return message
