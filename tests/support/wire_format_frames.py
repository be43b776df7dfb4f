"""Requests and responses of wire-format, for tests of its two ends."""

from __future__ import annotations

from typing import Any

from wireproof import reference

DIALECT = "wire-format"
HI = "00000008" + "01" + "00" + "d8932aac" + "6869"
#: One message to t/0, correlation id 7, acks 1.
PRODUCE = "0000002b" + "000000000000000700016301000005dc0001000174" + "0001" + "00000000" + "0000000c" + HI
PRODUCED = "00000016" + "00000007" + "0000" + "0000" + "0001" + "0000" + "0001" + "000000000000002a"


def decode(type_name: str, digits: str) -> Any:
    return reference.decode(type_name, bytes.fromhex(digits), dialect=DIALECT)


def request(correlation_id: int = 7, acks: int = 1, data: list[Any] | None = None) -> dict[str, Any]:
    value: dict[str, Any] = decode("ProduceRequest", PRODUCE)
    return value | {
        "correlation_id": correlation_id,
        "required_acks": acks,
        "data": value["data"] if data is None else data,
    }


def topic(name: str, *partitions: int) -> dict[str, Any]:
    return {"topic": name, "partition_data": [{"partition": number, "messages": []} for number in partitions]}


def fetch(correlation_id: int) -> dict[str, Any]:
    common = {"request_type_id": 1, "version_id": 0, "correlation_id": correlation_id, "client_id": "c"}
    asked = [{"topic": "t", "partitions": [0], "offsets": [5]}]
    return {**common, "replica_id": -1, "max_wait": 100, "min_bytes": 1, "topic_offsets": asked}


def frame(type_name: str, value: dict[str, Any]) -> bytes:
    return reference.encode(type_name, value, dialect=DIALECT)


def produced(correlation_id: int, errors: list[int], offsets: list[int], error: int = -1) -> bytes:
    value = {"correlation_id": correlation_id, "version_id": 0, "error": error, "errors": errors, "offsets": offsets}
    return frame("ProduceResponse", value)


def fetched(correlation_id: int) -> bytes:
    return frame(
        "FetchResponse", {"correlation_id": correlation_id, "version_id": 0, "error": -1, "data": [topic("t", 0)]}
    )
