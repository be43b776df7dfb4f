"""kafka-python as a client that runs: a new consumer or producer for each question."""

from __future__ import annotations

import time
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from implementations import _records
from implementations import kafka_python as codec

name = "kafka-python"
version = codec.version
bootstrap = True
rejects = codec.rejects

PARTITION = TopicPartition("test", 0)
#: Seconds in which the first records come, and the next ones.
FIRST, NEXT = 1.5, 0.3
LIMITS = {"request_timeout_ms": 2000, "bootstrap_timeout_ms": 3000}


def consume(*, bootstrap: str, position: int, isolation: str, dialect: str) -> dict[str, Any]:
    """What `poll` gives from the position on, and the position behind it. An error behind good records comes with the
    next call."""
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap,
        isolation_level=isolation,
        session_timeout_ms=1500,
        fetch_max_wait_ms=50,
        enable_auto_commit=False,
        **LIMITS,
    )
    try:
        consumer.assign([PARTITION])
        consumer.seek(PARTITION, position)
        got: list[Any] = []
        until = time.monotonic() + FIRST
        while time.monotonic() < until:
            try:
                more = consumer.poll(timeout_ms=100).get(PARTITION, [])
            except rejects:
                if not got:
                    raise
                break
            got += more
            if more or consumer.position(PARTITION) != position:
                until = min(until, time.monotonic() + NEXT)
        return _records.delivered(got, consumer.position(PARTITION))
    finally:
        consumer.close(autocommit=False)


def produce(
    records: list[dict[str, Any]], *, bootstrap: str, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    """What `send` brings to the broker; all records in one batch, if the producer has room."""
    if magic != 2 or options["producer_id"] != -1 or any(record["timestamp"] < 0 for record in records):
        raise NotImplementedError("KafkaProducer chooses the magic, its id and its sequence itself, and sets a time")
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        compression_type=None if codec == "none" else codec,
        acks=1,
        enable_idempotence=False,
        linger_ms=100,
        max_block_ms=3000,
        delivery_timeout_ms=3000,
        **LIMITS,
    )
    try:
        sent = []
        for record in records:
            headers = [tuple(pair) for pair in record["headers"]]
            sent.append(producer.send("test", record["value"], record["key"], headers, 0, record["timestamp"]))
        for future in sent:
            future.get(3)
    finally:
        producer.close(1)
    return b""
