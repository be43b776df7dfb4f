"""confluent-kafka, which is librdkafka, as a client: `client_confluent_kafka.py ADDRESS`."""

from __future__ import annotations

import sys

from confluent_kafka import Consumer, Producer, TopicPartition

SECONDS = 4
LIMITS = {"bootstrap.servers": sys.argv[1], "socket.timeout.ms": 2000, "api.version.request.timeout.ms": 2000}

failed = []
producer = Producer({**LIMITS, "acks": 1, "message.timeout.ms": 3000})
producer.produce("test", b"v", partition=0, on_delivery=lambda error, _: failed.append(error) if error else None)
if producer.flush(SECONDS) or failed:
    sys.exit(f"not produced: {failed or 'no answer in time'}")
consumer = Consumer({**LIMITS, "group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False})
consumer.assign([TopicPartition("test", 0, 0)])
message = consumer.poll(SECONDS)
sys.exit(0 if message is not None and message.error() is None and message.value() == b"v" else 1)
