"""Every switch of Rules has both its readings tested, and every ruling names switches that exist."""

from __future__ import annotations

import dataclasses
import gzip
import struct
import typing
import zlib
from collections.abc import Callable
from typing import Any

import lz4.frame  # type: ignore[import-untyped]
import pytest
from crc32c import crc32c
from wire import KAFKA, Message, Refused, attempt, decode, encode, field, recode, schema, tagged

from reference import Reference, Rules, Ruling, WireError, dialects, message, rules_with, rulings

# Questions, each put under Rules(**switches).

Question = Callable[..., Any]


def reading(name: str, digits: str, version: int | None = None) -> Question:
    return lambda **switches: decode(name, digits, version, **switches)


def drafted(dialect: str, name: str, digits: str) -> Question:
    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        return attempt(lambda: own.decode(name, bytes.fromhex(digits), dialect=dialect))

    return ask


def serving(*chunks: str) -> Question:
    def ask(**switches: Any) -> tuple[str, bool]:
        own = Reference(Rules(**switches))
        own.configure({"apis": {"18": [0, 5], "3": [0, 1]}}, dialect=KAFKA)
        sent, closed = own.serve([bytes.fromhex(chunk) for chunk in chunks], dialect=KAFKA)
        return sent.hex(), closed

    return ask


def interpreting(version: str, response: str | None) -> Question:
    request = bytes.fromhex("0000000a" + "0012" + version + "00000001" + "ffff")
    answer = None if response is None else bytes.fromhex(response)
    return lambda **switches: Reference(Rules(**switches)).interpret(request, answer, dialect=KAFKA)


def unknown(frame: str) -> Question:
    """A request that a broker of KIP-35 does not know."""
    request = bytes.fromhex(frame)
    return lambda **switches: Reference(Rules(**switches)).serve([request], dialect="kip-35-v7")[0].hex()


def told(response: str) -> Question:
    """What a client of kip-35-v7 makes of a response to Produce 3, correlation id 10."""
    request = bytes.fromhex("00000008 0000 0003 0000000a")
    return lambda **rules: Reference(Rules(**rules)).interpret(request, bytes.fromhex(response), dialect="kip-35-v7")


def added(*numbers: int) -> Question:
    """What breaks in a ledger of kip-35-v7 whose request types were added under these numbers."""
    entries = [{"request": f"{name}Request", "version": 0, "added": n} for name, n in zip("AB", numbers, strict=True)]
    ledger = {"protocolVersions": entries}
    return lambda **rules: Reference(Rules(**rules)).evolve({"protocolVersions": []}, ledger, dialect="kip-35-v7")


def headed(name: str, digits: str) -> Question:
    """Of headers under int keys."""
    data = bytes.fromhex(digits)
    return lambda **switches: attempt(
        lambda: Reference(Rules(**switches)).decode(name, data, dialect="kip-82-int-keys")
    )


def looked_up(key: int, digits: str) -> Question:
    data = bytes.fromhex(digits)
    return lambda **switches: attempt(
        lambda: Reference(Rules(**switches)).lookup("HEADERS", data, key, dialect="kip-82-int-keys")
    )


def sorting(*keys: int) -> Question:
    """The keys of headers, in the order in which they are written."""

    def ask(**switches: Any) -> list[int]:
        written = Reference(Rules(**switches)).encode(
            "HEADERS", [(key, b"") for key in keys], dialect="kip-82-int-keys"
        )
        return [int.from_bytes(written[at : at + 4], signed=True) for at in range(0, len(written), 8)]

    return ask


def of_wire_format(op: str, *arguments: Any, **named: Any) -> Question:
    """An op of the reference on this dialect; bytes in hex, "refused" for a refusal."""

    def ask(**switches: Any) -> Any:
        try:
            found = getattr(Reference(Rules(**switches)), op)(*arguments, dialect="wire-format", **named)
        except WireError:
            return "refused"
        return found.hex() if isinstance(found, bytes) else found

    return ask


def fetch(correlation_id: int) -> dict[str, Any]:
    common = {"request_type_id": 1, "version_id": 0, "correlation_id": correlation_id, "client_id": ""}
    return {**common, "replica_id": -1, "max_wait": 0, "min_bytes": 0, "topic_offsets": []}


FETCH_END = "0000" + "ffffffff" + "00000000" + "00000000" + "0000"
#: acks as given; topic "", partition 0, an empty set.
PRODUCE = "0000001d" + "0000" + "0000" + "00000007" + "0000" + "{}" + "00000000" + "0001" + "0000" + "0001" + "00000000"
PRODUCE += "00000000"
#: Error, the error of the one set, and its offset as given.
PRODUCED = "00000016" + "00000007" + "0000" + "{}" + "0001" + "{}" + "0001" + "{:016x}"


def answered(request_error: str, error: str, offset: int = 0) -> tuple[bytes, bool]:
    return bytes.fromhex(PRODUCED.format(request_error, error, offset)), False


def produced(required_acks: str) -> Question:
    return of_wire_format("serve", [bytes.fromhex(PRODUCE.format(required_acks))])


def small(raw: dict[str, Any], digits: str, version: int = 0) -> Question:
    return lambda **switches: Message(raw, version, **switches).decode(digits)


MARKED = schema(field("S", "In", fields=[field("X", "int8")], nullableVersions="0+"))
MARKED_TAG = schema(
    tagged("S", "In", 0, fields=[field("X", "int8")], nullableVersions="0+", default="null"), flexible="0+"
)
ONE_TAG = schema(tagged("A", "int8", 0), tagged("B", "int8", 1, "5+"), flexible="0+")
MANY_TAGS = "914e" + "".join(
    (f"{tag:02x}" if tag < 128 else f"{tag & 127 | 128:02x}{tag >> 7:02x}") + "00" for tag in range(10_001)
)
MANY_TAGS_VALUE = [(tag, b"") for tag in range(10_001)]
FULL = "00000016" + "00000001" + "0023" + "00000002" + "000300000001" + "001200000002"


def batch(count: int, content: bytes, codec: int = 0) -> str:
    """A batch of magic 2 with such a count and content, its sizes and CRC right."""
    fields = struct.pack(">hiqqqhii", codec, 0, 0, 0, -1, -1, -1, count) + content
    return (struct.pack(">qiibI", 0, 9 + len(fields), -1, 2, crc32c(fields)) + fields).hex()


def entry(magic: int, offset: int, codec: int, value: bytes, length: int | None = None) -> bytes:
    """A message of magic 0 or 1 without a key, its size and CRC right; `length`: what stands before the value."""
    length = len(value) if length is None else length
    inside = bytes([magic, codec]) + bytes(8 * magic) + b"\xff" * 4 + struct.pack(">i", length) + value
    return struct.pack(">qiI", offset, 4 + len(inside), zlib.crc32(inside)) + inside


def contents(type_name: str, digits: str, version: int | None = None) -> Question:
    """The values of the messages or records that are read."""

    def ask(**switches: Any) -> Any:
        found = decode(type_name, digits, version=version, **switches)
        if isinstance(found, Refused):
            return found
        if type_name == "RecordBatch":
            return [record["value"] for record in found["records"]]
        return [inner["value"] for message in found for inner in message.get("messages", [message])]

    return ask


#: length 7: attributes, deltas, null key, value "a", no headers
A_RECORD = bytes.fromhex("0e" + "00" + "00" + "00" + "01" + "02" + "61" + "00")
GZIPPED = gzip.compress(A_RECORD, mtime=0)
#: Of more than one block: a lone one has nothing to be linked with.
LINKED = lz4.frame.compress(A_RECORD * 10_000, block_size=lz4.frame.BLOCKSIZE_MAX64KB, block_linked=True)
#: Xerial's header with both versions 1, and a block: raw snappy of one literal.
XERIAL = bytes.fromhex("82534e4150505900" + "00000001" + "00000001" + "0000000a" + "08" + "1c") + A_RECORD


def zstd_frame(window: int) -> bytes:
    """A frame of unknown size whose header has this descriptor of its window, with one raw block."""
    return bytes.fromhex("28b52ffd00") + bytes([window]) + (len(A_RECORD) << 3 | 1).to_bytes(3, "little") + A_RECORD


INNER = entry(0, 0, 0, b"a")

#: switch → (question, {reading: what the reference then does}), the demanded reading first
#: A message of magic 2 with the flag for headers, and a HeadersLength of 0.
_NO_HEADERS = bytes.fromhex("02 10 0000000000000000 ffffffff 00000000 ffffffff")
NO_HEADERS = f"{0:016x}{4 + len(_NO_HEADERS):08x}{zlib.crc32(_NO_HEADERS):08x}{_NO_HEADERS.hex()}"

SWITCHES: dict[str, list[tuple[Question, dict[str, Any]]]] = {
    "overlong_varints": [
        (reading("UNSIGNED_VARINT", "8100"), {"decoded": 1, "refused": Refused("varint-overflow", 0)}),
        (reading("UNSIGNED_VARINT", "01"), {"decoded": 1, "refused": 1}),
        (reading("UNSIGNED_VARINT", "00"), {"decoded": 0, "refused": 0}),
        (reading("UNSIGNED_VARINT", "8001"), {"decoded": 128, "refused": 128}),
        (reading("VARINT", "00"), {"decoded": 0, "refused": 0}),
        (reading("VARINT", "8000"), {"decoded": 0, "refused": Refused("varint-overflow", 0)}),
        (
            reading("VARLONG", "ffffffffffffffffff00"),
            {"decoded": -(2**62), "refused": Refused("varint-overflow", 0)},
        ),
        (reading("COMPACT_STRING", "8200" + "61"), {"decoded": "a", "refused": Refused("varint-overflow", 0)}),
        (reading("TAG_BUFFER", "018000" + "00"), {"decoded": [(0, b"")], "refused": Refused("varint-overflow", 1)}),
    ],
    "high_bits": [
        (reading("UNSIGNED_VARINT", "ffffffff1f"), {"refused": Refused("varint-overflow", 0), "dropped": 2**32 - 1}),
        (reading("UNSIGNED_VARINT", "8080808070"), {"refused": Refused("varint-overflow", 0), "dropped": 0}),
        (reading("VARINT", "feffffff7f"), {"refused": Refused("varint-overflow", 0), "dropped": 2**31 - 1}),
        (
            reading("VARLONG", "feffffffffffffffff7f"),
            {"refused": Refused("varint-overflow", 0), "dropped": 2**63 - 1},
        ),
        (
            reading("UNSIGNED_VARINT", "8080808080"),
            {"refused": Refused("varint-overflow", 0), "dropped": Refused("varint-overflow", 0)},
        ),
    ],
    "invalid_text": [
        (reading("STRING", "000161"), {"refused": "a", "replaced": "a", "kept": "a"}),
        (
            reading("STRING", "000261ff"),
            {"refused": Refused("invalid-utf8", 0), "replaced": "a\ufffd", "kept": "a\udcff"},
        ),
        (
            reading("COMPACT_NULLABLE_STRING", "02ff"),
            {"refused": Refused("invalid-utf8", 0), "replaced": "\ufffd", "kept": "\udcff"},
        ),
    ],
    "trailing_bytes": [
        (reading("INT8", "0100"), {"refused": Refused("trailing-bytes", 1), "ignored": 1}),
        (reading("ApiVersionsRequest", "00", 0), {"refused": Refused("trailing-bytes", 0), "ignored": {}}),
        (
            reading("ResponseFrame:ApiVersions", "0000000b" + "00000001" + "0000" + "00000000" + "ff", 0),
            {
                "refused": Refused("trailing-bytes", 14),
                "ignored": {"header": {"CorrelationId": 1}, "body": {"ErrorCode": 0, "ApiKeys": []}},
            },
        ),
        (
            serving("0000000b" + "0012" + "0000" + "00000001" + "ffff" + "00"),
            {
                "refused": ("", True),
                "ignored": (
                    "00000016" + "00000001" + "0000" + "00000002" + "000300000001" + "001200000005",
                    False,
                ),
            },
        ),
    ],
    "negative_length": [
        (reading("NULLABLE_STRING", "fffe"), {"refused": Refused("negative-length", 0), "null": None}),
        (reading("NULLABLE_BYTES", "80000000"), {"refused": Refused("negative-length", 0), "null": None}),
        (reading("NULLABLE_ARRAY<INT8>", "fffffffe"), {"refused": Refused("negative-length", 0), "null": None}),
        (
            reading("STRING", "fffe"),
            {"refused": Refused("negative-length", 0), "null": Refused("negative-length", 0)},
        ),
        (
            reading("RequestHeader", "0012" + "0000" + "00000001" + "fffe", 1),
            {
                "refused": Refused("negative-length", 8),
                "null": {"RequestApiKey": 18, "RequestApiVersion": 0, "CorrelationId": 1, "ClientId": None},
            },
        ),
    ],
    "compact_length": [
        (reading("COMPACT_NULLABLE_STRING", "ffffffff0f"), {"unsigned": Refused("truncated", 0), "signed": None}),
        (reading("COMPACT_NULLABLE_BYTES", "8180808008"), {"unsigned": Refused("truncated", 0), "signed": None}),
        (
            reading("COMPACT_NULLABLE_BYTES", "8080808008"),
            {"unsigned": Refused("truncated", 0), "signed": Refused("truncated", 0)},
        ),
        (
            reading("COMPACT_NULLABLE_ARRAY<INT8>", "ffffffff0f"),
            {"unsigned": Refused("truncated", 0), "signed": None},
        ),
        (
            reading("COMPACT_STRING", "ffffffff0f"),
            {"unsigned": Refused("truncated", 0), "signed": Refused("negative-length", 0)},
        ),
    ],
    "tag_order": [
        (
            reading("TAG_BUFFER", "02" + "0201aa" + "0101bb"),
            {
                "ascending": Refused("tag-order", 4),
                "any": [(2, b"\xaa"), (1, b"\xbb")],
                "map": [(1, b"\xbb"), (2, b"\xaa")],
            },
        ),
        (
            reading("TAG_BUFFER", "02" + "0201aa" + "0201bb"),
            {
                "ascending": Refused("tag-duplicate", 4),
                "any": [(2, b"\xaa"), (2, b"\xbb")],
                "map": [(2, b"\xbb")],
            },
        ),
        (
            small(ONE_TAG, "02" + "000105" + "000106"),
            {"ascending": Refused("tag-duplicate", 4), "any": {"A": 6}, "map": {"A": 6}},
        ),
    ],
    "tag_size": [
        (
            small(ONE_TAG, "01" + "000205" + "06"),
            {"exact": Refused("length-mismatch", 2), "ignored": Refused("trailing-bytes", 4)},
        ),
        (
            small(ONE_TAG, "02" + "000205" + "0100"),
            {"exact": Refused("length-mismatch", 2), "ignored": {"A": 5, "_tags": [(1, b"")]}},
        ),
        (small(ONE_TAG, "01" + "0000" + "05"), {"exact": Refused("truncated", 3), "ignored": {"A": 5}}),
        (small(ONE_TAG, "01" + "00ffffffff0f" + "05"), {"exact": Refused("truncated", 2), "ignored": {"A": 5}}),
        (small(ONE_TAG, "01" + "0109" + "05"), {"exact": Refused("truncated", 2), "ignored": Refused("truncated", 2)}),
    ],
    "foreign_tags": [
        (
            small(ONE_TAG, "01" + "010105"),
            {"kept": {"A": 0, "_tags": [(1, b"\5")]}, "refused": Refused("unsupported-version", 1)},
        ),
        (
            small(ONE_TAG, "01" + "020105"),
            {"kept": {"A": 0, "_tags": [(2, b"\5")]}, "refused": {"A": 0, "_tags": [(2, b"\5")]}},
        ),
        (small(ONE_TAG, "01" + "010105", 5), {"kept": {"A": 0, "B": 5}, "refused": {"A": 0, "B": 5}}),
        (reading("TAG_BUFFER", "010000"), {"kept": [(0, b"")], "refused": [(0, b"")]}),
    ],
    "tag_numbers": [
        (
            lambda **switches: encode("TAG_BUFFER", [(2**31 - 1, b"")], **switches),
            {"unsigned": "01ffffffff0700", "signed": Refused("out-of-range")},
        ),
        (
            lambda **switches: encode("TAG_BUFFER", [(2**31 - 2, b"")], **switches),
            {"unsigned": "01feffffff0700", "signed": "01feffffff0700"},
        ),
        (reading("TAG_BUFFER", "01ffffffff0f00"), {"unsigned": [(2**32 - 1, b"")], "signed": [(2**32 - 1, b"")]}),
    ],
    "struct_marker": [
        (small(MARKED, "fe"), {"exact": Refused("invalid-marker", 0), "sign": {"S": None}}),
        (small(MARKED, "80"), {"exact": Refused("invalid-marker", 0), "sign": {"S": None}}),
        (small(MARKED, "0005"), {"exact": Refused("invalid-marker", 0), "sign": {"S": {"X": 5}}}),
        (small(MARKED, "7f05"), {"exact": Refused("invalid-marker", 0), "sign": {"S": {"X": 5}}}),
        (small(MARKED, "0105"), {"exact": {"S": {"X": 5}}, "sign": {"S": {"X": 5}}}),
        (small(MARKED, "ff"), {"exact": {"S": None}, "sign": {"S": None}}),
        (small(MARKED_TAG, "010003020500"), {"exact": Refused("invalid-marker", 3), "sign": {"S": {"X": 5}}}),
        (small(MARKED_TAG, "01000100"), {"exact": {"S": None}, "sign": {"S": None}}),
        (small(MARKED_TAG, "010003010500"), {"exact": {"S": {"X": 5}}, "sign": {"S": {"X": 5}}}),
        (small(MARKED_TAG, "0100058080808008"), {"exact": Refused("invalid-marker", 3), "sign": {"S": None}}),
        (
            small(MARKED_TAG, "010007" + "ffffffff07" + "0500"),
            {"exact": Refused("invalid-marker", 3), "sign": {"S": {"X": 5}}},
        ),
    ],
    "policy_limits": [
        (reading("TAG_BUFFER", MANY_TAGS), {"none": MANY_TAGS_VALUE, "kafka-4.4": Refused("resource-limit", 0)}),
        (
            reading("TAG_BUFFER", "904e" + MANY_TAGS[4:-6]),
            {"none": MANY_TAGS_VALUE[:-1], "kafka-4.4": MANY_TAGS_VALUE[:-1]},
        ),
        (
            reading("ARRAY<BOOLEAN>", "000f4241" + "00" * 1_000_001),
            {"none": [False] * 1_000_001, "kafka-4.4": Refused("resource-limit", 0)},
        ),
        (reading("ARRAY<INT8>", "000f4241"), {"none": Refused("truncated", 0), "kafka-4.4": Refused("truncated", 0)}),
    ],
    "fallback_keys": [
        (
            serving("0000000b" + "0012" + "0063" + "00000001" + "ffff" + "00"),
            {
                "own": ("00000010" + "00000001" + "0023" + "00000001" + "001200000005", False),
                "empty": ("0000000a" + "00000001" + "0023" + "00000000", False),
                "full": ("00000016" + "00000001" + "0023" + "00000002" + "000300000001" + "001200000005", False),
            },
        ),
    ],
    "unsupported_request": [
        (
            serving("0000000a" + "03e7" + "0000" + "00000009" + "ffff"),
            {"closes": ("", True), "error-35": ("00000006" + "00000009" + "0023", False)},
        ),
        (
            serving("0000000a" + "0003" + "0009" + "00000009" + "ffff"),
            {"closes": ("", True), "error-35": ("00000006" + "00000009" + "0023", False)},
        ),
    ],
    "full_table": [
        (
            interpreting("0005", FULL),
            {"retry": {"outcome": "retry", "version": 2}, "accepted": {"outcome": "accepted"}},
        ),
    ],
    "empty_response": [
        (unknown("00000008 03e7 0000 0000000a"), {"counted": "000000040000000a", "literal": "000000000000000a"}),
        (unknown("00000008 0011 0001 00000000"), {"counted": "0000000400000000", "literal": "0000000000000000"}),
    ],
    "empty_response_means": [
        (
            told("000000040000000a"),
            {
                "unsupported": {"outcome": "unsupported", "request": "ProduceRequest"},
                "malformed": {"outcome": "malformed", "request": "ProduceRequest"},
            },
        ),
        (told("000000040000000b"), {"unsupported": {"outcome": "malformed"}, "malformed": {"outcome": "malformed"}}),
    ],
    "shared_number": [
        (added(1, 1), {"allowed": [], "refused": [{"kind": "number-shared", "path": "BRequest v0"}]}),
        (added(1, 2), {"allowed": [], "refused": []}),
    ],
    "int_key_order": [
        (
            headed("HEADERS", "ffffffff000000000000000100000000"),
            {"signed": [(-1, b""), (1, b"")], "unsigned": Refused("key-order", 8)},
        ),
        (
            headed("HEADERS", "0000000100000000ffffffff00000000"),
            {"signed": Refused("key-order", 8), "unsigned": [(1, b""), (-1, b"")]},
        ),
        (
            headed("HEADERS", "00000001000000000000000100000000"),
            {"signed": Refused("key-duplicate", 8), "unsigned": Refused("key-duplicate", 8)},
        ),
        (
            sorting(2, -1, 1, -(2**31)),
            {"signed": [-(2**31), -1, 1, 2], "unsigned": [1, 2, -(2**31), -1]},
        ),
    ],
    "behind_the_key": [
        (
            looked_up(1, "000000010000000161" + "0000000500000000" + "0000000300000000"),
            {"unread": [b"a"], "read": Refused("key-order", 17)},
        ),
        (
            looked_up(5, "000000010000000161" + "000000050000000162" + "0000000900000000"),
            {"unread": [b"b"], "read": [b"b"]},
        ),
        (looked_up(3, "000000010000000161" + "000000050000000162"), {"unread": [], "read": []}),
    ],
    "flag_without_headers": [
        (
            headed("MESSAGE_SET", NO_HEADERS),
            {
                "decoded": [
                    {
                        "offset": 0,
                        "magic": 2,
                        "attributes": 0x10,
                        "timestamp": 0,
                        "key": None,
                        "headers": [],
                        "value": None,
                    }
                ],
                "refused": Refused("zero-length-field", 30),
            },
        ),
        (headed("HEADERS", ""), {"decoded": [], "refused": []}),
    ],
    "closed_api_versions": [
        (
            interpreting("0003", None),
            {"error": {"outcome": "error", "error": None}, "retry-0": {"outcome": "retry", "version": 0}},
        ),
    ],
    "header_order": [
        (
            drafted("kip-82-string-keys", "HEADERS", "020162" + "020161" + "020162"),
            {
                "kept": [("b", b""), ("a", b""), ("b", b"")],
                "grouped": [("b", b""), ("b", b""), ("a", b"")],
                "sorted": [("a", b""), ("b", b""), ("b", b"")],
            },
        ),
    ],
    "uint_var": [
        (drafted("kip-82-string-keys", "UVARINT", "03"), {"unsigned": 3, "zigzag": -2}),
        (drafted("kip-82-string-keys", "INTVAR", "03"), {"unsigned": -2, "zigzag": -2}),
        (
            drafted("kip-82-string-keys", "HEADER", "020161"),
            {"unsigned": ("a", b""), "zigzag": Refused("negative-length", 1)},
        ),
    ],
    "record_length": [
        (
            reading("Record", "0e" + "00" + "00" + "00" + "03" + "02" + "61" + "00"),
            {
                "refused": Refused("negative-length", 4),
                "null": {
                    "attributes": 0,
                    "timestampDelta": 0,
                    "offsetDelta": 0,
                    "key": None,
                    "value": b"a",
                    "headers": [],
                },
            },
        ),
    ],
    "empty_batch": [
        (
            contents("RecordBatch", batch(0, A_RECORD)),
            {"refused": Refused("count-mismatch", 57), "ignored": []},
        ),
        (contents("RecordBatch", batch(0, b"")), {"refused": [], "ignored": []}),
    ],
    "after_stream": [
        (
            contents("RecordBatch", batch(1, GZIPPED + b"\0", 1)),
            {"refused": Refused("corrupt-compression", 61), "ignored": [b"a"]},
        ),
        (contents("RecordBatch", batch(1, GZIPPED, 1)), {"refused": [b"a"], "ignored": [b"a"]}),
    ],
    "linked_blocks": [
        (
            contents("RecordBatch", batch(10_000, LINKED, 3)),
            {"read": [b"a"] * 10_000, "refused": Refused("corrupt-compression", 61)},
        ),
    ],
    "xerial_version": [
        (
            contents("RecordBatch", batch(1, XERIAL[:8] + bytes(4) + XERIAL[12:], 2)),
            {"from-1": Refused("corrupt-compression", 61), "any": [b"a"]},
        ),
        (contents("RecordBatch", batch(1, XERIAL, 2)), {"from-1": [b"a"], "any": [b"a"]}),
    ],
    "zstd_window": [
        (
            contents("RecordBatch", batch(1, zstd_frame(0x89), 4)),
            {"128-mib": Refused("corrupt-compression", 61), "any": [b"a"]},
        ),
        (contents("RecordBatch", batch(1, zstd_frame(0x88), 4)), {"128-mib": [b"a"], "any": [b"a"]}),
    ],
    "inner_partial": [
        (
            contents("MessageSet", entry(0, 0, 1, gzip.compress(INNER + INNER[:-1])).hex(), 0),
            {"refused": Refused("truncated", 26), "dropped": [b"a"]},
        ),
    ],
    "inner_magic": [
        (
            contents("MessageSet", entry(1, 0, 1, gzip.compress(INNER)).hex(), 1),
            {"same": Refused("invalid-wrapper", 34), "any": [b"a"]},
        ),
    ],
    "fetch_request_order": [
        (
            of_wire_format("encode", "FetchRequest", fetch(7)),
            {
                "table": "00000018" + "0001" + "0000" + "00000007" + FETCH_END,
                "section": "00000018" + "0001" + "00000007" + "0000" + FETCH_END,
            },
        ),
        (
            of_wire_format("decode", "FetchRequest", bytes.fromhex("00000018" + "0001" + "000000010000" + FETCH_END)),
            {"table": fetch(65536), "section": fetch(1)},
        ),
    ],
    "required_acks": [
        (
            produced("ff"),
            {
                "signed": answered("ffff", "ffff"),
                "replicas": answered("0015", "0015", 2**64 - 1),
                "replicas-or-closed": (b"", True),
            },
        ),
        (
            produced("02"),
            {
                "signed": answered("ffff", "0007"),
                "replicas": answered("0015", "0015", 2**64 - 1),
                "replicas-or-closed": (b"", True),
            },
        ),
        (produced("00"), dict.fromkeys(("signed", "replicas", "replicas-or-closed"), (b"", False))),
    ],
    "no_error": [(produced("01"), {"-1": answered("ffff", "ffff"), "0": answered("ffff", "0000")})],
    "no_request_error": [
        (produced("01"), {"-1": answered("ffff", "ffff"), "0": answered("0000", "ffff")}),
        (
            of_wire_format("interpret", bytes.fromhex(PRODUCE.format("01")), answered("0000", "0000")[0]),
            {"-1": {"outcome": "error", "error": 0}, "0": {"outcome": "accepted"}},
        ),
        (
            of_wire_format("interpret", bytes.fromhex(PRODUCE.format("01")), answered("ffff", "0000")[0]),
            {"-1": {"outcome": "accepted"}, "0": {"outcome": "error", "error": -1}},
        ),
    ],
    "acks_0": [
        (produced("00"), {"silent": (b"", False), "answered": answered("ffff", "ffff")}),
        (
            of_wire_format("interpret", bytes.fromhex(PRODUCE.format("00")), answered("ffff", "ffff")[0]),
            {"silent": {"outcome": "malformed"}, "answered": {"outcome": "accepted"}},
        ),
    ],
    "first_residue": [
        (of_wire_format("recode", "MESSAGE_SET", b"\0\0\0"), {"refused": "refused", "kept": "000000"}),
        (of_wire_format("recode", "MESSAGE_SET", b"\0\0\0\x08"), {"refused": "refused", "kept": "refused"}),
    ],
    "wrappers": [
        (
            of_wire_format("recode", "MESSAGE_SET", bytes.fromhex("00000008" + "0101" + "d8932aac" + "6869")),
            {"kept": "00000008" + "0101" + "d8932aac" + "6869", "read": "refused"},
        ),
    ],
    "null_text": [
        (
            of_wire_format(
                "recode", "FetchRequest", bytes.fromhex("00000018" + "000100000000" + "0000ffff" + FETCH_END[4:])
            ),
            {"refused": "refused", "null": "00000018" + "000100000000" + "0000ffff" + FETCH_END[4:]},
        ),
        (
            of_wire_format(
                "recode", "FetchRequest", bytes.fromhex("00000018" + "000100000000" + "0000fffe" + FETCH_END[4:])
            ),
            {"refused": "refused", "null": "refused"},
        ),
    ],
}


#: All switches; the bound on what is inflated is a parameter, not a reading.
FIELDS = [one for one in dataclasses.fields(Rules) if one.name != "inflate_limit"]


#: Tested in tests/test_kip_482_rulings.py: they need schemas.
ELSEWHERE = {switch for ruling in rulings("kip-482-v1").values() for switch, _ in ruling.others.values()}


def readings_of(switch: str) -> tuple[str, ...]:
    """All readings of a switch, the demanded one first."""
    return typing.get_args(typing.get_type_hints(Rules)[switch])


def test_every_switch_is_tested_under_every_reading() -> None:
    assert set(SWITCHES) | ELSEWHERE == {one.name for one in FIELDS}
    for switch, questions in SWITCHES.items():
        assert questions
        for _, expected in questions:
            assert tuple(expected) == readings_of(switch)
        demanded, *others = readings_of(switch)
        for other in others:
            told_apart = any(expected[demanded] != expected[other] for _, expected in questions)
            assert told_apart, f"{switch}: no question tells {other} from {demanded}"


@pytest.mark.parametrize(
    ("switch", "number"), [(switch, number) for switch, asked in SWITCHES.items() for number in range(len(asked))]
)
def test_each_reading_does_what_it_says(switch: str, number: int) -> None:
    question, expected = SWITCHES[switch][number]
    for value, answer in expected.items():
        assert question(**{switch: value}) == answer, value


def test_policy_limits_are_the_most_that_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (message.POLICY_TAGS, message.POLICY_ELEMENTS) == (10_000, 1_000_000)
    monkeypatch.setattr(message, "POLICY_ELEMENTS", 3)
    assert decode("ARRAY<INT8>", "00000003" + "000000", policy_limits="kafka-4.4") == [0, 0, 0]
    assert decode("COMPACT_ARRAY<INT8>", "05" + "00000000", policy_limits="kafka-4.4") == Refused("resource-limit", 0)


def test_the_demanded_reading_is_the_default() -> None:
    for one in FIELDS:
        assert one.default == readings_of(one.name)[0]
        assert len(readings_of(one.name)) >= 2


def test_each_ruling_names_switches_and_readings_that_exist() -> None:
    taken = set()
    for ruling in (one for dialect in dialects for one in rulings(dialect).values()):
        assert ruling.contested or not ruling.others
        for switch, value in ruling.others.values():
            assert value in readings_of(switch)[1:], ruling.id
            taken.add((switch, value))
    others = {(one.name, value) for one in FIELDS for value in readings_of(one.name)[1:]}
    assert taken == others


def test_every_contested_ruling_has_a_switch() -> None:
    every = (one for dialect in dialects for one in rulings(dialect).values())
    assert [one.id for one in every if one.contested and not one.others] == []


def test_rulings_are_whole() -> None:
    for identifier, ruling in (item for dialect in dialects for item in rulings(dialect).items()):
        assert identifier == ruling.id
        assert identifier.startswith("R-")
        assert ruling.question
        assert ruling.demanded
        assert ruling.source


def test_take() -> None:
    mine = (
        Ruling("R-1", "q", "d", {"other": ("tag_order", "any")}, "o"),
        Ruling("R-2", "q", "d", {"empty": ("fallback_keys", "empty"), "full": ("fallback_keys", "full")}, "o"),
        Ruling("R-3", "q", "d"),
        Ruling("R-4", "q", "d", {}, "o"),
    )
    assert rules_with(mine, {}) == Rules()
    assert rules_with(mine, {"R-1": "other", "R-2": "full"}) == Rules(tag_order="any", fallback_keys="full")
    base = Rules(high_bits="dropped", tag_order="any")
    assert rules_with(mine, {"R-2": "empty"}, base) == Rules(
        high_bits="dropped", tag_order="any", fallback_keys="empty"
    )
    for readings, text in (
        ({"R-9": "other"}, "there is no contested ruling 'R-9'; contested are R-1, R-2, R-4"),
        ({"R-3": "other"}, "there is no contested ruling 'R-3'"),
        ({"R-1": "any"}, "R-1 has no reading 'any'; it has other"),
        ({"R-2": "other"}, "R-2 has no reading 'other'; it has empty, full"),
        ({"R-4": "other"}, "R-4 has no reading 'other'; it has none yet"),
    ):
        with pytest.raises(ValueError, match=text):
            rules_with(mine, readings)


def test_rules_are_no_global() -> None:
    lenient = Reference(Rules(high_bits="dropped"))
    assert lenient.decode("UNSIGNED_VARINT", bytes.fromhex("ffffffff1f"), dialect=KAFKA) == 2**32 - 1
    assert decode("UNSIGNED_VARINT", "ffffffff1f") == Refused("varint-overflow", 0)


def test_what_is_read_leniently_is_written_canonically_or_refused() -> None:
    assert recode("NULLABLE_STRING", "fffe", negative_length="null") == "ffff"
    assert recode("UNSIGNED_VARINT", "ffffffff1f", high_bits="dropped") == "ffffffff0f"
    assert recode("STRING", "0001ff", invalid_text="replaced") == "0003efbfbd"
    assert recode("STRING", "0001ff", invalid_text="kept") == "0001ff"
    assert (
        recode("Record", "12" + "000000" + "0101" + "02" + "02ff01", invalid_text="kept")
        == "12" + "000000" + "0101" + "02" + "02ff01"
    )
    assert recode("TAG_BUFFER", "0202000100", tag_order="any") == Refused("tag-order")
    assert recode("TAG_BUFFER", "0202000200", tag_order="any") == Refused("tag-duplicate")
    assert recode("TAG_BUFFER", "03" + "0201aa" + "0100" + "0201bb", tag_order="map") == "02" + "0100" + "0201bb"
    assert encode("TAG_BUFFER", [(2, b"a"), (1, b""), (2, b"b")], tag_order="map") == "02" + "0100" + "020162"
    assert recode("TAG_BUFFER", "01ffffffff0f00", tag_numbers="signed") == Refused("out-of-range")
