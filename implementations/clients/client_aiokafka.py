"""aiokafka as a client: `client_aiokafka.py ADDRESS`."""

from __future__ import annotations

import asyncio
import sys

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

SECONDS = 4
ADDRESS = sys.argv[1]


async def main() -> int:
    """The exit code."""
    producer = AIOKafkaProducer(bootstrap_servers=ADDRESS, acks=1, request_timeout_ms=2000)
    try:
        await asyncio.wait_for(producer.start(), SECONDS)
        await asyncio.wait_for(producer.send_and_wait("test", b"v", partition=0), SECONDS)
    finally:
        await asyncio.wait_for(producer.stop(), 1)
    consumer = AIOKafkaConsumer(bootstrap_servers=ADDRESS, auto_offset_reset="earliest", request_timeout_ms=2000)
    try:
        await asyncio.wait_for(consumer.start(), SECONDS)
        consumer.assign([TopicPartition("test", 0)])
        record = await asyncio.wait_for(consumer.getone(), SECONDS)
    finally:
        await asyncio.wait_for(consumer.stop(), 1)
    return 0 if record.value == b"v" else 1


sys.exit(asyncio.run(main()))
