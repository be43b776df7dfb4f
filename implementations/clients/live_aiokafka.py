"""aiokafka as a client that runs: a new consumer or producer for each question."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from implementations import _records
from implementations import aiokafka as codec

name = "aiokafka"
version = codec.version
bootstrap = True
rejects = codec.rejects

PARTITION = TopicPartition("test", 0)
#: Seconds in which the first records come, and the next ones.
FIRST, NEXT = 1.5, 0.3


def consume(*, bootstrap: str, position: int, isolation: str, dialect: str) -> dict[str, Any]:
    """What `getmany` gives from the position on, and the position behind it. An error behind good records comes with
    the next call."""
    return asyncio.run(_consumed(bootstrap, position, isolation))


async def _consumed(bootstrap: str, position: int, isolation: str) -> dict[str, Any]:
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        isolation_level=isolation,
        fetch_max_wait_ms=50,
        request_timeout_ms=2000,
        enable_auto_commit=False,
    )
    await asyncio.wait_for(consumer.start(), 3)
    try:
        consumer.assign([PARTITION])
        consumer.seek(PARTITION, position)
        got: list[Any] = []
        until = time.monotonic() + FIRST
        while time.monotonic() < until:
            try:
                more = (await consumer.getmany(timeout_ms=100)).get(PARTITION, [])
            except rejects:
                if not got:
                    raise
                break
            got += more
            if more or await consumer.position(PARTITION) != position:
                until = min(until, time.monotonic() + NEXT)
        return _records.delivered(got, await consumer.position(PARTITION))
    finally:
        await consumer.stop()


def produce(
    records: list[dict[str, Any]], *, bootstrap: str, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    """What `send` brings to the broker; all records in one batch, if the producer has room."""
    if magic != 2 or options["producer_id"] != -1 or any(record["timestamp"] < 0 for record in records):
        raise NotImplementedError("AIOKafkaProducer chooses the magic, its id and its sequence itself, and sets a time")
    asyncio.run(_produced(records, bootstrap, codec))
    return b""


async def _produced(records: list[dict[str, Any]], bootstrap: str, codec: str) -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap,
        compression_type=None if codec == "none" else codec,
        acks=1,
        linger_ms=100,
        request_timeout_ms=2000,
    )
    await asyncio.wait_for(producer.start(), 3)
    try:
        sent = []
        for record in records:
            headers = [tuple(pair) for pair in record["headers"]]
            sent.append(await producer.send("test", record["value"], record["key"], 0, record["timestamp"], headers))
        await asyncio.wait_for(asyncio.gather(*sent), 3)
    finally:
        await producer.stop()
