"""What messages cost, side by side in one run: `python benchmarks/messages.py`; medians of seven rounds, microseconds.

Metadata response 12 with 50 topics of 10 partitions, ApiVersions response 3 with 60 keys, and how the cost grows from 1
to 1,000 topics. Beside the kit's two codecs: kafka-python, kio (Rust), aiokafka where it has the version, and
`marshal.loads` of the same value, the least that making such a value costs in Python.
"""

from __future__ import annotations

import functools
import io
import marshal
import statistics
import time
import uuid
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

import reference

ROUNDS = 7
#: Seconds that one round of one measurement takes, about.
ROUND = 0.05

Job = Callable[[], Any]


def metadata(topics: int) -> dict[str, Any]:
    """A Metadata response as a cluster of three brokers sends it."""
    partitions = [
        {
            "ErrorCode": 0,
            "PartitionIndex": index,
            "LeaderId": index % 3,
            "LeaderEpoch": 7,
            "ReplicaNodes": [0, 1, 2],
            "IsrNodes": [0, 1, 2],
            "OfflineReplicas": [],
        }
        for index in range(10)
    ]
    return {
        "ThrottleTimeMs": 0,
        "Brokers": [
            {"NodeId": node, "Host": f"broker-{node}.example", "Port": 9092, "Rack": None} for node in range(3)
        ],
        "ClusterId": "5L6g3nShT-eMCtK--X86sw",
        "ControllerId": 1,
        "Topics": [
            {
                "ErrorCode": 0,
                "Name": f"topic-{number}",
                "TopicId": uuid.UUID(int=number << 64 | 1),
                "IsInternal": False,
                "Partitions": partitions,
                "TopicAuthorizedOperations": -(2**31),
            }
            for number in range(topics)
        ],
    }


def api_versions(keys: int) -> dict[str, Any]:
    """An ApiVersions response with so many keys."""
    listed = [{"ApiKey": key, "MinVersion": 0, "MaxVersion": 9} for key in range(keys)]
    return {"ErrorCode": 0, "ApiKeys": listed, "ThrottleTimeMs": 0}


def median(job: Job) -> float:
    """Microseconds of one call, the median of the rounds."""
    start = time.perf_counter()
    job()
    calls = max(1, int(ROUND / (time.perf_counter() - start)))
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            job()
        rounds.append((time.perf_counter() - start) / calls)
    return statistics.median(rounds) * 1e6


def ours(name: str, version: int, value: dict[str, Any]) -> tuple[bytes, dict[str, Any], dict[str, tuple[Job, Job]]]:
    """The message's bytes, its whole value, and the two codecs' (decode, encode)."""
    fast, readable = reference.Reference(), reference.Reference(fast=False)
    at: dict[str, Any] = {"dialect": "kafka", "version": version}
    whole = reference.complete(name, value, **at)
    data = fast.encode(name, whole, **at)

    def jobs(codec: reference.Reference) -> tuple[Job, Job]:
        return lambda: codec.decode(name, data, **at), lambda: codec.encode(name, whole, **at)

    return data, whole, {"reference, generated": jobs(fast), "reference, readable": jobs(readable)}


def of_kafka_python(message: Any, data: bytes, version: int) -> tuple[Job, Job]:
    """Its decode and encode."""
    decoded = message.decode(data, version=version)

    def encode() -> Any:
        decoded._header = None  # noqa: SLF001 (what its own clients do to write a message again)
        return decoded.encode()

    assert encode() == data
    return lambda: message.decode(data, version=version), encode


def of_kio(entity: Any, data: bytes) -> tuple[Job, Job]:
    """Its decode and encode."""
    from kio.serial import entity_reader, entity_writer

    read, write = entity_reader(entity), entity_writer(entity)
    decoded, _ = read(data, 0)

    def encode() -> bytes:
        out = io.BytesIO()
        write(out, decoded)
        return out.getvalue()

    assert encode() == data
    return lambda: read(data, 0), encode


def compare(title: str, jobs: dict[str, tuple[Job | None, Job | None]], base: str) -> Table:
    """A row a codec; ratios to `base`."""
    table = Table(title=title, title_justify="left")
    for column in ("codec", "decode µs", "×", "encode µs", "×"):
        table.add_column(column, justify="left" if column == "codec" else "right")
    times = {name: tuple(None if job is None else median(job) for job in pair) for name, pair in jobs.items()}
    for name, pair in times.items():
        cells = []
        for own, other in zip(pair, times[base], strict=True):
            cells += ["", ""] if own is None or other is None else [f"{own:,.0f}", f"{other / own:.2f}"]
        table.add_row(name, *cells)
    return table


def main() -> None:
    """Measure and print."""
    import kio.schema.api_versions.v3.response as kio_api_versions
    import kio.schema.metadata.v12.response as kio_metadata
    from kafka.protocol.metadata import ApiVersionsResponse, MetadataResponse

    console = Console(width=100)
    for title, name, version, value, theirs, entity in (
        (
            "Metadata response 12, 50 topics × 10 partitions",
            "MetadataResponse",
            12,
            metadata(50),
            MetadataResponse,
            kio_metadata.MetadataResponse,
        ),
        (
            "ApiVersions response 3, 60 keys",
            "ApiVersionsResponse",
            3,
            api_versions(60),
            ApiVersionsResponse,
            kio_api_versions.ApiVersionsResponse,
        ),
    ):
        data, whole, jobs = ours(name, version, value)
        plain = marshal.dumps(_plain(whole))
        rows: dict[str, tuple[Job | None, Job | None]] = {
            **jobs,
            "kafka-python": of_kafka_python(theirs, data, version),
            "kio (Rust)": of_kio(entity, data),
            "marshal": (functools.partial(marshal.loads, plain), None),
        }
        console.print(compare(f"{title}: {len(data):,} bytes", rows, "kafka-python"))
    growth = Table(title="Metadata response 12: µs a topic", title_justify="left")
    for column in ("topics", "decode", "encode"):
        growth.add_column(column, justify="right")
    for topics in (1, 10, 100, 1000):
        _, _, jobs = ours("MetadataResponse", 12, metadata(topics))
        decode, encode = jobs["reference, generated"]
        growth.add_row(f"{topics:,}", f"{median(decode) / topics:.1f}", f"{median(encode) / topics:.1f}")
    console.print(growth)


def _plain(value: Any) -> Any:
    """The same value of types that marshal knows: a UUID is its bytes."""
    match value:
        case uuid.UUID():
            return value.bytes
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
    return value


if __name__ == "__main__":
    main()
