"""The same bytes with no varint of more than five bytes: to see whether a longer one is the cause of what is wrong.

Nothing is known here about where varints are. So each run of bytes with the highest bit set is divided, and no byte
moves.
"""

from __future__ import annotations

#: The most bytes of a varint of 32 bits.
_MOST = 5
_MORE = 0x80


def shortened(data: bytes) -> bytes:
    """The bytes, with 0 in place of each fifth byte of a run in which all say that another one follows."""
    changed, run = bytearray(data), 0
    for at, byte in enumerate(data):
        run = run + 1 if byte & _MORE else 0
        if run == _MOST:
            changed[at] = run = 0
    return bytes(changed)
