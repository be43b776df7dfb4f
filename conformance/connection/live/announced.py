"""The versions that a broker announces.

    ApiVersions 0 => error:INT16 count:INT32 { api_key:INT16 lowest:INT16 highest:INT16 }

Source: KIP-35. Every broker that knows ApiVersions answers version 0; one from before closes the connection.
"""

from __future__ import annotations

import struct

#: The request: size 10, api key 18, version 0, correlation id 1, no client id.
REQUEST = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
_HEAD = struct.Struct(">iihi")
_RANGE = struct.Struct(">hhh")

Ranges = dict[int, tuple[int, int]]


def read(sent: bytes) -> Ranges | None:
    """Api key → (lowest, highest), from the bytes that answer `REQUEST`; of a key that stands twice the last. None if
    they are no such answer. The correlation id is not looked at: that is what vectors ask."""
    if len(sent) < _HEAD.size:
        return None
    size, _, error, count = _HEAD.unpack_from(sent)
    if size != len(sent) - 4 or error or count * _RANGE.size != len(sent) - _HEAD.size:
        return None
    return {key: (low, high) for key, low, high in _RANGE.iter_unpack(sent[_HEAD.size :])}
