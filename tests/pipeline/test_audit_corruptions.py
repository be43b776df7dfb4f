"""Corruptions planted in a segment of six batches: each is found at its offset with its reason, and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")

from support.log_segments import (
    ATTRIBUTES,
    BASE_TIME,
    BASES,
    COUNT,
    CRC,
    EPOCH,
    LAST_DELTA,
    LENGTH,
    MAGIC,
    MAX_TIME,
    PRODUCER,
    PRODUCER_EPOCH,
    R_DELTA,
    R_HEADER_KEY,
    R_HEADERS,
    R_KEY,
    R_TIME,
    R_VALUE,
    RECORD_SIZE,
    RECORDS,
    SEQUENCE,
    Segment,
    batch,
    by_ranges,
    clean,
    entries,
    marker,
    message,
    raw_batch,
    told,
    wrapper,
)

#: The batch that is corrupted.
AT = 2
#: batch, reason, offset inside of the batch
Expected = tuple[int, str, int]
CORRUPTIONS: dict[str, tuple[Callable[[Segment], object], Expected]] = {}


def corruption(
    name: str, reason: str, offset: int, *, at: int = AT
) -> Callable[[Callable[[Segment], object]], Callable[[Segment], object]]:
    def add(change: Callable[[Segment], object]) -> Callable[[Segment], object]:
        assert name not in CORRUPTIONS
        CORRUPTIONS[name] = (change, (at, reason, offset))
        return change

    return add


def flipped(name: str, at: int, reason: str, offset: int, bit: int = 0) -> None:
    corruption(f"a bit of {name}", reason, offset)(lambda segment: segment.flip(AT, at, bit))


def patched(name: str, at: int, new: bytes, reason: str, offset: int) -> None:
    corruption(f"{name}, the CRC right", reason, offset)(lambda segment: segment.patch(AT, at, new, seal=True))


# --- A flipped bit of each header field -------------------------------------------------------------------------------

flipped("the offset: above those that follow", 4, "offset-order", 0)
flipped("the offset: below those before", 7, "offset-order", 0, bit=6)
flipped("the offset: negative", 0, "offset-order", 0, bit=7)
flipped("length: up", LENGTH + 2, "length-mismatch", LENGTH)
flipped("length: down", LENGTH + 3, "length-mismatch", LENGTH, bit=3)
flipped("length: beyond the file", LENGTH, "length-mismatch", LENGTH, bit=6)
flipped("length: negative", LENGTH, "length-mismatch", LENGTH, bit=7)
flipped("magic: unknown", MAGIC, "unsupported-magic", MAGIC, bit=3)
flipped("magic: negative", MAGIC, "unsupported-magic", MAGIC, bit=7)
flipped("magic: 0", MAGIC, "crc-mismatch", 12, bit=1)
for _name, _at in {
    "the CRC": CRC,
    "attributes": ATTRIBUTES,
    "the codec": ATTRIBUTES + 1,
    "lastOffsetDelta": LAST_DELTA + 1,
    "baseTimestamp": BASE_TIME + 7,
    "maxTimestamp": MAX_TIME + 7,
    "producerId": PRODUCER + 7,
    "producerEpoch": PRODUCER_EPOCH + 1,
    "baseSequence": SEQUENCE + 3,
    "recordsCount": COUNT + 3,
    "a record's length": RECORDS,
    "a record's key": RECORDS + R_KEY + 2,
    "the last byte": RECORDS + 4 * RECORD_SIZE - 1,
}.items():
    flipped(_name, _at, "crc-mismatch", CRC, bit=1)

# --- The CRC right, the content wrong ---------------------------------------------------------------------------------

FIRST = RECORDS  # the first record
patched("one record more than there are", COUNT, struct.pack(">i", 5), "count-mismatch", COUNT)
patched("one record less", COUNT, struct.pack(">i", 3), "count-mismatch", COUNT)
patched("more records than bytes", COUNT, struct.pack(">i", 2**31 - 1), "truncated", COUNT)
patched("a negative count", COUNT, struct.pack(">i", -1), "negative-length", COUNT)
patched("a codec that does not exist", ATTRIBUTES, b"\0\6", "unsupported-compression", ATTRIBUTES)
patched("a codec over plain records", ATTRIBUTES, b"\0\1", "corrupt-compression", RECORDS)
patched("lastOffsetDelta into the next batch", LAST_DELTA, struct.pack(">i", 5), "offset-order", LAST_DELTA)
patched("lastOffsetDelta below the records", LAST_DELTA, struct.pack(">i", 2), "offset-delta", FIRST + 75)
patched("a negative lastOffsetDelta", LAST_DELTA, struct.pack(">i", -1), "offset-delta", LAST_DELTA)
patched("an offset delta that repeats", FIRST + RECORD_SIZE + R_DELTA, b"\0", "offset-delta", FIRST + 27)
patched("a negative offset delta", FIRST + R_DELTA, b"\1", "offset-delta", FIRST + R_DELTA)
patched("an offset delta beyond the last", FIRST + 75, b"\x0a", "offset-delta", FIRST + 75)
patched("a record's length: too long", FIRST, b"\x30", "length-mismatch", FIRST)
patched("a record's length: too short", FIRST, b"\x2c", "truncated", FIRST + RECORD_SIZE - 1)
patched("a record's length: negative", FIRST, b"\x2d", "negative-length", FIRST)
patched("a record's length: beyond the batch", FIRST + 72, b"\x7e", "truncated", FIRST + 72)
patched("a varint that does not end", FIRST + R_TIME, b"\xff" * 11, "varint-overflow", FIRST + R_TIME)
patched("a key of a length below null", FIRST + R_KEY, b"\x03", "negative-length", FIRST + R_KEY)
patched("a key beyond its record", FIRST + R_KEY, b"\x7e", "truncated", FIRST + R_KEY)
patched("a value beyond its record", FIRST + R_VALUE, b"\x7e", "truncated", FIRST + R_VALUE)
patched("a negative header count", FIRST + R_HEADERS, b"\x01", "negative-length", FIRST + R_HEADERS)
patched("a header too many", FIRST + R_HEADERS, b"\x06", "truncated", FIRST + RECORD_SIZE)
patched("a header too few", FIRST + R_HEADERS, b"\x02", "length-mismatch", FIRST)
patched("more headers than bytes", FIRST + R_HEADERS, b"\x7e", "truncated", FIRST + R_HEADERS)
patched("a header's key null", FIRST + R_HEADER_KEY, b"\x01", "negative-length", FIRST + R_HEADER_KEY)


# --- What surrounds a batch -------------------------------------------------------------------------------------------


@corruption("two batches swapped", "offset-order", 0)
def _(segment: Segment) -> None:
    segment.parts[2], segment.parts[3] = segment.parts[3], segment.parts[2]


@corruption("a batch twice", "offset-order", 0, at=AT + 1)
def _(segment: Segment) -> None:
    segment.parts.insert(AT, segment.parts[AT])


@corruption("an old batch once more", "offset-order", 0, at=4)
def _(segment: Segment) -> None:
    segment.parts.insert(4, segment.parts[1])


@corruption("offsets that go back, and on from there", "offset-order", 0, at=3)
def _(segment: Segment) -> None:
    segment.parts[3:] = [batch(base) for base in (102, 106, 110, 114, 118)]


@corruption("a batch below the file's name", "offset-order", 0, at=0)
def _(segment: Segment) -> None:
    segment.parts[0] = batch(90)


@corruption("a batch of the next segment", "offset-order", 0, at=5)
def _(segment: Segment) -> None:
    segment.parts[5] = batch(1000)


@corruption("zeros in the middle", "not-a-batch", 0)
def _(segment: Segment) -> None:
    segment.parts.insert(AT, bytes(4096))


@corruption("a batch overwritten by zeros", "not-a-batch", 0)
def _(segment: Segment) -> None:
    segment.parts[AT] = bytes(len(segment.parts[AT]))


@corruption("bytes between two batches", "not-a-batch", 0)
def _(segment: Segment) -> None:
    segment.parts.insert(AT, b"\xde\xad\xbe\xef" * 10)


@corruption("a single byte between two batches", "not-a-batch", 0)
def _(segment: Segment) -> None:
    segment.parts.insert(AT, b"\x00")


@corruption("a batch cut off in the middle of the file", "not-a-batch", 0)
def _(segment: Segment) -> None:
    segment.parts[AT] = segment.parts[AT][:70]


@corruption("bytes after the last batch", "not-a-batch", 0, at=6)
def _(segment: Segment) -> None:
    segment.parts.append(b"\xde\xad\xbe\xef" * 10)


@corruption("the last batch's length too small", "length-mismatch", LENGTH, at=5)
def _(segment: Segment) -> None:
    segment.flip(5, LENGTH + 3, 3)


@corruption("the last batch's length too large", "length-mismatch", LENGTH, at=5)
def _(segment: Segment) -> None:
    segment.flip(5, LENGTH + 1, 3)


# --- Compressed, control, old -----------------------------------------------------------------------------------------


def _compressed(codec: int) -> None:
    @corruption(f"codec {codec}: a byte of the content, the CRC right", "corrupt-compression", RECORDS)
    def _(segment: Segment) -> None:
        segment.parts[AT] = batch(BASES[AT], codec=codec)
        segment.patch(AT, RECORDS + (2 if codec == 1 else 5), b"\xff\xff\xff", seal=True)

    @corruption(f"codec {codec}: one record less than are there", "count-mismatch", COUNT)
    def _(segment: Segment) -> None:
        segment.parts[AT] = batch(BASES[AT], codec=codec)
        segment.patch(AT, COUNT, struct.pack(">i", 3), seal=True)


for _codec in (1, 2, 3, 4):
    _compressed(_codec)


@corruption("a control record's key null", "control-record", RECORDS + 4)
def _(segment: Segment) -> None:
    segment.parts[AT] = marker(BASES[AT], key=None)


@corruption("a control record's key too short", "control-record", RECORDS + 5)
def _(segment: Segment) -> None:
    segment.parts[AT] = marker(BASES[AT], key=b"\0\0\0")


@corruption("a control record's key of a negative version", "control-record", RECORDS + 5)
def _(segment: Segment) -> None:
    segment.parts[AT] = marker(BASES[AT], key=b"\xff\xff\0\1")


@corruption("a control record's value cut off", "control-record", RECORDS + 10)
def _(segment: Segment) -> None:
    segment.parts[AT] = marker(BASES[AT], value=b"\0\0\0\0")


@corruption("a message of magic 1: a bit of its value", "crc-mismatch", 12)
def _(segment: Segment) -> None:
    segment.parts[AT] = message(BASES[AT], 1)
    segment.flip(AT, 40)


@corruption("a message of magic 0: a bit of its length", "length-mismatch", LENGTH)
def _(segment: Segment) -> None:
    segment.parts[AT] = message(BASES[AT], 0)
    segment.flip(AT, LENGTH + 3, 2)


@corruption("a wrapper inside a wrapper", "invalid-wrapper", 37)
def _(segment: Segment) -> None:
    inside = wrapper(2, 1, 1)
    segment.parts[AT] = message(BASES[AT], 1, _gzip(inside), 1)


@corruption("a wrapper without messages", "invalid-wrapper", 33)
def _(segment: Segment) -> None:
    segment.parts[AT] = message(BASES[AT], 1, None, 1)


def _gzip(content: bytes) -> bytes:
    import zlib

    packer = zlib.compressobj(wbits=31)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruption(name: str) -> None:
    change, (at, reason, offset) = CORRUPTIONS[name]
    segment = clean()
    change(segment)
    start = segment.starts[at]
    expected = [(start, "fail", reason, start + offset)]
    assert told(entries(segment.data, first=BASES[0], below=BASES[-1] + 4)) == expected
    if name != "a batch of the next segment":
        assert told(by_ranges(segment.data, 1, BASES[0])) == expected


def test_there_are_more_than_thirty_kinds() -> None:
    assert len(CORRUPTIONS) > 70


NOT_TEXT = FIRST + R_HEADER_KEY + 1


def test_a_header_key_that_is_not_utf_8_is_contested() -> None:
    """No broker looks at it, and Kafka's own classes read it."""
    segment = clean()
    segment.patch(AT, NOT_TEXT, b"\xff", seal=True)
    start = segment.starts[AT]
    read = entries(segment.data, first=BASES[0], below=BASES[-1] + 4)
    assert told(read) == [(start, "contested", "invalid-utf8", start + FIRST + R_HEADER_KEY)]


def test_another_fault_behind_text_that_is_not_utf_8_is_told() -> None:
    segment = clean()
    segment.patch(AT, NOT_TEXT, b"\xff")
    segment.patch(AT, FIRST + RECORD_SIZE + R_HEADER_KEY, b"\x01", seal=True)
    start = segment.starts[AT]
    expected = [(start, "fail", "negative-length", start + FIRST + RECORD_SIZE + R_HEADER_KEY)]
    assert told(entries(segment.data)) == expected


def test_an_offset_that_goes_back_is_told_beside_it() -> None:
    segment = clean()
    segment.patch(AT, NOT_TEXT, b"\xff", seal=True)
    segment.parts[AT], segment.parts[AT + 1] = segment.parts[AT + 1], segment.parts[AT]
    assert {row[1:3] for row in told(entries(segment.data))} >= {
        ("fail", "offset-order"),
        ("contested", "invalid-utf8"),
    }


def test_two_corruptions_are_told_both() -> None:
    segment = clean()
    segment.flip(1, COUNT)
    segment.flip(4, LENGTH + 2)
    starts = segment.starts
    assert told(entries(segment.data)) == [
        (starts[1], "fail", "crc-mismatch", starts[1] + CRC),
        (starts[4], "fail", "length-mismatch", starts[4] + LENGTH),
    ]


def test_a_wrong_batch_beside_wrong_bytes() -> None:
    segment = clean()
    segment.flip(AT, COUNT)
    segment.parts.insert(AT + 1, bytes(300))
    starts = segment.starts
    assert told(entries(segment.data)) == [
        (starts[AT], "fail", "crc-mismatch", starts[AT] + CRC),
        (starts[AT + 1], "fail", "not-a-batch", starts[AT + 1]),
    ]


def test_a_batch_in_a_record_is_not_taken_for_one() -> None:
    """A value that is a batch: only where the outer batch's end is lost, it is looked into."""
    inside = batch(5000)
    body = b"\0\0\0" + b"\1" + _varint(len(inside)) + inside + b"\0"
    segment = clean()
    segment.parts[AT] = raw_batch(BASES[AT], 0, 1, _varint(len(body)) + body)
    assert told(entries(segment.data)) == []
    segment.patch(AT, COUNT, struct.pack(">i", 9), seal=True)
    start = segment.starts[AT]
    assert told(entries(segment.data)) == [(start, "fail", "count-mismatch", start + COUNT)]


def _varint(number: int) -> bytes:
    from support.log_segments import varint

    return varint(number)


@pytest.mark.parametrize("cut", [1, 16, 17, 60, 61, 100])
def test_a_torn_tail(cut: int) -> None:
    segment = clean()
    segment.parts[5] = segment.parts[5][:cut]
    start = segment.starts[5]
    assert told(entries(segment.data)) == [(start, "torn-tail", "truncated", start)]


@pytest.mark.parametrize("written", [0, 30, 61, 100])
def test_a_torn_tail_in_preallocated_space(written: int) -> None:
    segment = clean()
    segment.parts[5] = segment.parts[5][:written] + bytes(5000)
    start = segment.starts[5]
    assert told(entries(segment.data)) == [(start, "torn-tail", "truncated", start)]


def test_a_wrong_batch_before_preallocated_space() -> None:
    segment = clean()
    segment.flip(5, COUNT)
    segment.parts.append(bytes(5000))
    starts = segment.starts
    assert told(entries(segment.data)) == [
        (starts[5], "fail", "crc-mismatch", starts[5] + CRC),
        (starts[6], "torn-tail", "truncated", starts[6]),
    ]


def test_the_leader_epoch_is_free() -> None:
    """No CRC covers it, and no rule binds it."""
    segment = clean()
    segment.flip(AT, EPOCH)
    assert told(entries(segment.data)) == []
