"""Produce and Fetch 0 to 3, which carry message sets.

The layouts are those of Kafka 3.9's schemas (kafka-clients 3.9.0), the last that had versions 0 to 2. Version 3 is the
draft's: laid out as version 2, with messages of magic 2. `Records` stays raw.
Source: KIP-82 with int keys, Public Interfaces 4 and 5; R-82i-9, R-82i-13.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference import message, records, schema
from wireproof.reference.codec import NodeCodec
from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, shown
from wireproof.reference.rules import Rules
from wireproof.reference.schema import plan
from wireproof.reference.schema.plan import Node, Struct

#: R-82i-13's other reading.
MESSAGES = "messages"
#: api key → the api's name.
APIS: Mapping[int, str] = {0: "Produce", 1: "Fetch"}
VERSIONS = (0, 3)


def _field(name: str, type_name: str, versions: str = "0+", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_name, "versions": versions, **more}


_RECORDS = _field("Records", "records", nullableVersions="0+")
_THROTTLE = _field("ThrottleTimeMs", "int32", "1+", ignorable=True)


def _message(api_key: int, kind: str, *fields: dict[str, Any]) -> schema.Schema:
    name = f"{APIS[api_key]}{kind.capitalize()}"
    head = {"name": name, "type": kind, "apiKey": api_key, "validVersions": "0-3", "flexibleVersions": "none"}
    return schema.from_json({**head, "fields": list(fields)})


_SCHEMAS = {
    message.name: message
    for message in (
        _message(
            0,
            "request",
            _field("Acks", "int16"),
            _field("TimeoutMs", "int32"),
            _field(
                "TopicData",
                "[]TopicProduceData",
                fields=[
                    _field("Name", "string"),
                    _field("PartitionData", "[]PartitionProduceData", fields=[_field("Index", "int32"), _RECORDS]),
                ],
            ),
        ),
        _message(
            0,
            "response",
            _field(
                "Responses",
                "[]TopicProduceResponse",
                fields=[
                    _field("Name", "string"),
                    _field(
                        "PartitionResponses",
                        "[]PartitionProduceResponse",
                        fields=[
                            _field("Index", "int32"),
                            _field("ErrorCode", "int16"),
                            _field("BaseOffset", "int64"),
                            _field("LogAppendTimeMs", "int64", "2+", default="-1", ignorable=True),
                        ],
                    ),
                ],
            ),
            _THROTTLE,
        ),
        _message(
            1,
            "request",
            _field("ReplicaId", "int32", default="-1"),
            _field("MaxWaitMs", "int32"),
            _field("MinBytes", "int32"),
            _field(
                "Topics",
                "[]FetchTopic",
                fields=[
                    _field("Topic", "string", ignorable=True),
                    _field(
                        "Partitions",
                        "[]FetchPartition",
                        fields=[
                            _field("Partition", "int32"),
                            _field("FetchOffset", "int64"),
                            _field("PartitionMaxBytes", "int32"),
                        ],
                    ),
                ],
            ),
        ),
        _message(
            1,
            "response",
            _THROTTLE,
            _field(
                "Responses",
                "[]FetchableTopicResponse",
                fields=[
                    _field("Topic", "string", ignorable=True),
                    _field(
                        "Partitions",
                        "[]PartitionData",
                        fields=[
                            _field("PartitionIndex", "int32"),
                            _field("ErrorCode", "int16"),
                            _field("HighWatermark", "int64"),
                            _RECORDS,
                        ],
                    ),
                ],
            ),
        ),
    )
}
#: The names of the four messages.
NAMES = tuple(_SCHEMAS)
_PLANS = {
    (name, version): plan.plan(found, version)
    for name, found in _SCHEMAS.items()
    for version in range(VERSIONS[0], VERSIONS[1] + 1)
}


@dataclass(frozen=True, slots=True)
class _BodyCodec(NodeCodec):
    """A body whose `Records` are any bytes (R-82i-13 ‡, other: messages of the version's magic)."""

    version: int

    def read(self, reader: Reader) -> Any:
        value = NodeCodec.read(self, reader)
        if reader.rules.headed_records == MESSAGES:
            for path, content in records.fields_in(value):
                try:
                    self._demand(content, reader.rules)
                except DecodeError as error:
                    start = _start_of(self.node, bytes(reader.data), path)
                    raise DecodeError(error.reason, error.detail, start + (error.offset or 0), path) from None
        return value

    def append(self, writer: Writer, value: Any) -> None:
        NodeCodec.append(self, writer, value)
        if writer.rules.headed_records == MESSAGES:
            for path, content in records.fields_in(value):
                try:
                    self._demand(content, writer.rules)
                except DecodeError as error:
                    raise EncodeError(error.reason, error.detail, path) from None

    def _demand(self, content: bytes, rules: Rules) -> None:
        from wireproof.reference.dialects.kip_82_int import messages  # which loads the compression libraries

        messages.demand_magic(content, self.version, rules)


def _start_of(node: Node, data: bytes, path: str) -> int:
    """The offset of a field's bytes, in bytes that decode."""
    spans: list[Span] = []
    message.read(node, Reader(data, Rules(), spans))
    return max(span.start for span in spans if span.path == path)


def codec(name: str, version: int | None) -> NodeCodec:
    """The codec of a message's version. Raises DecodeError(unsupported-version)."""
    node = body(name, version)
    assert version is not None
    return _BodyCodec(node, version)


def body(name: str, version: int | None) -> Struct:
    """The plan of a message's version. Raises DecodeError(unsupported-version)."""
    if version is None:
        raise DecodeError(Reason.UNSUPPORTED_VERSION, f"{name} needs a version", None)
    if (name, version) not in _PLANS:
        detail = f"{name} has the versions 0 to 3, not {shown(version)}"
        raise DecodeError(Reason.UNSUPPORTED_VERSION, detail, None)
    return _PLANS[name, version]
