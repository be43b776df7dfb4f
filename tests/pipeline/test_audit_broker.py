"""A real broker's own log folder, written by real clients: an audit finds nothing wrong in it."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.paths import TESTS

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")

from support.broker import FOLDER, STARTS_WITHIN, Broker, broker, skip_unless_possible
from support.captures import Conversation, Recorder, disturbed, packet, pcap, segments
from support.java import NO_CRASH_FILE
from support.log_segments import told

from wireproof.pipeline.audit.captures.frames import frames
from wireproof.pipeline.audit.files import find_logs, open_bytes
from wireproof.pipeline.audit.logs.batches import Block, judge
from wireproof.pipeline.audit.logs.segments import ranges

CODECS = (None, "gzip", "snappy", "lz4", "zstd")
#: Records that each client writes into a topic in one go.
RECORDS = 40
#: Seconds in which compaction has to happen.
COMPACTED_WITHIN = 120


def headers(number: int) -> list[tuple[str, bytes]]:
    """None to three headers; keys repeat."""
    return [("same" if one == 2 else "key", b"v" * one) for one in range(number % 4)]


def value(number: int) -> bytes:
    return b"value" * number


def kafka_python(address: str) -> None:
    kafka = pytest.importorskip("kafka", reason="kafka-python is not installed")
    for codec in CODECS:
        for options in ({"enable_idempotence": False}, {"enable_idempotence": True}):
            producer = kafka.KafkaProducer(bootstrap_servers=address, compression_type=codec, linger_ms=20, **options)
            for number in range(RECORDS):
                producer.send(f"python-{codec}", value(number), key=b"key", headers=headers(number))
            producer.flush(60)
            producer.close()
        producer = kafka.KafkaProducer(
            bootstrap_servers=address, compression_type=codec, transactional_id=f"python-{codec}", linger_ms=20
        )
        producer.init_transactions()
        for commit in (True, False):
            producer.begin_transaction()
            for number in range(RECORDS):
                producer.send(f"python-{codec}", value(number), headers=headers(number))
            producer.flush(60)
            (producer.commit_transaction if commit else producer.abort_transaction)()
        producer.close()


async def aiokafka(address: str) -> None:
    library = pytest.importorskip("aiokafka", reason="aiokafka is not installed")
    for codec in CODECS:
        for options in ({}, {"transactional_id": f"aio-{codec}"}):
            producer = library.AIOKafkaProducer(
                bootstrap_servers=address, compression_type=codec, linger_ms=20, **options
            )
            await producer.start()
            try:
                for commit in (True, False) if options else (None,):
                    await _aiokafka_batch(producer, f"aio-{codec}", commit)
            finally:
                await producer.stop()


async def _aiokafka_batch(producer: Any, topic: str, commit: bool | None) -> None:
    if commit is not None:
        await producer.begin_transaction()
    sent = [
        await producer.send(topic, value(number) or None, key=b"key", headers=headers(number))
        for number in range(RECORDS)
    ]
    await asyncio.gather(*sent)
    if commit is not None:
        await (producer.commit_transaction if commit else producer.abort_transaction)()


def java(address: str) -> None:
    command = [str(FOLDER / "broker"), "--class-path"]
    jars = subprocess.run(command, check=True, capture_output=True, text=True, timeout=STARTS_WITHIN).stdout.strip()
    program = TESTS / "programs" / "JavaProducer.java"
    started = ["java", NO_CRASH_FILE, "-cp", jars, str(program), address]
    subprocess.run(started, check=True, timeout=STARTS_WITHIN, capture_output=True)


def compacted(running: Broker) -> None:
    """A topic whose old segments the cleaner has rewritten."""
    admin_module = pytest.importorskip("kafka.admin", reason="kafka-python is not installed")
    kafka = pytest.importorskip("kafka")
    settings = {"cleanup.policy": "compact", "segment.ms": "1000", "min.cleanable.dirty.ratio": "0.01"}
    admin = admin_module.KafkaAdminClient(bootstrap_servers=running.address)
    admin.create_topics([admin_module.NewTopic("compacted", 1, 1, topic_configs=settings)])
    admin.close()
    producer = kafka.KafkaProducer(bootstrap_servers=running.address, compression_type="gzip", linger_ms=20)
    begin = 1_700_000_000_000
    for number in range(200):  # a new segment every forty records, by their timestamps
        key = b"%d" % (number % 7 if number % 5 else number)
        producer.send("compacted", value(number), key=key, timestamp_ms=begin + number // 40 * 100_000)
        if number % 40 == 39:
            producer.flush(60)
    producer.close()
    folder = running.data / "compacted-0"
    until = time.monotonic() + COMPACTED_WITHIN
    while sum(_records(folder)) >= 200 and time.monotonic() < until:
        time.sleep(0.2)
    assert sum(_records(folder)) < 200, "the broker did not compact the topic"


def consumed(address: str) -> None:
    """Fetch what was written, so that a capture has answers with records."""
    kafka = pytest.importorskip("kafka", reason="kafka-python is not installed")
    topics = [f"python-{codec}" for codec in CODECS]
    consumer = kafka.KafkaConsumer(*topics, bootstrap_servers=address, auto_offset_reset="earliest", group_id="g")
    until = time.monotonic() + COMPACTED_WITHIN
    count = 0
    while count < 4 * RECORDS * len(CODECS) and time.monotonic() < until:
        count += sum(map(len, consumer.poll(1000).values()))
    consumer.close()
    assert count >= 4 * RECORDS * len(CODECS)


def _records(folder: Path) -> list[int]:
    """The records of each batch of a topic that is being written and cleaned."""
    found = []
    for log in find_logs([str(folder)]):
        try:
            with open_bytes(log.path) as data:
                for part in ranges(data, 1 << 20):
                    found += [entry.count or 0 for block in judge(data, part) for entry in block.entries]
        except ValueError:  # replaced or deleted meanwhile
            return [1000]
    return found


@dataclass(frozen=True)
class Written:
    """What clients left behind: the broker's log folder, and their conversations with it."""

    data: Path
    talks: list[Conversation]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A broker that real clients wrote to, after its end. They reach it through a recorder."""
    skip_unless_possible()
    folder = tmp_path_factory.mktemp("broker") / "kafka"
    recorder = Recorder()
    advertised = f"PLAINTEXT://127.0.0.1:{recorder.port}"
    with broker(folder, LOG_CLEANER_BACKOFF_MS="100", ADVERTISED_LISTENERS=advertised) as running:
        recorder.target = int(running.address.rpartition(":")[2])
        address = f"127.0.0.1:{recorder.port}"
        kafka_python(address)
        asyncio.run(aiokafka(address))
        java(address)
        consumed(address)
        compacted(Broker(address, running.data))
    recorder.close()
    return Written(folder / "data", recorder.talks)


@pytest.fixture
def data(written: Written) -> Path:
    return written.data


def blocks(data: Path, size: int) -> Iterator[tuple[str | None, Block]]:
    for log in find_logs([str(data)]):
        with open_bytes(log.path) as content:
            for part in ranges(content, size):
                for block in judge(content, part, log.first, log.below):
                    yield log.topic, block


@pytest.mark.parametrize("size", [1, 64 << 20])
def test_no_false_alarm(size: int, data: Path) -> None:
    assert [(topic, wrong) for topic, block in blocks(data, size) if (wrong := told(block.entries))] == []


def test_everything_is_there(data: Path) -> None:
    """The topics hold every codec, what the clients sent, and both kinds of markers."""
    records: Counter[str] = Counter()
    codecs, controls, flags = set(), set(), set()
    for topic, block in blocks(data, 64 << 20):
        for entry in block.entries:
            attributes = entry.attributes or 0
            if topic is not None and topic.startswith(("python-", "aio-", "java-")):
                flags.add((topic.split("-")[0], bool(attributes & 0x10), (entry.producer_id or 0) >= 0))
                codecs.add((topic, attributes & 7))
                records[topic] += 0 if attributes & 0x20 else entry.count or 0
        columns = block.columns
        if columns is not None:
            for row, index in enumerate(columns.batch):
                if (block.entries[block.owners[index]].attributes or 0) & 0x20:
                    at = int(columns.key.at[row])
                    controls.add(columns.content[at + 2 : at + 4])
    assert {b"\0\0", b"\0\1"} <= controls
    assert records == {
        **{f"python-{codec}": 4 * RECORDS for codec in CODECS},
        **{f"aio-{codec}": 3 * RECORDS for codec in CODECS},
        **{f"java-{codec or 'none'}": 3 * RECORDS for codec in CODECS},
    }
    for client in ("python", "aio", "java"):
        assert {number for topic, number in codecs if topic.startswith(client)} == {0, 1, 2, 3, 4}
        assert (client, True, True) in flags
    assert ("python", False, False) in flags
    assert ("python", False, True) in flags


def test_gaps_of_compaction_are_there(data: Path) -> None:
    batches = [entry for topic, block in blocks(data, 64 << 20) if topic == "compacted" for entry in block.entries]
    gaps = [one for one in batches if (one.last_offset or 0) - (one.base_offset or 0) + 1 > (one.count or 0)]
    assert gaps


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_every_frame_of_a_capture_is_judged(seed: int | None, written: Written) -> None:
    """Of all clients, also with segments out of order and sent twice: none is malformed, none without its counterpart
    but those that a client did not wait for."""
    sent = [
        packet(one, talk.client)
        for talk in written.talks
        for one in (segments(talk) if seed is None else disturbed(segments(talk), seed))
    ]
    found = list(frames(pcap(sent), "clients.pcap"))
    assert [(one.api, one.trouble) for one in found if one.verdict == "fail"] == []
    apis = Counter((one.api, one.direction) for one in found if one.verdict == "pass")
    assert {"Produce", "Fetch", "Metadata", "ApiVersions", "EndTxn", "InitProducerId", "JoinGroup"} <= {
        api for api, _ in apis
    }
    assert {one.direction for one in found if one.verdict != "pass"} <= {"request"}
    assert sum(one.verdict != "pass" for one in found) <= len(written.talks)
    if seed is None:
        everything = sum(len(content) for talk in written.talks for _, content in talk.said)
        assert sum(len(one.content) + 4 for one in found) == everything
