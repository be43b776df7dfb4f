"""Miniatures: deliberately wrong implementations, one a module, that the kit has to catch.

Each is the reference but for one thing. A module declares what has to come of it:

PRODUCES   every (area, verdict, kind) that is neither pass nor skip, and no other
TAKES      the rulings under which its contested verdicts are contested (none: it has no such verdict)
ONCE       why one vector alone catches it (none: at least two do)
LIMITS     arguments of `Options`, where the usual ones would take long
HUGE       true where it is asked the huge vectors too, which most need not read
PROGRAM    true where it has to run as a program behind the line protocol, and not as a module

To see one fail: `cd tests && pytest --impl=miniatures.empties_unknown_tags`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from crc32c import crc32c

from wireproof import reference

#: The contract's `types`: versions, None, or the long form with ops.
Types = dict[str, Mapping[str, Any]]
#: (area, verdict, kind)
Produces = frozenset[tuple[str, str, str | None]]

#: Array types that stand for all: the others are asked with a million elements, and say no more about these faults.
ARRAYS = ("ARRAY<INT32>", "NULLABLE_ARRAY<INT32>", "COMPACT_ARRAY<INT32>", "COMPACT_NULLABLE_ARRAY<INT32>")

_ALL = reference.types


def only(*names: str, dialect: str = "kafka") -> Types:
    """The contract's `types` with these alone, each in all its versions."""
    return {dialect: {name: _ALL[dialect].get(name) for name in names}}


def everything(but: Iterable[str] = ("ARRAY",), dialect: str = "kafka") -> Types:
    """The contract's `types` with all that the reference has of a dialect but these; for ARRAY `ARRAYS` stand."""
    arrays = ARRAYS if "ARRAY" in _ALL[dialect] else ()
    return only(*(name for name in _ALL[dialect] if name not in set(but)), *arrays, dialect=dialect)


def say(line: str) -> None:
    """Write a line at once: what a program says."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def converse(name: str, op: str, act: Callable[[dict[str, Any]], Iterable[dict[str, Any]]]) -> None:
    """Be a program behind the line protocol that offers one op of BOOLEAN: `act` makes the answers to a question."""
    for line in sys.stdin:
        question = json.loads(line)
        match question["op"]:
            case "describe":
                answers: Iterable[dict[str, Any]] = [{"name": name, "ops": [op], "types": {"kafka": {"BOOLEAN": None}}}]
            case "configure":
                answers = [{"seq": question["seq"], "unsupported": "no settings"}]
            case _:
                answers = ({"seq": question["seq"]} | answer for answer in act(question))
        for answer in answers:
            say(json.dumps(answer))


def batches(data: bytes) -> Iterator[bytes]:
    """The batches and messages of a partition one by one; the last one may be cut."""
    while data:
        end = 12 + max(int.from_bytes(data[8:12]), 0)
        yield data[:end]
        data = data[end:]


def batch_attributes(batch: bytes) -> int:
    """The attributes of a batch of magic 2; 0 of a message, and where they are cut."""
    return int.from_bytes(batch[21:23]) if batch[16:17] == b"\x02" else 0


def with_attributes(batch: bytes, attributes: int) -> bytes:
    """A batch of magic 2 with these attributes, and its CRC; a message as it is."""
    if batch_attributes(batch) == attributes:
        return batch
    covered = attributes.to_bytes(2) + batch[23:]
    return batch[:17] + crc32c(covered).to_bytes(4) + covered


def rewritten(written: bytes, change: Callable[[dict[str, Any]], dict[str, Any]]) -> bytes:
    """A producer's batch of magic 2, with another value; messages as they are."""
    if written[16:17] != b"\x02":
        return written
    return reference.encode(
        "RecordBatch", change(reference.decode("RecordBatch", written, dialect="kafka")), dialect="kafka"
    )


#: The contract's `types` with records in all their formats.
RECORDS = only("Record", "RecordBatch", "RecordSet", "MessageSet")

#: The contract's `types` with what is converted alone.
CONVERTED = only("RecordSet")
#: The contract's `types` with messages behind their version.
PREFIXED = only("VersionPrefixed:ConsumerProtocolAssignment", "VersionPrefixed:ConsumerProtocolSubscription")


def records(type_name: str, value: Any) -> list[dict[str, Any]]:
    """The records of magic 2 in a value of any of these types."""
    match type_name:
        case "Record":
            return [value]
        case "RecordBatch":
            return [*value["records"]]
        case "RecordSet":
            return [record for entry in value if entry["magic"] == 2 for record in entry["records"]]
    return []
