"""kafka-python as a client: `client_kafka_python.py ADDRESS`."""

from __future__ import annotations

import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

SECONDS = 4
ADDRESS = sys.argv[1]
LIMITS = {"bootstrap_servers": ADDRESS, "request_timeout_ms": 2000, "bootstrap_timeout_ms": 3000}

producer = KafkaProducer(
    **LIMITS, acks=1, retries=2, max_block_ms=1000 * SECONDS, delivery_timeout_ms=3000, linger_ms=0
)
producer.send("test", b"v", partition=0).get(SECONDS)
producer.close(1)
consumer = KafkaConsumer(
    **LIMITS, session_timeout_ms=1500, auto_offset_reset="earliest", consumer_timeout_ms=1000 * SECONDS
)
consumer.assign([TopicPartition("test", 0)])
delivered = [next(consumer).value]
consumer.close(autocommit=False)
sys.exit(0 if delivered == [b"v"] else 1)
