"""Mutations: each on input made by hand, with the expected bytes written by hand."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

import pytest
from crc32c import crc32c
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance.generation import mutations
from wireproof.conformance.generation.mutations import elements, fields
from wireproof.conformance.generation.mutations.checksums import sealed
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.fuzz.corpus import vector_seeds

T = TypeVar("T")


class First(Random):
    """Chooses the first of everything, or what it prefers where that is among the options; bytes are 2a."""

    prefers: object = None

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override]
        return next((one for one in seq if one is self.prefers), seq[0])

    def random(self) -> float:
        return 0.0

    def randint(self, a: int, b: int) -> int:
        return a

    def randbytes(self, n: int) -> bytes:
        return b"\x2a" * n


def changed(
    name: str,
    type_name: str,
    digits: str,
    *,
    version: int | None = None,
    other: str | None = None,
    mend: bool = True,
    dialect: str = KAFKA,
    prefers: object = None,
) -> str | None:
    random = First()
    random.prefers = prefers
    second = None if other is None else bytes.fromhex(other)
    found = mutations.apply(
        name, bytes.fromhex(digits), dialect, type_name, version, random, other=second, mend=mend
    )  # fmt: skip
    return None if found is None else found.hex()


#: Two tags: 1 with aa, 3 with bbcc.
TAGS = "02 0101aa 0302bbcc"
#: A batch without records, its CRC before and after attributes.
HEAD = "0000000000000000 00000031 00000000 02"
CRC = "8f49d629"
REST = "0000 00000000 00000174876e8000 00000174876e8000 ffffffffffffffff ffff ffffffff 00000000"
FETCH_12 = "ffffffff 00000001 00000001 00000001 00 00000000 ffffffff 01 01 01"


@pytest.mark.parametrize(
    ("name", "type_name", "before", "after"),
    [
        ("tags-reorder", "TAG_BUFFER", TAGS, "02 0302bbcc 0101aa"),
        ("tag-duplicate", "TAG_BUFFER", TAGS, "03 0101aa 0101aa 0302bbcc"),
        ("tag-drop", "TAG_BUFFER", TAGS, "01 0302bbcc"),
        ("tag-unknown", "TAG_BUFFER", TAGS, "03 00012a 0101aa 0302bbcc"),
        ("tag-unknown", "TAG_BUFFER", "00", "01 00012a"),
        ("elements-reorder", "ARRAY<INT8>", "00000003 010203", "00000003 020103"),
        ("element-duplicate", "ARRAY<INT8>", "00000003 010203", "00000004 01010203"),
        ("element-drop", "ARRAY<INT8>", "00000003 010203", "00000002 0203"),
        ("element-drop", "COMPACT_ARRAY<ARRAY<INT8>>", "03 0000000105 0000000106", "02 0000000106"),
        ("null-empty", "NULLABLE_STRING", "0001 61", "ffff"),
        ("null-empty", "NULLABLE_STRING", "ffff", "0000"),
        ("null-empty", "NULLABLE_STRING", "0000", "ffff"),
        ("null-empty", "COMPACT_NULLABLE_BYTES", "00", "01"),
        ("null-empty", "COMPACT_NULLABLE_BYTES", "01", "00"),
        ("null-empty", "NULLABLE_ARRAY<INT8>", "00000002 0506", "ffffffff"),
        ("length-change", "STRING", "0001 61", "0002 61"),
        ("count-change", "COMPACT_ARRAY<INT8>", "02 05", "03 05"),
        ("size-change", "TAG_BUFFER", "01 0101aa", "01 0102aa"),
        ("varint-stretch", "UNSIGNED_VARINT", "05", "8500"),
        ("varint-stretch", "VARINT", "ac02", "ac8200"),
        ("varint-overflow", "UNSIGNED_VARINT", "05", "8580808010"),
        ("varint-overflow", "UNSIGNED_VARINT", "ffffffff0f", "ffffffff1f"),
        ("varint-overflow", "VARLONG", "01", "81808080808080808002"),
        ("number-change", "INT8", "05", "06"),
        ("text-change", "STRING", "0001 61", "0000"),
        ("text-invalid", "STRING", "0002 6162", "0001 80"),
        ("bytes-change", "BYTES", "00000001 aa", "00000000"),
        ("bit-flip", "INT8", "05", "04"),
        ("cut", "ARRAY<INT8>", "00000002 0506", "00000002"),
        ("trailing-bytes", "INT8", "05", "0500"),
        ("crc-break", "RecordBatch", HEAD + CRC + REST, HEAD + "8f49d628" + REST),
        ("crc-mend", "RecordBatch", HEAD + "00000000" + REST, HEAD + CRC + REST),
        ("crc-mend", "RecordSet", HEAD + "00000000" + REST + HEAD + "00000001" + REST, 2 * (HEAD + CRC + REST)),
    ],
)
def test_what_it_makes(name: str, type_name: str, before: str, after: str) -> None:
    assert changed(name, type_name, before) == after.replace(" ", "")


@pytest.mark.parametrize(
    ("name", "type_name", "before", "other", "after"),
    [
        ("tag-splice", "TAG_BUFFER", TAGS, "01 0501dd", "02 0501dd 0302bbcc"),
        ("tag-splice", "TAG_BUFFER", "00", "01 0501dd", "01 0501dd"),
        ("element-splice", "ARRAY<INT8>", "00000002 0102", "00000001 09", "00000002 0902"),
        ("element-splice", "ARRAY<INT8>", "00000000", "00000001 09", "00000001 09"),
        ("element-splice", "NULLABLE_ARRAY<INT8>", "ffffffff", "00000001 09", "00000001 09"),
        ("field-splice", "INT16", "0001", "0007", "0007"),
        ("field-splice", "STRING", "0001 61", "0003 626364", "0003 626364"),
    ],
)
def test_what_it_takes_from_another_input(name: str, type_name: str, before: str, other: str, after: str) -> None:
    assert changed(name, type_name, before, other=other) == after.replace(" ", "")
    assert changed(name, type_name, before) is None


def test_tags_that_this_version_knows_and_that_only_others_know() -> None:
    """SupportedFeatures, an array; ReplicaState of version 15 on: INT32, INT64, and its own tags."""
    assert changed("tag-known", "ApiVersionsResponse", "0000 01 00000000 00", version=3) == (
        "0000 01 00000000 01 00 01 01".replace(" ", "")
    )
    assert changed("tag-foreign", "FetchRequest", FETCH_12 + "00", version=12) == (
        (FETCH_12 + "01 01 0d 00000000 0000000000000000 00").replace(" ", "")
    )


def test_optional_fields_of_kip_482() -> None:
    """FieldLength, zigzag, of the value alone; a tag of 16 bits."""

    def of_buffer(name: str) -> str | None:
        return changed(name, "OPTIONAL_FIELDS", "02 0001 aa 04 0003 bbcc 00", dialect="kip-482-v1")

    assert of_buffer("tags-reorder") == "040003bbcc020001aa00"
    assert of_buffer("tag-duplicate") == "020001aa020001aa040003bbcc00"
    assert of_buffer("tag-drop") == "040003bbcc00"
    assert of_buffer("tag-unknown") == "0200002a020001aa040003bbcc00"
    assert changed("tag-unknown", "OPTIONAL_FIELDS", "00", dialect="kip-482-v1") == "0200002a00"


def test_what_encloses_a_change_is_mended_or_not() -> None:
    frame = "0000000b 0012 0000 00000007 0001 63"
    assert changed("text-change", "RequestFrame", frame) == "0000000a00120000000000070000"
    assert changed("text-change", "RequestFrame", frame, mend=False) == "0000000b00120000000000070001"
    assert changed("null-empty", "RequestFrame", frame) == "0000000a0012000000000007ffff"
    assert changed("size-change", "RequestFrame", frame) == ("0000000c" + frame[8:]).replace(" ", "")


def test_an_overlong_prefix_stays_as_it_is_where_nothing_changes_in_it() -> None:
    assert changed("number-change", "ARRAY<INT8>", "00000001 05") == "0000000106"
    assert changed("text-change", "COMPACT_ARRAY<COMPACT_STRING>", "03 8200 61 8200 62") == "0301820062"


def batch(records: bytes, count: int, codec: int = 0) -> bytes:
    covered = struct.pack(">hiqqqhii", codec, 0, 0, 0, -1, -1, -1, count) + records
    return struct.pack(">qiibI", 0, 9 + len(covered), 0, 2, crc32c(covered)) + covered


def message(value: bytes, codec: int = 0) -> bytes:
    covered = struct.pack(">bbi", 0, codec, -1) + struct.pack(">i", len(value)) + value
    return struct.pack(">qiI", 0, 4 + len(covered), zlib.crc32(covered)) + covered


RECORDS = (bytes.fromhex("0c 00 00 00 01 01 00"), bytes.fromhex("0e 00 00 02 01 02 62 00"))


def of_bytes(name: str, type_name: str, data: bytes, *, version: int | None = None, prefers: object = None) -> bytes:
    found = changed(name, type_name, data.hex(), version=version, prefers=prefers)
    assert found is not None
    return bytes.fromhex(found)


def test_sizes_counts_and_crc_of_a_batch_are_mended() -> None:
    two = batch(b"".join(RECORDS), 2)
    assert of_bytes("element-drop", "RecordBatch", two) == batch(RECORDS[1], 1)
    assert of_bytes("element-duplicate", "RecordBatch", two) == batch(2 * RECORDS[0] + RECORDS[1], 3)
    assert of_bytes("elements-reorder", "RecordBatch", two) == batch(RECORDS[1] + RECORDS[0], 2)
    unmended = changed("element-drop", "RecordBatch", two.hex(), mend=False)
    assert unmended == (two[:57] + struct.pack(">i", 1) + RECORDS[1]).hex()


@pytest.mark.parametrize("length", [None, -1, 48, 2**31 - 1])
def test_a_batch_gets_the_right_crc(length: int | None) -> None:
    """And another length where its own is below that of a header, or beyond the end."""
    right = batch(RECORDS[0], 1)
    wrong = bytearray(right)
    wrong[17] ^= 1
    if length is not None:
        wrong[8:12] = struct.pack(">i", length)
    assert sealed(bytes(wrong)) == right
    assert sealed(right + b"more")[:-4] == right  # what follows it is another matter


@pytest.mark.parametrize("data", [b"", message(bytes(60)), batch(b"", 0)[:60]])
def test_what_is_no_batch_gets_no_crc(data: bytes) -> None:
    assert sealed(data) == data


def test_structure_is_seen_behind_a_wrong_crc() -> None:
    two = batch(b"".join(RECORDS), 2)
    broken = two[:17] + bytes(4) + two[21:]
    assert of_bytes("element-drop", "RecordBatch", broken) == batch(RECORDS[1], 1)
    unmended = changed("element-drop", "RecordBatch", broken.hex(), mend=False)
    assert unmended == (broken[:57] + struct.pack(">i", 1) + RECORDS[1]).hex()


def test_compressed_records_are_changed_and_packed_again() -> None:
    packed = batch(gzip.compress(b"".join(RECORDS)), 2, codec=1)
    found = of_bytes("content-change", "RecordBatch", packed, prefers=elements.MUTATIONS["element-drop"])
    assert gzip.decompress(found[61:]) == RECORDS[1]
    assert found == batch(found[61:], 1, codec=1)


def test_the_messages_of_a_wrapper_are_changed_and_packed_again() -> None:
    wrapper = message(gzip.compress(message(b"v")), codec=1)
    found = of_bytes(
        "content-change", "MessageSet", wrapper, version=0, prefers=fields.MUTATIONS["bytes-change"]
    )  # fmt: skip
    assert gzip.decompress(found[26:]) == message(b"")
    assert found == message(found[26:], codec=1)


def test_another_codec() -> None:
    plain = batch(RECORDS[0], 1)
    packed = of_bytes("codec-change", "RecordBatch", plain)
    assert gzip.decompress(packed[61:]) == RECORDS[0]
    assert packed == batch(packed[61:], 1, codec=1)
    assert of_bytes("codec-change", "RecordBatch", packed) == plain


def test_records_in_a_messages_field_are_changed() -> None:
    def produce(records: bytes) -> bytes:
        head = bytes.fromhex("ffff 0001 00000000 00000001 0001 61 00000001 00000000")
        return head + struct.pack(">i", len(records)) + records

    two = batch(b"".join(RECORDS), 2)
    drop = elements.MUTATIONS["element-drop"]
    assert of_bytes("records-change", "ProduceRequest", produce(two + two), version=7, prefers=drop) == produce(two)


@pytest.mark.parametrize("name", mutations.names())
def test_where_there_is_nothing_of_the_kind_there_is_no_change(name: str) -> None:
    data = b"" if name != "trailing-bytes" else None
    if data is not None:
        assert mutations.apply(name, data, KAFKA, "INT8", None, Random(1)) is None
    assert mutations.apply(name, b"\0", KAFKA, "NO_TYPE", None, Random(1)) is None
    assert mutations.apply(name, b"\0", "amqp", "INT8", None, Random(1)) is None
    assert mutations.apply(name, bytes(1 << 15), KAFKA, "BYTES", None, Random(1)) is None


def test_names() -> None:
    assert len(mutations.names()) == len(set(mutations.names())) == 30
    with pytest.raises(KeyError):
        mutations.apply("no-such", b"\0", KAFKA, "INT8", None, Random(1))


INPUTS = {
    dialect: [seed for seed in vector_seeds.seeds(dialect) if seed.op is Op.DECODE] for dialect in reference.dialects
}


@pytest.mark.parametrize("dialect", reference.dialects)
def test_any_bytes_become_other_bytes_and_the_same_ones_each_time(dialect: str) -> None:
    def chain(seed: int) -> list[bytes]:
        random, found = Random(seed), []
        for _ in range(100):
            one = random.choice(INPUTS[dialect])
            data = one.data if random.random() < 0.8 else random.randbytes(random.randint(0, 40))
            for _ in range(5):
                assert one.type is not None
                after = mutations.mutate(data, dialect, one.type, one.version, random, random.randbytes(5) + data)
                assert after != data
                data = after
                found.append(after)
        return found

    assert chain(1) == chain(1) != chain(2)


def test_what_knows_no_type_is_changed_all_the_same() -> None:
    random = Random(1)
    for dialect, name in (("amqp", "INT8"), (KAFKA, "NO_TYPE"), (KAFKA, "ARRAY<")):
        for data in (b"", b"\0", b"abc"):
            assert mutations.mutate(data, dialect, name, None, random) != data


def _share(type_name: str, version: int | None, *, past: str | None = None) -> tuple[float, float]:
    """Of what one mutation makes of valid input: the share that is read up to a piece, and the share accepted."""
    random, count, read, accepted = Random(1), 1500, 0, 0
    inputs = [one.data for one in INPUTS[KAFKA] if (one.type, one.version) == (type_name, version)]
    valid = [data for data in inputs if not _explained(type_name, version, data).error]
    for _ in range(count):
        data = mutations.mutate(random.choice(valid), KAFKA, type_name, version, random, random.choice(valid))
        explained = _explained(type_name, version, data)
        read += any(span.what == past for span in explained.spans)
        accepted += explained.error is None
    return read / count, accepted / count


def _explained(type_name: str, version: int | None, data: bytes) -> Any:
    return reference_codec().explain(type_name, data, dialect=KAFKA, version=version)


def test_much_of_what_it_makes_is_read_deeply() -> None:
    """A byte behind the CRC that is changed at random never gets past it, and four of five bytes stand there."""
    past, accepted = _share("RecordBatch", None, past="attributes")
    assert past > 0.5
    assert accepted > 0.2
    assert _share("MetadataResponse", 12)[1] > 0.4
