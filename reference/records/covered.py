"""Which bytes of an entry a CRC guards, its own among them: a bit that differs there is always noticed.

Each function takes bytes that are right, of which only the first entry is looked at.
"""

from __future__ import annotations

#: A size stands behind the offset, and counts what follows it; in a message, a CRC of all the rest comes next.
_SIZE, _MESSAGE_CRC = 8, 12
#: In a batch the leader's epoch and the magic come before the CRC, which is of what follows it.
_MAGIC, _BATCH_CRC = 16, 17
_BATCH = 2


def _end(data: bytes) -> int:
    return _MESSAGE_CRC + int.from_bytes(data[_SIZE:_MESSAGE_CRC], "big")


def of_message(data: bytes) -> range:
    """A message of any magic, and each draft's: all behind the size."""
    return range(_MESSAGE_CRC, _end(data))


def of_payload(data: bytes) -> range:
    """A message of before the offsets, whose CRC is of its payload alone; from magic 1 on it has attributes."""
    size, magic = int.from_bytes(data[:4], "big"), data[4]
    return range(6 if magic else 5, 4 + size)


def of_batch(data: bytes) -> range:
    """The batch that shipped."""
    return range(_BATCH_CRC, _end(data))


def of_entry(data: bytes) -> range:
    """A batch or a message, as the magic says."""
    return of_batch(data) if data[_MAGIC] == _BATCH else of_message(data)
