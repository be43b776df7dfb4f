"""Whether a wrapper follows the conventions on values that the line protocol does not show: those that
docs/how-to/is-it-my-wrapper.md lists. Each is tested with the simplest bytes that can show it, and only where the
wrapper offers to decode their type. A refusal shows nothing, and breaks no convention.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from wireproof import reference
from wireproof.conformance.connection.base import Connection
from wireproof.conformance.connection.protocol.check import Check, Result
from wireproof.conformance.generation import random_values
from wireproof.conformance.model import Case, Op, Status

_DIALECT = "kafka"
#: Messages that most libraries have, in a version that they have.
_MESSAGES = {"ApiVersionsResponse": 3, "MetadataResponse": 9, "HeartbeatRequest": 4, "FetchResponse": 12}
_PRODUCE = "ProduceRequest"
_PRODUCE_VERSION = 9
_CONSUMER_PROTOCOL = ("ConsumerProtocolSubscription", "ConsumerProtocolAssignment")
#: What Kafka's clients write before these: their version.
_VERSION_BEFORE = b"\0\0"


def conventions(connection: Connection) -> Iterator[Check]:
    """A check for each convention that the types which a wrapper offers can show."""
    for check in (_names, _records, _consumer_protocol):
        yield from check(connection)


def _names(connection: Connection) -> Iterator[Check]:
    """A decoded message names its fields as the schema does."""
    seen = []
    for name, version in _MESSAGES.items():
        value = random_values.simplest(name, dialect=_DIALECT, version=version)
        answer = _decoded(connection, name, version, _bytes(name, version, value))
        if not isinstance(answer, Mapping):
            continue
        seen.append(name)
        strange = sorted(map(str, answer.keys() - value.keys() - {"_tags"}))
        if strange:
            close = difflib.get_close_matches(strange[0].replace("_", "").lower(), [one.lower() for one in value], 1)
            meant = "".join(f": is it {one}?" for one in value if one.lower() in close)
            yield Check(
                "fields have the schema's names",
                Result.BAD,
                f"{name} {version} has no field {strange[0]}{meant}",
                f"Spell the fields as `wireproof schema show {name} --version {version}` does.",
            )
            return
    if seen:
        yield Check("fields have the schema's names", Result.GOOD, ", ".join(seen))


def _records(connection: Connection) -> Iterator[Check]:
    """Records inside a message are bytes."""
    batch = _bytes("RecordBatch", None, random_values.simplest("RecordBatch", dialect=_DIALECT))
    value = random_values.simplest(_PRODUCE, dialect=_DIALECT, version=_PRODUCE_VERSION)
    value["TopicData"] = [{"Name": "t", "PartitionData": [{"Index": 0, "Records": batch}]}]
    answer = _decoded(connection, _PRODUCE, _PRODUCE_VERSION, _bytes(_PRODUCE, _PRODUCE_VERSION, value))
    try:
        records = answer["TopicData"][0]["PartitionData"][0]["Records"]
    except (LookupError, TypeError):
        return
    good = isinstance(records, bytes)
    yield Check(
        "records inside a message are bytes",
        Result.GOOD if good else Result.BAD,
        f"{_PRODUCE} {_PRODUCE_VERSION}" + ("" if good else f": Records is no bytes, but {type(records).__name__}"),
        f"Give Records as the bytes that came, or do not offer to decode {_PRODUCE} and FetchResponse.",
    )


def _consumer_protocol(connection: Connection) -> Iterator[Check]:
    """The messages of ConsumerProtocol are without the version that stands before them."""
    for name in _CONSUMER_PROTOCOL:
        value = random_values.simplest(name, dialect=_DIALECT, version=0)
        data = _bytes(name, 0, value)
        if _decoded(connection, name, 0, data) == value:
            yield Check("no version before ConsumerProtocol", Result.GOOD, name)
        elif _decoded(connection, name, 0, _VERSION_BEFORE + data) == value:
            yield Check(
                "no version before ConsumerProtocol",
                Result.BAD,
                f"{name}: it is read only with its version in two bytes before it",
                "The types are without it: put it before the bytes in `decode`, and take it off in `encode`.",
            )


def _bytes(name: str, version: int | None, value: Any) -> bytes:
    return reference.encode(name, value, dialect=_DIALECT, version=version)


def _decoded(connection: Connection, name: str, version: int, data: bytes) -> Any:
    """What the wrapper makes of bytes; None if it does not offer that, or gives no value."""
    if not connection.description.offers_op(Op.DECODE, _DIALECT, name, version):
        return None
    case = Case(f"convention/{name}#decode", Op.DECODE, _DIALECT, name, version, {"data": data})
    seen = connection.ask([case])[0]
    return seen.answer if seen.status is Status.ANSWER else None
