"""The four messages, each a whole frame, and the message set.

    RequestHeader   => size:INT32 request_type_id:INT16 version_id:INT16 correlation_id:INT32 client_id:string
    ResponseHeader  => size:INT32 correlation_id:INT32 version_id:INT16 error:INT16
    ProduceRequest  => RequestHeader required_acks:INT8 ack_timeout:INT32 data:[topic_data]
    ProduceResponse => ResponseHeader errors:[INT16] offsets:[INT64]
    FetchRequest    => RequestHeader replica_id:INT32 max_wait:INT32 min_bytes:INT32 topic_offsets:[offset_data]
    FetchResponse   => ResponseHeader data:[topic_data]
    topic_data      => topic:string partition_data:[partition:INT32 messages:message_set]
    offset_data     => topic:string partitions:[INT32] offsets:[INT32]

Source: New wire format proposals, Request Details; R-WF-1, R-WF-6, R-WF-7, R-WF-8, R-WF-13.
"""

from __future__ import annotations

from collections.abc import Mapping

from wireproof.reference.dialects.wire_format.parts import (
    Fixed,
    FramePart,
    MessageSet,
    NamedParts,
    Part,
    PartCodec,
    Scalar,
    Several,
    StringPart,
)
from wireproof.reference.errors import Reason
from wireproof.reference.primitives import PRIMITIVES

VERSION = 0
#: request_type_ids by default (R-WF-13).
PRODUCE_ID, FETCH_ID = 0, 1

_VERSION_ID = Fixed(VERSION, Reason.UNSUPPORTED_VERSION, "version_id")
_INT8, _INT16, _INT32, _INT64 = (Scalar(PRIMITIVES[name]) for name in ("INT8", "INT16", "INT32", "INT64"))

OFFSET_DATA = NamedParts(
    {"topic": StringPart(), "partitions": Several(_INT32, named_by=""), "offsets": Several(_INT32, beside="partitions")}
)
#: The common fields as the FetchRequest section lists them (R-WF-1's other reading).
_FETCH_SECTION = ("request_type_id", "correlation_id", "version_id", "client_id")


def codecs(produce_id: int = PRODUCE_ID, fetch_id: int = FETCH_ID) -> Mapping[str, PartCodec]:
    """The codec of every type, under these request_type_ids."""
    fetch = _request(
        fetch_id,
        {
            "replica_id": _INT32,
            "max_wait": _INT32,
            "min_bytes": _INT32,
            "topic_offsets": Several(OFFSET_DATA, named_by="topic"),
        },
    )
    section = (*_FETCH_SECTION, *(name for name in fetch.parts if name not in _FETCH_SECTION))
    parts: Mapping[str, Part] = {
        "MESSAGE_SET": MessageSet(sized=False),
        "ProduceRequest": FramePart(
            _request(produce_id, {"required_acks": _INT8, "ack_timeout": _INT32, "data": _data(produced=True)})
        ),
        "ProduceResponse": FramePart(
            _response({"errors": Several(_INT16), "offsets": Several(_INT64, beside="errors")}),
        ),
        "FetchRequest": FramePart(fetch, section),
        "FetchResponse": FramePart(_response({"data": _data(produced=False)})),
    }
    return {name: PartCodec(part) for name, part in parts.items()}


def _data(*, produced: bool) -> Part:
    partition = NamedParts({"partition": _INT32, "messages": MessageSet(produced=produced)})
    topic = NamedParts({"topic": StringPart(), "partition_data": Several(partition, named_by="partition")})
    return Several(topic, named_by="topic")


def _request(type_id: int, body: Mapping[str, Part]) -> NamedParts:
    header: Mapping[str, Part] = {
        "request_type_id": Fixed(type_id, Reason.UNKNOWN_API, "request_type_id"),
        "version_id": _VERSION_ID,
        "correlation_id": _INT32,
        "client_id": StringPart(),
    }
    return NamedParts({**header, **body})


def _response(body: Mapping[str, Part]) -> NamedParts:
    header: Mapping[str, Part] = {"correlation_id": _INT32, "version_id": _VERSION_ID, "error": _INT16}
    return NamedParts({**header, **body})
