"""Compares the cost of messages in several codecs: `python benchmarks/messages.py [--rounds N]`, a minute.

A Metadata response with 50 topics of 10 partitions with three replicas each, and one without repetition: topics of 1 to
20 partitions of 1 to 5 replicas, some of them out of sync or offline, names of 1 to 60 characters. An ApiVersions
response with 60 keys, the growth of the cost from 1 to 1,000 topics, and the time that a new interpreter takes to its
first frame. The codecs: the kit's two, kafka-python, kio (Rust), aiokafka at its highest versions, and `marshal.loads`
and `marshal.dumps` of the same value, which read and write in C in Python's own format.

All read the same bytes, and must write them again from the result. Times are processor times, as medians of the rounds.
In each round all codecs run in turn, so that other load on the machine affects all of them. The garbage collector is
off.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import io
import marshal
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from timing import Job, in_turn, medians, ratio, rounds_of

from wireproof import reference
from wireproof.reference import fast

RIVALS = ("kafka-python", "kio", "aiokafka")
BASE = "kafka-python"
#: What Python does in C: its loads and dumps.
FLOOR = "marshal"

#: A message as the kit has it.
Value = dict[str, Any]
#: A codec's decode and encode.
Pair = tuple[Job, Job]
#: Makes a library's pair for a message, a version and bytes.
Maker = Callable[[str, int, bytes], Pair]


# --- The values -------------------------------------------------------------------------------------------------------


def metadata(topics: int, version: int) -> Value:
    """A Metadata response as a cluster of three brokers sends it, in version 5 or 12."""
    partition: Value = {
        "ErrorCode": 0,
        "LeaderId": 1,
        "ReplicaNodes": [0, 1, 2],
        "IsrNodes": [0, 1, 2],
        "OfflineReplicas": [],
    }
    if version == 12:
        partition["LeaderEpoch"] = 7
    listed: list[Value] = [
        {"Name": f"topic-{number}", "Partitions": [{**partition, "PartitionIndex": index} for index in range(10)]}
        for number in range(topics)
    ]
    if version == 12:
        listed = [{**topic, "TopicId": uuid.UUID(int=number << 64 | 1)} for number, topic in enumerate(listed)]
    return {
        "Brokers": [{"NodeId": node, "Host": f"broker-{node}.example", "Port": 9092} for node in range(3)],
        "ClusterId": "5L6g3nShT-eMCtK--X86sw",
        "ControllerId": 1,
        "Topics": listed,
    }


def mixed_metadata(topics: int, version: int) -> Value:
    """A Metadata response whose topics and partitions differ from one another: always the same response."""
    dice = random.Random("mixed")  # noqa: S311 (no secret)
    value = metadata(topics, version)
    for topic in value["Topics"]:
        topic["Name"] = "n" * dice.randint(1, 60)
        partitions = []
        for index in range(dice.randint(1, 20)):
            replicas = dice.sample(range(12), dice.randint(1, 5))
            in_sync = replicas[: dice.randint(1, len(replicas))]
            partitions.append(
                {
                    **topic["Partitions"][0],
                    "PartitionIndex": index,
                    "LeaderId": replicas[0],
                    "ReplicaNodes": replicas,
                    "IsrNodes": in_sync,
                    "OfflineReplicas": replicas[len(in_sync) :][: dice.randint(0, 1)],
                }
            )
        topic["Partitions"] = partitions
    return value


def api_versions(keys: int) -> Value:
    """An ApiVersions response with so many keys."""
    return {"ApiKeys": [{"ApiKey": key, "MinVersion": 0, "MaxVersion": 9} for key in range(keys)]}


# --- The codecs -------------------------------------------------------------------------------------------------------


def of_reference(codec: reference.Reference, name: str, version: int, data: bytes) -> Pair:
    """The kit's decode and encode."""
    at: dict[str, Any] = {"dialect": "kafka", "version": version}
    value = codec.decode(name, data, **at)
    return lambda: codec.decode(name, data, **at), lambda: codec.encode(name, value, **at)


def of_kafka_python(name: str, version: int, data: bytes) -> Pair:
    """Its decode and encode."""
    from kafka.protocol import metadata as module

    message: Any = getattr(module, name)
    value = message.decode(data, version=version)
    return lambda: message.decode(data, version=version), value.encode


def of_kio(name: str, version: int, data: bytes) -> Pair:
    """Its decode and encode, which writes into a stream."""
    from kio.index import load_response_schema
    from kio.serial import entity_reader, entity_writer

    key = next(key for key, api in reference.dialect_named("kafka").apis().items() if f"{api}Response" == name)
    entity: Any = load_response_schema(key, version)
    read, write = entity_reader(entity), entity_writer(entity)
    value, _ = read(data, 0)

    def encode() -> bytes:
        out = io.BytesIO()
        write(out, value)
        return out.getvalue()

    return lambda: read(data, 0), encode


def of_aiokafka(name: str, version: int, data: bytes) -> Pair:
    """Its decode, which reads a stream, and encode."""
    from aiokafka.protocol import admin
    from aiokafka.protocol import metadata as module

    classes = {"MetadataResponse": (module, "MetadataResponse"), "ApiVersionsResponse": (admin, "ApiVersionResponse")}
    place, stem = classes[name]
    message: Any = getattr(place, f"{stem}_v{version}")
    value = message.decode(io.BytesIO(data))
    return lambda: message.decode(io.BytesIO(data)), value.encode


def of_marshal(value: Any) -> Pair:
    """Reading the same value from marshal's own format, and writing it so."""
    plain = _plain(value)
    data = marshal.dumps(plain)
    return functools.partial(marshal.loads, data), functools.partial(marshal.dumps, plain)


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


# --- Measuring --------------------------------------------------------------------------------------------------------


def compare(title: str, name: str, version: int, value: Value, rivals: Mapping[str, Maker], rounds: int) -> Table:
    """A row a codec: how many times as fast as kafka-python it is, and how many times as long as marshal it takes."""
    data = reference.encode(name, value, dialect="kafka", version=version)
    codecs: dict[str, Pair] = {
        "reference, fast": of_reference(fast.reference, name, version, data),
        "reference, readable": of_reference(reference.Reference(), name, version, data),
        **{rival: make(name, version, data) for rival, make in rivals.items()},
    }
    for codec, (_, encode) in codecs.items():
        if encode() != data:
            raise SystemExit(f"{codec}: {name} {version} is not written as it was read: the codecs can't be compared")
    codecs[FLOOR] = of_marshal(reference.decode(name, data, dialect="kafka", version=version))
    jobs = {(codec, op): job for codec, pair in codecs.items() for op, job in enumerate(pair)}
    times = in_turn(jobs, rounds)
    table = Table(title=f"{title}: {len(data):,} bytes", title_justify="left")
    for column in ("codec", *[head for op in ("decode", "encode") for head in (f"{op} µs", f"× {BASE}", f"/ {FLOOR}")]):
        table.add_column(column, justify="left" if column == "codec" else "right", no_wrap=True)
    for codec in codecs:
        cells = []
        for op in range(2):
            times_of_codec = times[codec, op]
            faster, slower = ratio(times[BASE, op], times_of_codec), ratio(times_of_codec, times[FLOOR, op])
            cells += [f"{statistics.median(times_of_codec):,.0f}", f"{faster:.2f}", f"{slower:.2f}"]
        table.add_row(codec, *cells)
    return table


def growth(rounds: int) -> Table:
    """What a topic costs the fast codec among few and among many."""
    sizes = (1, 10, 100, 1000)
    jobs: dict[tuple[int, int], Job] = {}
    for topics in sizes:
        data = reference.encode("MetadataResponse", metadata(topics, 12), dialect="kafka", version=12)
        for op, job in enumerate(of_reference(fast.reference, "MetadataResponse", 12, data)):
            jobs[topics, op] = job
    times = medians(jobs, rounds)
    table = Table(title="Metadata response 12, fast codec", title_justify="left")
    for column in ("topics", "decode µs", "per topic", "encode µs", "per topic"):
        table.add_column(column, justify="right", no_wrap=True)
    for topics in sizes:
        cells = [text for op in range(2) for text in _whole_and_share(times[topics, op], topics)]
        table.add_row(f"{topics:,}", *cells)
    return table


def _whole_and_share(whole: float, parts: int) -> tuple[str, str]:
    return f"{whole:,.0f}", f"{whole / parts:.1f}"


#: Prints the seconds from before the import until the frame is decoded.
_FIRST = """
import time
start = time.perf_counter()
from wireproof import reference
reference.decode("ResponseFrame:ApiVersions", bytes.fromhex("{frame}"), dialect="kafka", version=3)
print(time.perf_counter() - start)
"""


def first_frame(rounds: int) -> Table:
    """Import and one ApiVersions frame in a fresh interpreter: what one waits, once the modules are compiled."""
    value = {"header": {"CorrelationId": 1}, "body": api_versions(60)}
    frame = reference.encode("ResponseFrame:ApiVersions", value, dialect="kafka", version=3)
    source = _FIRST.format(frame=frame.hex())
    inside, whole, empty = [], [], []
    with tempfile.TemporaryDirectory() as cache:
        _run(source, cache)
        for _ in range(rounds):
            seconds, text = _run(source, cache)
            whole.append(seconds)
            inside.append(float(text))
            empty.append(_run("", cache)[0])
    table = Table(title="To the first ApiVersions frame", title_justify="left")
    table.add_column("in a fresh interpreter")
    table.add_column("ms", justify="right")
    for what, times in (
        ("from wireproof import reference, decode one frame", inside),
        ("the whole process", whole),
        ("a process that does nothing", empty),
    ):
        table.add_row(what, f"{statistics.median(times) * 1e3:,.0f}")
    return table


def _run(source: str, cache: str) -> tuple[float, str]:
    """Seconds that a fresh interpreter takes for the source, and what it prints; compiled modules go into `cache`."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", source], check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    return time.perf_counter() - start, done.stdout


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rounds", type=rounds_of, default=7, help="of each measurement; 7 by default, fewer say little"
    )
    rounds = parser.parse_args().rounds
    try:
        versions = [f"{rival} {importlib.metadata.version(rival)}" for rival in RIVALS]
    except importlib.metadata.PackageNotFoundError as error:
        parser.error(f"{error.name} is not installed: pip install -e '.[implementations]'")
    # Wide enough for each table as it is, also where the output is no terminal.
    console = Console(width=120)
    console.print(f"Python {platform.python_version()}, {', '.join(versions)}")
    console.print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; medians of {rounds} rounds\n")
    newest = {"kafka-python": of_kafka_python, "kio": of_kio}
    older = {**newest, "aiokafka": of_aiokafka}
    for title, name, version, value, rivals in (
        ("Metadata response 12, 50 topics × 10 partitions", "MetadataResponse", 12, metadata(50, 12), newest),
        ("Metadata response 12, mixed", "MetadataResponse", 12, mixed_metadata(50, 12), newest),
        ("Metadata response 5, 50 topics × 10 partitions", "MetadataResponse", 5, metadata(50, 5), older),
        ("Metadata response 5, mixed", "MetadataResponse", 5, mixed_metadata(50, 5), older),
        ("ApiVersions response 3, 60 keys", "ApiVersionsResponse", 3, api_versions(60), newest),
        ("ApiVersions response 2, the same", "ApiVersionsResponse", 2, api_versions(60), older),
    ):
        console.print(compare(title, name, version, value, rivals, rounds))
    console.print(growth(rounds))
    console.print(first_frame(rounds))


if __name__ == "__main__":
    main()
