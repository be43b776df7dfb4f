"""The bytes of KIP-35: two bodies, the headers of Kafka 0.9 around them, and the empty response.

    BrokerMetadataRequest  => [NodeId:INT32]
    BrokerMetadataResponse => [NodeId:INT32 Host:STRING Port:INT32 ProtocolVersionMin:INT32 ProtocolVersionMax:INT32
                               [Key:STRING Value:STRING]]
    RequestHeader  => RequestApiKey:INT16 RequestApiVersion:INT16 CorrelationId:INT32 ClientId:NULLABLE_STRING
    ResponseHeader => CorrelationId:INT32
    EmptyResponse  => size:INT32 ResponseHeader         ; size is 4 (R-35-3 ‡, other: 0)

Source: KIP-35 version 7, Public Interfaces; widths and headers are Kafka 0.9's (R-35-1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wireproof.reference import message
from wireproof.reference.codec import NodeCodec
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, shown
from wireproof.reference.peers import framing
from wireproof.reference.primitives import PRIMITIVES, TEXT, append_int32, read_int32
from wireproof.reference.schema.plan import Array, Node, PlannedField, PlannedPair, Struct

API = "BrokerMetadata"
#: R-35-4: the draft assigns no key; 17 was the first that Kafka 0.9 had not given away.
API_KEY = 17
VERSION = 0


def _scalar(name: str, primitive: str) -> PlannedField:
    node = PRIMITIVES[primitive]
    return PlannedField(name, node, node.default)


def _text(name: str) -> PlannedField:
    return PlannedField(name, TEXT, TEXT.default)


def _array(name: str, element: Node) -> PlannedField:
    return PlannedField(name, Array(element, compact=False, nullable=False), [])


def _struct(name: str, *fields: PlannedField) -> Struct:
    return Struct(name, fields, fields, {}, {}, frozenset(), flexible=False)


TAG = PlannedPair(_text("Key"), _text("Value"))
BROKER = _struct(
    "Broker",
    _scalar("NodeId", "INT32"),
    _text("Host"),
    _scalar("Port", "INT32"),
    _scalar("ProtocolVersionMin", "INT32"),
    _scalar("ProtocolVersionMax", "INT32"),
    _array("Tags", TAG),
)
BODIES = {
    node.name: node
    for node in (
        _struct(f"{API}Request", _array("NodeIds", PRIMITIVES["INT32"])),
        _struct(f"{API}Response", _array("Brokers", BROKER)),
    )
}
HEADERS = {
    ("RequestHeader", 1): _struct(
        "RequestHeader",
        _scalar("RequestApiKey", "INT16"),
        _scalar("RequestApiVersion", "INT16"),
        _scalar("CorrelationId", "INT32"),
        _scalar("ClientId", "NULLABLE_STRING"),
    ),
    ("ResponseHeader", 0): _struct("ResponseHeader", _scalar("CorrelationId", "INT32")),
}


@dataclass(frozen=True, slots=True)
class Layouts:
    """The plans of headers and bodies, for frames (`plan.MessagePlans`). `api_key`: BrokerMetadata's."""

    api_key: int = API_KEY

    def api_name(self, api_key: int) -> str | None:
        return API if api_key == self.api_key else None

    def plan(self, name: str, version: int) -> Struct:
        """Raises DecodeError(unsupported-version)."""
        layout = HEADERS.get((name, version)) or (BODIES[name] if name in BODIES and version == VERSION else None)
        if layout is None:
            raise DecodeError(Reason.UNSUPPORTED_VERSION, f"{name} has version {VERSION}, not {shown(version)}", None)
        return layout


class Metadata(NodeCodec):
    """A BrokerMetadataResponse, whose tags are kept as R-35-5 ‡ has it."""

    __slots__ = ()

    def read(self, reader: Reader) -> Any:
        return _read(super().read(reader), reader)

    def append(self, writer: Writer, value: Any) -> None:
        super().append(writer.inner(), value)  # refuses what is no response at all
        super().append(writer, _written(value, writer))


class MetadataFrame(framing.ResponseFrame):
    """The same in a response frame."""

    __slots__ = ()

    def read(self, reader: Reader) -> Any:
        value = super().read(reader)
        return value | {"body": _read(value["body"], reader)}

    def append(self, writer: Writer, value: Any) -> None:
        super().append(writer.inner(), value)
        super().append(writer, value | {"body": _written(value["body"], writer)})


def _read(body: Any, reader: Reader) -> Any:
    kept = _with_tags(body, reader.rules.broker_tags)
    if kept is None:
        raise reader.error(Reason.KEY_DUPLICATE, _TWICE, reader.pos)
    return kept


def _written(body: Any, writer: Writer) -> Any:
    kept = _with_tags(body, writer.rules.broker_tags)
    if kept is None:
        raise EncodeError(Reason.KEY_DUPLICATE, _TWICE, writer.path)
    return kept


_TWICE = "a tag's key stands twice in a broker's tags"


def _with_tags(body: Any, reading: str) -> Any:
    """The response with each broker's tags as this reading keeps them; None where it refuses them."""
    if reading == "kept":
        return body
    brokers = []
    for one in body.get("Brokers", []):
        tags = one.get("Tags", [])
        kept = dict(tags)
        if reading == "refused" and len(kept) < len(tags):
            return None
        ordered = sorted(tags, key=lambda tag: str(tag[0])) if reading == "sorted" else [*kept.items()]
        brokers.append({**one, "Tags": ordered})
    return {**body, "Brokers": brokers}


class EmptyResponse(NodeCodec):
    """{"header": {"CorrelationId"}}: the whole response to a request that a broker does not know."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            _struct("EmptyResponse", PlannedField("header", HEADERS["ResponseHeader", 0], {"CorrelationId": 0}))
        )

    def read(self, reader: Reader) -> Any:
        if reader.rules.empty_response == "counted":
            return framing.read_frame(reader, super().read)
        reader.path = "size"
        start = reader.pos
        size = read_int32(reader, "payload size")
        if size != 0:
            raise reader.error(Reason.LENGTH_MISMATCH, f"payload size {size}; an empty response has 0", start)
        return super().read(reader)

    def append(self, writer: Writer, value: Any) -> None:
        if writer.rules.empty_response == "counted":
            framing.append_frame(writer, lambda inner: message.append(self.node, inner, value))
        else:
            append_int32(writer, 0)
            super().append(writer, value)
