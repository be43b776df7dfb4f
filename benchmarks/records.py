"""Compares the cost of record batches in several codecs: `python benchmarks/records.py [--rounds N]`, half a minute.

A batch of 100 records with three headers each, with the kit's two codecs, the pure Python of kafka-python and aiokafka,
and aiokafka's C; the speed of each compression codec; and a batch of 1 MiB compared with ten thousand small ones.

All read the same bytes, including the CRC, into their own records, and write the same records. Times are processor
times, as medians of the rounds; in each round all codecs run in turn. The garbage collector is off.
"""

from __future__ import annotations

import argparse
import functools
import os
import platform
from typing import Any

from aiokafka.record import default_records as aiokafka_records
from kafka.record import default_records as kafka_records
from rich.console import Console
from rich.table import Table
from timing import Job, medians, rounds_of

from wireproof import reference
from wireproof.reference import fast
from wireproof.reference.records.compression import NAMES, deflate, inflate
from wireproof.reference.rules import Rules

BASE = "kafka-python"
#: A time in milliseconds, as producers stamp their records with.
NOW = 1_700_000_000_000


def batch(records: int, value: bytes) -> dict[str, Any]:
    """A batch as a producer sends it: keys, and three headers a record."""
    return {
        "baseOffset": 0,
        "partitionLeaderEpoch": -1,
        "attributes": 0,
        "lastOffsetDelta": records - 1,
        "baseTimestamp": NOW,
        "maxTimestamp": NOW + records - 1,
        "producerId": -1,
        "producerEpoch": -1,
        "baseSequence": -1,
        "records": [
            {
                "attributes": 0,
                "timestampDelta": index,
                "offsetDelta": index,
                "key": f"key-{index}".encode(),
                "value": value,
                "headers": [("trace-id", b"0123456789abcdef"), ("content-type", b"json"), ("attempt", b"1")],
            }
            for index in range(records)
        ],
    }


def of_reference(codec: reference.Reference, value: dict[str, Any], data: bytes) -> tuple[Job, Job]:
    """Its decode and encode."""
    decode = functools.partial(codec.decode, "RecordBatch", data, dialect="kafka")
    return decode, functools.partial(codec.encode, "RecordBatch", value, dialect="kafka")


def of_library(reader: Any, builder: Any, value: dict[str, Any], data: bytes) -> tuple[Job, Job]:
    """kafka-python's and aiokafka's decode and encode: they have one shape."""

    def decode() -> list[Any]:
        value = reader(bytearray(data))
        if not value.validate_crc():
            raise SystemExit(f"{reader}: the CRC is refused")
        return list(value)

    def encode() -> bytes:
        made = builder(2, 0, 0, -1, -1, -1, 1 << 30)
        for index, record in enumerate(value["records"]):
            made.append(index, NOW + index, record["key"], record["value"], record["headers"])
        return bytes(made.build())

    return decode, encode


def compare(rounds: int) -> Table:
    """A row a codec, with how many times as fast as kafka-python's pure Python it is."""
    value = batch(100, b"v" * 50)
    data = reference.encode("RecordBatch", value, dialect="kafka")
    codecs = {
        "reference, fast": of_reference(fast.reference, value, data),
        "reference, readable": of_reference(reference.Reference(), value, data),
        BASE: of_library(kafka_records.DefaultRecordBatch, kafka_records.DefaultRecordBatchBuilder, value, data),
        "aiokafka, Python": of_library(
            aiokafka_records._DefaultRecordBatchPy,  # noqa: SLF001 (it gives the C classes the public names)
            aiokafka_records._DefaultRecordBatchBuilderPy,  # noqa: SLF001
            value,
            data,
        ),
        "aiokafka, C": of_library(
            aiokafka_records.DefaultRecordBatch, aiokafka_records.DefaultRecordBatchBuilder, value, data
        ),
    }
    for codec, (decode, encode) in codecs.items():
        # The libraries leave the leader's epoch and the like to themselves: the records alone are compared.
        written = reference.decode("RecordBatch", encode(), dialect="kafka")["records"]
        read = decode()
        if written != value["records"] or len(read["records"] if isinstance(read, dict) else read) != 100:
            raise SystemExit(f"{codec}: not the same records: the codecs can't be compared")
    times = medians({(codec, op): job for codec, pair in codecs.items() for op, job in enumerate(pair)}, rounds)
    table = Table(title=f"100 records with 3 headers: {len(data):,} bytes", title_justify="left")
    for column in ("codec", "decode µs", f"× {BASE}", "encode µs", f"× {BASE}"):
        table.add_column(column, justify="left" if column == "codec" else "right", no_wrap=True)
    for codec in codecs:
        cells = [
            text
            for op in range(2)
            for text in (f"{times[codec, op]:,.0f}", f"{times[BASE, op] / times[codec, op]:.2f}")
        ]
        table.add_row(codec, *cells)
    return table


def inflating(rounds: int) -> Table:
    """How fast the content of a batch comes out of each codec."""
    content = b"".join(f"record {index}: {index * 2654435761 % 2**32:08x}\n".encode() for index in range(40_000))
    packed = {number: deflate(number, content) for number in range(1, len(NAMES))}
    times = medians(
        {number: functools.partial(inflate, number, data, Rules()) for number, data in packed.items()}, rounds
    )
    table = Table(title=f"Inflating {len(content):,} bytes", title_justify="left")
    for column in ("codec", "packed", "MB/s"):
        table.add_column(column, justify="left" if column == "codec" else "right")
    for number, data in packed.items():
        table.add_row(NAMES[number], f"{len(data):,}", f"{len(content) / times[number]:,.0f}")
    return table


def sizes(rounds: int) -> Table:
    """One batch of 1 MiB, and ten thousand of one record, through `RecordSet` as a fetch has them."""
    large, small = batch(500, b"v" * 2000), batch(1, b"v" * 50)
    sets = {
        "1 batch, 500 records": reference.encode("RecordBatch", large, dialect="kafka"),
        "10,000 batches of 1 record": reference.encode("RecordBatch", small, dialect="kafka") * 10_000,
    }
    times = medians(
        {name: functools.partial(reference.decode, "RecordSet", data, dialect="kafka") for name, data in sets.items()},
        rounds,
    )
    table = Table(title="A record set, fast", title_justify="left")
    for column in ("what", "bytes", "decode ms", "MB/s"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, data in sets.items():
        table.add_row(name, f"{len(data):,}", f"{times[name] / 1e3:,.1f}", f"{len(data) / times[name]:,.0f}")
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=rounds_of, default=7, help="of each measurement, 7 unless told")
    rounds = parser.parse_args().rounds
    console = Console(width=100)
    console.print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    for table in (compare, inflating, sizes):
        console.print(table(rounds))


if __name__ == "__main__":
    main()
