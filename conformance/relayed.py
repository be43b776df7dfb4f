"""The messages that the kit sends through a proxy, as its client and as the broker behind it.

Every field of a message has a value that is not its default, so that whatever a proxy loses or alters is seen. The
broker answers each request from the request alone: its client id names the answer that is wanted.

    <name>-plain    every field set                         <name>-tags   unknown tags too, in header and body
    <name>-large    Metadata: with 30,000 bytes more        <name>-late   after a fifth of a second

Where a message names a broker, it is node 1 at the kit's own address. The broker announces what the catalogue has, and
of each api one version more, and an api that nobody knows, as a broker newer than the proxy would.
"""

from __future__ import annotations

import functools
import struct
import uuid
from collections.abc import Mapping
from typing import Any

from wireproof.reference import Reference
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.primitives import Primitive
from wireproof.reference.schema.plan import Array, Node, Struct

DIALECT = "kafka"
API_VERSIONS = 18
#: An api that no catalogue has.
UNKNOWN = 12345
PLAIN, TAGS, LARGE, LATE = "-plain", "-tags", "-large", "-late"
#: A tag that no schema has, and its content.
UNKNOWN_TAG = (9999, b"\x01\x02\x03")
#: What a request of which nothing is known has behind its header, and an answer behind its correlation id.
OPAQUE = bytes(range(16))
_LARGE = 30_000
_UNSUPPORTED_VERSION = 35
_NODE = 1
#: Host and port of a broker.
Address = tuple[str, int]
_REFERENCE = Reference()
_VALUES: Mapping[str, Any] = {
    "BOOLEAN": True,
    "FLOAT64": 1.5,
    "UUID": uuid.UUID(int=7),
}


@functools.cache
def apis() -> Mapping[int, tuple[str, tuple[int, int]]]:
    """Api key → name, and the versions that the catalogue has of its request and response."""
    dialect = DIALECTS[DIALECT]
    found = {}
    for key, name in dialect.apis().items():
        request, response = (dialect.types.get(f"{name}{half}") for half in ("Request", "Response"))
        if request is not None and request == response:
            found[key] = name, request
    return found


def announced() -> dict[int, tuple[int, int]]:
    """What the kit's broker announces: api key → (lowest, highest)."""
    ranges = {key: (low, high + (key != API_VERSIONS)) for key, (_, (low, high)) in apis().items()}
    return {**ranges, UNKNOWN: (0, 0)}


def known(key: int, version: int) -> bool:
    """Whether the catalogue has this version of an api."""
    return key in apis() and apis()[key][1][0] <= version <= apis()[key][1][1]


def flexible(key: int, version: int) -> bool:
    """Whether this version of an api's request has tags."""
    return _plan(f"{apis()[key][0]}Request", version).flexible


def request(key: int, version: int, correlation_id: int, client_id: str) -> bytes:
    """A request frame. Of a version that the catalogue does not have it is the nearest one's, with that version in its
    header."""
    if key not in apis():
        text = client_id.encode()
        head = struct.pack(">hhih", key, version, correlation_id, len(text)) + text + OPAQUE
        return len(head).to_bytes(4) + head
    name, (low, high) = apis()[key]
    near = min(max(version, low), high)
    tags = [UNKNOWN_TAG] if client_id.endswith(TAGS) else []
    header = {"RequestApiKey": key, "RequestApiVersion": near, "CorrelationId": correlation_id, "ClientId": client_id}
    body = _filled(_plan(f"{name}Request", near))
    if tags:
        header["_tags"] = body["_tags"] = tags
    frame = bytearray(_REFERENCE.encode("RequestFrame", {"header": header, "body": body}, dialect=DIALECT))
    frame[6:8] = version.to_bytes(2)
    return bytes(frame)


def head(frame: bytes) -> tuple[int, int, int, str]:
    """Api key, version, correlation id and client id of a request frame. Raises ValueError for bytes that are none."""
    try:
        key, version, correlation_id, size = struct.unpack_from(">hhih", frame, 4)
    except struct.error:
        raise ValueError(f"{frame.hex()} is no request") from None
    return key, version, correlation_id, frame[14 : 14 + max(0, size)].decode("utf-8", "replace")


def answer_value(key: int, version: int, correlation_id: int, client_id: str, broker: Address) -> dict[str, Any]:
    """The answer of the kit's broker to a request of a known version, as a value."""
    name, _ = apis()[key]
    plan = _plan(f"{name}Response", version)
    header: dict[str, Any] = {"CorrelationId": correlation_id}
    body = _filled(plan, broker)
    if key == API_VERSIONS:
        body |= {"ErrorCode": 0, "ApiKeys": _listed()}
        for field in ("SupportedFeatures", "FinalizedFeatures"):
            if field in body:
                body[field] = []
    if "ClusterId" in body:
        body["ClusterId"] = client_id + "x" * (_LARGE if client_id.endswith(LARGE) else 0)
    if client_id.endswith(TAGS) and plan.flexible:
        body["_tags"] = [UNKNOWN_TAG]
        if key != API_VERSIONS:
            header["_tags"] = [UNKNOWN_TAG]
    return {"header": header, "body": body}


def answer(frame: bytes, broker: Address) -> bytes:
    """The answer of the kit's broker to a request frame. Of a version that the catalogue does not have it is the
    nearest one's; of ApiVersions it is error 35 in version 0. Raises ValueError for bytes that are no request."""
    key, version, correlation_id, client_id = head(frame)
    if key not in apis():
        body = correlation_id.to_bytes(4, signed=True) + OPAQUE
        return len(body).to_bytes(4) + body
    name, (low, high) = apis()[key]
    if key == API_VERSIONS and version > high:
        body = struct.pack(">ihi", correlation_id, _UNSUPPORTED_VERSION, 0)
        return len(body).to_bytes(4) + body
    near = min(max(version, low), high)
    value = answer_value(key, near, correlation_id, client_id, broker)
    return _REFERENCE.encode(f"ResponseFrame:{name}", value, dialect=DIALECT, version=near)


def read_request(frame: bytes) -> Any:
    """The value of a request frame. Raises DecodeError."""
    return _REFERENCE.decode("RequestFrame", frame, dialect=DIALECT)


def read_answer(key: int, version: int, frame: bytes) -> Any:
    """The value of a response frame. Raises DecodeError."""
    return _REFERENCE.decode(f"ResponseFrame:{apis()[key][0]}", frame, dialect=DIALECT, version=version)


def _listed() -> list[dict[str, int]]:
    return [{"ApiKey": key, "MinVersion": low, "MaxVersion": high} for key, (low, high) in sorted(announced().items())]


def _plan(name: str, version: int) -> Struct:
    node = DIALECTS[DIALECT].codec(name, version).node  # type: ignore[attr-defined]
    assert isinstance(node, Struct)
    return node


def _filled(node: Node, broker: Address | None = None, name: str = "") -> Any:
    """A value in which every field is set. `broker`: the address where a structure names a host and its port."""
    match node:
        case Struct(fields=fields):
            value = {field.name: _filled(field.node, broker, field.name) for field in fields}
            if broker is not None and {"Host", "Port"} <= value.keys():
                value |= {"Host": broker[0], "Port": broker[1]}
                value |= dict.fromkeys(value.keys() & {"NodeId", "BrokerId"}, _NODE)
            return value
        case Array(element=element):
            return [_filled(element, broker, name)]
        case Primitive(name=type_name):
            if "STRING" in type_name:
                return "w"
            if "BYTES" in type_name:
                return _batch() if name == "Records" else b"\x01\x02"
            return _VALUES.get(type_name, 1)
    raise TypeError(f"{node} is in no message")


@functools.cache
def _batch() -> bytes:
    """A batch with one record, whose headers hold a key twice, null, and nothing."""
    headers = [("a", b"1"), ("a", b"2"), ("b", None), ("c", b"")]
    record = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": b"k", "value": b"v", "headers": headers}
    times = {"baseTimestamp": 1_700_000_000_000, "maxTimestamp": 1_700_000_000_000}
    producer = {"producerId": 5, "producerEpoch": 1, "baseSequence": 2}
    batch = {"baseOffset": 0, "partitionLeaderEpoch": 0, "attributes": 0, "lastOffsetDelta": 0, **times, **producer}
    return _REFERENCE.encode("RecordBatch", {**batch, "records": [record]}, dialect=DIALECT)
