"""Puts small faults into valid bytes. Here a `random.Random` chooses them; in `conformance.properties.strategies`
hypothesis."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

#: Bytes on which lengths, counts and varints break.
BORDERS = tuple(
    bytes.fromhex(digits)
    for digits in (
        "00",
        "01",
        "7f",
        "80",
        "ff",
        "ffff",
        "fffe",
        "7fff",
        "ffffffff",
        "fffffffe",
        "7fffffff",
        "80000000",
        "8000",
        "ffffffff07",
        "ffffffff0f",
        "ffffffff1f",
        "8080808080",
        "ffffffffffffffffff01",
        "ffffffffffffffffff7f",
    )
)
#: The maximum number of faults in the same bytes.
MOST = 3
#: The maximum number of bytes that one fault inserts, drops and repeats.
MOST_INSERTED, MOST_DROPPED, MOST_REPEATED = 4, 4, 8
#: The maximum length of random bytes.
MOST_ODD = 24
#: The place of a fault is a number from 0 to this one, for bytes of any length.
LAST_PLACE = 2**16

#: A fault: its kind, and its bytes or number, where it has any.
Fault = tuple[str, bytes | int | None]


def put(data: bytes, faults: Iterable[tuple[Fault, int]]) -> bytes:
    """`data` with these faults, one after the other, each with its place."""
    changed = bytearray(data)
    for fault, place in faults:
        at = place % (len(changed) + 1)
        match fault:
            case ("insert", bytes(more)):
                changed[at:at] = more
            case ("border", bytes(border)):
                changed[at : at + len(border)] = border
            case ("pad", None) if at < len(changed):  # if this is the last byte of a varint, the varint is now overlong
                changed[at] |= 0x80
                changed.insert(at + 1, 0)
            case ("drop", int(count)):
                del changed[at : at + count]
            case ("flip", int(bit)) if at < len(changed):
                changed[at] ^= 1 << bit
            case ("repeat", int(count)):
                changed[at:at] = changed[at : at + count]
            case ("cut", None):
                del changed[at:]
    return bytes(changed)


def nearly(random: Random, canonical: bytes) -> bytes:
    """`canonical` with one to three small faults; one time in six, random bytes with faults."""
    data = random.randbytes(random.randint(0, MOST_ODD)) if random.randrange(6) == 0 else canonical
    return put(data, [(_fault(random), random.randint(0, LAST_PLACE)) for _ in range(random.randint(1, MOST))])


def _fault(random: Random) -> Fault:
    kind = random.choice(("insert", "border", "pad", "drop", "flip", "repeat", "cut"))
    match kind:
        case "insert":
            return kind, random.randbytes(random.randint(1, MOST_INSERTED))
        case "border":
            return kind, random.choice(BORDERS)
        case "drop":
            return kind, random.randint(1, MOST_DROPPED)
        case "flip":
            return kind, random.randrange(8)
        case "repeat":
            return kind, random.randint(1, MOST_REPEATED)
    return kind, None
