"""The expected answers of the reference under every reading of every switch of Rules."""

from __future__ import annotations

import gzip
from typing import Any

from support.reading_questions import (
    A_RECORD,
    BITS_OF_MAGIC_0,
    BITS_OF_MAGIC_1,
    DICTIONARY,
    FETCH_END,
    FLAGGED,
    FULL,
    GZIPPED,
    INNER,
    LATER,
    LATER_RECORD,
    LEADER_AT_DEFAULT,
    LINKED,
    MANY_TAGS,
    MANY_TAGS_VALUE,
    MARKED,
    MARKED_TAG,
    NO_HEADERS,
    ONE_TAG,
    PRODUCE,
    PRODUCED_RECORDS,
    XERIAL,
    Question,
    added,
    answered,
    asked_for,
    batch,
    chosen,
    consuming,
    contents,
    converted_times,
    converting,
    drafted,
    drafted_batch,
    drafted_sets,
    entry,
    fetch,
    fetch_of,
    headed,
    headed_message,
    interpreting,
    looked_up,
    of_wire_format,
    produce_of,
    produced,
    reading,
    removed,
    rewriting,
    sending,
    served,
    serving,
    small,
    sorting,
    times,
    told,
    told_endpoints,
    told_tags,
    unknown,
    unpacking,
    with_new_default,
    writing,
    writing_bits,
    writing_headers,
    zstd_frame,
)
from support.wire import Refused, encode

#: A message of wire-format: size, magic 1, attributes, CRC, "hi".
WHOLE = bytes.fromhex("00000008" + "0100" + "d8932aac" + "6869")
#: The same with another CRC.
WRONG_CRC = bytes.fromhex("00000008" + "0100" + "d8932aad" + "6869")
#: A FetchResponse behind its size: correlation id 0, version 0, error −1.
FETCHED = "00000000" + "0000" + "ffff"
#: A topic of a FetchRequest that names partition 3 twice.
TWICE = {"topic": "t", "partitions": [3, 3], "offsets": [0, 0]}

#: switch → (question, {reading: what the reference then does}), the demanded reading first
#: A ProduceRequest 3 up to its records, and its value with them.
PRODUCED = "ffff" + "0001" + "000003e8" + "00000001" + "000174" + "00000001" + "00000000"


def produced_records(content: bytes) -> dict[str, Any]:
    partitions = [{"Index": 0, "Records": content}]
    return {
        "TransactionalId": None,
        "Acks": 1,
        "TimeoutMs": 1000,
        "TopicData": [{"Name": "t", "PartitionData": partitions}],
    }


#: What INNER holds.
A_MESSAGE = {"offset": 0, "attributes": 0, "key": None, "value": b"a"}

#: A batch of one record at 100; and one in which compaction left the first of ten records.
_WHOLE = (
    "00000000000000640000003a00000000021d1083af00000000000000000174876e800000000174876e8000"
    "ffffffffffffffffffffffffffff0000000110000000026b027600"
)
_COMPACTED = (
    "00000000000000640000003a000000000271fc1d7b00000000000900000174876e800000000174876e8000"
    "ffffffffffffffffffffffffffff0000000110000000026b027600"
)

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
        (
            small(MARKED, "fe"),
            {"exact": Refused("invalid-marker", 0), "sign": {"S": None}, "minus-1": Refused("truncated", 1)},
        ),
        (
            small(MARKED, "fe05"),
            {
                "exact": Refused("invalid-marker", 0),
                "sign": Refused("trailing-bytes", 1),
                "minus-1": {"S": {"X": 5}},
            },
        ),
        (
            small(MARKED, "80"),
            {"exact": Refused("invalid-marker", 0), "sign": {"S": None}, "minus-1": Refused("truncated", 1)},
        ),
        (
            small(MARKED, "0005"),
            {"exact": Refused("invalid-marker", 0), "sign": {"S": {"X": 5}}, "minus-1": {"S": {"X": 5}}},
        ),
        (
            small(MARKED, "7f05"),
            {"exact": Refused("invalid-marker", 0), "sign": {"S": {"X": 5}}, "minus-1": {"S": {"X": 5}}},
        ),
        (small(MARKED, "0105"), {"exact": {"S": {"X": 5}}, "sign": {"S": {"X": 5}}, "minus-1": {"S": {"X": 5}}}),
        (small(MARKED, "ff"), {"exact": {"S": None}, "sign": {"S": None}, "minus-1": {"S": None}}),
        (
            small(MARKED_TAG, "010003020500"),
            {"exact": Refused("invalid-marker", 3), "sign": {"S": {"X": 5}}, "minus-1": {"S": {"X": 5}}},
        ),
        (small(MARKED_TAG, "01000100"), {"exact": {"S": None}, "sign": {"S": None}, "minus-1": {"S": None}}),
        (
            small(MARKED_TAG, "010003010500"),
            {"exact": {"S": {"X": 5}}, "sign": {"S": {"X": 5}}, "minus-1": {"S": {"X": 5}}},
        ),
        (
            small(MARKED_TAG, "0100058080808008"),
            {"exact": Refused("invalid-marker", 3), "sign": {"S": None}, "minus-1": Refused("truncated", 8)},
        ),
        (
            small(MARKED_TAG, "010007" + "ffffffff07" + "0500"),
            {"exact": Refused("invalid-marker", 3), "sign": {"S": {"X": 5}}, "minus-1": {"S": {"X": 5}}},
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
    "unknown_request": [
        (served("00000008 03e7 0000 0000000a"), {"beginning": ("000000040000000a", False), "header": ("", True)}),
        (served("0000000a 03e7 0000 0000000a fffe"), {"beginning": ("000000040000000a", False), "header": ("", True)}),
        (
            served("0000000a 03e7 0000 0000000a ffff"),
            {"beginning": ("000000040000000a", False), "header": ("000000040000000a", False)},
        ),
    ],
    "malformed_request": [
        (
            served("0000000a 0011 0000 0000000a ffff"),
            {"closed": ("", True), "empty-response": ("000000040000000a", False)},
        ),
        (
            served("00000008 0011 0000 0000000a"),
            {"closed": ("", True), "empty-response": ("000000040000000a", False)},
        ),
        (served("00000007 0011 0000 000000"), {"closed": ("", True), "empty-response": ("", True)}),
    ],
    "short_request": [
        (served("00000007 0011 0000 000000"), {"closed": ("", True), "passed-over": ("", False)}),
        (
            served("00000000" + "00000008 03e7 0000 0000000a"),
            {"closed": ("", True), "passed-over": ("000000040000000a", False)},
        ),
    ],
    "repeated_ids": [
        (asked_for(3, 1, 3), {"once": [3, 1], "each": [3, 1, 3]}),
        (asked_for(-1, 2), {"once": [2], "each": [2, 2]}),
        (asked_for(), {"once": [1, 2, 3], "each": [1, 2, 3]}),
    ],
    "this_broker": [
        (asked_for(3, -1), {"beside": [3, 2], "alone": [2]}),
        (asked_for(3, 9), {"beside": [3], "alone": [3]}),
    ],
    "unknown_ids": [
        (asked_for(3, 9), {"left-out": [3], "listed": [3, 9]}),
        (asked_for(3, 1), {"left-out": [3, 1], "listed": [3, 1]}),
    ],
    "broker_tags": [
        (
            told_tags([("b", "1"), ("a", "2"), ("b", "3")]),
            {
                "kept": [("b", "1"), ("a", "2"), ("b", "3")],
                "map": [("b", "3"), ("a", "2")],
                "sorted": [("a", "2"), ("b", "1"), ("b", "3")],
                "refused": "refused",
            },
        ),
        (
            told_tags([("b", "1"), ("a", "2")]),
            {
                "kept": [("b", "1"), ("a", "2")],
                "map": [("b", "1"), ("a", "2")],
                "sorted": [("a", "2"), ("b", "1")],
                "refused": [("b", "1"), ("a", "2")],
            },
        ),
    ],
    "ipv6_host": [
        (
            told_endpoints("ssl://[::1]:9192,ssl://h:1"),
            {"bare": [("ssl", "::1", 9192), ("ssl", "h", 1)], "bracketed": [("ssl", "[::1]", 9192), ("ssl", "h", 1)]},
        ),
    ],
    "protocol_version": [
        (chosen((19, 25), (12, 22)), {"highest": 22, "lowest": 19}),
        (chosen((19, 25), (25, 30)), {"highest": 25, "lowest": 25}),
        (chosen((1, 9), (10, 12)), {"highest": None, "lowest": None}),
    ],
    "ended_in": [
        (removed(2), {"next": [{"kind": "number-past", "path": "ARequest v0"}], "current": []}),
        (removed(3), {"next": [], "current": []}),
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
            {"unread": [b"a"], "read": Refused("key-order", 17), "unread-at-once": [b"a"]},
        ),
        (
            looked_up(5, "000000010000000161" + "000000050000000162" + "0000000900000000"),
            {"unread": [b"b"], "read": [b"b"], "unread-at-once": [b"b"]},
        ),
        (
            looked_up(3, "000000010000000161" + "000000050000000162"),
            {"unread": [], "read": [], "unread-at-once": []},
        ),
        (
            looked_up(5, "000000050000000162" + "000000010000000161"),
            {"unread": Refused("key-order", 9), "read": Refused("key-order", 9), "unread-at-once": [b"b"]},
        ),
    ],
    "int_key_twice": [
        (
            writing_headers((1, b"a"), (2, b""), (1, b"b")),
            {"refused": Refused("key-duplicate", None), "last": "0000000100000001620000000200000000"},
        ),
        (
            writing_headers((2, b""), (1, b"a")),
            dict.fromkeys(("refused", "last"), "0000000100000001610000000200000000"),
        ),
    ],
    "header_value_null": [
        (
            headed("HEADERS", "00000001ffffffff" + "0000000200000000"),
            {"refused": Refused("null-not-allowed", 4), "null": [(1, None), (2, b"")]},
        ),
        (headed("HEADERS", "00000001fffffffe"), dict.fromkeys(("refused", "null"), Refused("negative-length", 4))),
        (
            writing_headers((1, None), (2, b"")),
            {"refused": Refused("null-not-allowed", None), "null": "00000001ffffffff0000000200000000"},
        ),
        (writing_headers((None, None)), dict.fromkeys(("refused", "null"), Refused("out-of-range", None))),
    ],
    "same_magic": [
        (
            converting("magic-2", headed_message(16, "00000000")),
            {"written-again": headed_message(0), "passed-on": headed_message(16, "00000000")},
        ),
        (
            converting("magic-1", headed_message(16, "00000000")),
            dict.fromkeys(("written-again", "passed-on"), headed_message(0, magic=1)),
        ),
        (converting("magic-2", ""), dict.fromkeys(("written-again", "passed-on"), "")),
    ],
    "dropped_headers": [
        (
            converting("magic-1", headed_message(16, "0000001000000002000000000000000100000000")),
            {"read": Refused("key-order", 42), "skipped": headed_message(0, magic=1)},
        ),
        (
            converting("magic-2", headed_message(16, "0000001000000002000000000000000100000000")),
            dict.fromkeys(("read", "skipped"), Refused("key-order", 42)),
        ),
    ],
    "older_wrappers": [
        (
            unpacking("magic-0", entry(1, 5, 1, gzip.compress(entry(1, 0, 0, b"v"), mtime=0)).hex()),
            {"wrapper": ["messages"], "messages": ["value"]},
        ),
        (
            unpacking("magic-1", entry(1, 5, 1, gzip.compress(entry(1, 0, 0, b"v"), mtime=0)).hex()),
            {"wrapper": ["messages"], "messages": ["messages"]},
        ),
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
        (drafted("kip-82-string-keys", "UVARINT", "03"), {"unsigned": 3, "zigzag": -2, "unsigned-64": 3}),
        (drafted("kip-82-string-keys", "INTVAR", "03"), {"unsigned": -2, "zigzag": -2, "unsigned-64": -2}),
        (
            drafted("kip-82-string-keys", "HEADER", "020161"),
            {"unsigned": ("a", b""), "zigzag": Refused("negative-length", 1), "unsigned-64": ("a", b"")},
        ),
        (
            drafted("kip-82-string-keys", "UVARINT", "8080808010"),
            {
                "unsigned": Refused("varint-overflow", 0),
                "zigzag": Refused("varint-overflow", 0),
                "unsigned-64": 2**32,
            },
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
    "empty_content": [
        (
            contents("RecordBatch", batch(0, b"", codec)),
            {"read": [], "refused": Refused("corrupt-compression", 61)},
        )
        for codec in (1, 2, 3, 4)
    ],
    "linked_blocks": [
        (
            contents("RecordBatch", batch(10_000, LINKED, 3)),
            {"read": [b"a"] * 10_000, "refused": Refused("corrupt-compression", 61)},
        ),
        (
            contents("RecordBatch", batch(1, DICTIONARY, 3)),
            {"read": [b"a"], "refused": Refused("corrupt-compression", 61)},
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
    "message_records": [
        (
            reading("ProduceRequest", PRODUCED + "00000011" + "00" * 16 + "61", 3),
            {"raw": produced_records(bytes(16) + b"a"), "read": Refused("truncated", None)},
        ),
        (
            reading("ProduceRequest", PRODUCED + f"{len(INNER):08x}" + INNER.hex(), 3),
            dict.fromkeys(("raw", "read"), produced_records(INNER)),
        ),
    ],
    "wrapped_messages": [
        (
            reading("MessageSet", entry(0, 7, 1, gzip.compress(INNER)).hex(), 0),
            {
                "wrapper": [{"offset": 7, "attributes": 1, "key": None, "messages": [A_MESSAGE]}],
                "in-its-place": [A_MESSAGE],
            },
        ),
        (reading("MessageSet", INNER.hex(), 0), {"wrapper": [A_MESSAGE], "in-its-place": [A_MESSAGE]}),
        (
            reading("RecordSet", entry(0, 7, 1, gzip.compress(INNER)).hex()),
            {
                "wrapper": [{"magic": 0, "offset": 7, "attributes": 1, "key": None, "messages": [A_MESSAGE]}],
                "in-its-place": [{"magic": 0, **A_MESSAGE}],
            },
        ),
    ],
    "log_append_time": [
        (times("RecordBatch", batch(1, LATER_RECORD, 8)), {"stored": [1000], "outer": [0]}),
        (times("RecordBatch", batch(1, LATER_RECORD, 0)), {"stored": [1000], "outer": [1000]}),
        (times("MessageSet", entry(1, 0, 9, gzip.compress(LATER)).hex(), 1), {"stored": [1000], "outer": [0]}),
        (times("MessageSet", entry(1, 0, 1, gzip.compress(LATER)).hex(), 1), {"stored": [1000], "outer": [1000]}),
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
                "replicas": answered("ffff", "0007"),
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
    "partial_message": [
        (
            of_wire_format("recode", "MESSAGE_SET", WHOLE + b"\0"),
            {
                "kept": WHOLE.hex() + "00",
                "dropped": WHOLE.hex(),
                "refused": "refused",
                "refused-produced": WHOLE.hex() + "00",
            },
        ),
        (
            of_wire_format("recode", "ProduceRequest", produce_of(WHOLE + b"\0")),
            {
                "kept": produce_of(WHOLE + b"\0").hex(),
                "dropped": produce_of(WHOLE).hex(),
                "refused": "refused",
                "refused-produced": "refused",
            },
        ),
        (
            of_wire_format("recode", "MESSAGE_SET", WHOLE),
            dict.fromkeys(("kept", "dropped", "refused", "refused-produced"), WHOLE.hex()),
        ),
    ],
    "message_crc": [
        (
            of_wire_format("recode", "ProduceRequest", produce_of(WRONG_CRC)),
            {"read": "refused", "used": produce_of(WHOLE).hex()},
        ),
        (of_wire_format("recode", "MESSAGE_SET", WRONG_CRC), dict.fromkeys(("read", "used"), "refused")),
    ],
    "named_twice": [
        (
            of_wire_format("recode", "FetchRequest", fetch_of("0000" + "0000" + "0000", 2)),
            {"taken": fetch_of("0000" + "0000" + "0000", 2).hex(), "refused": "refused"},
        ),
        (
            of_wire_format("encode", "FetchRequest", fetch(0) | {"topic_offsets": [TWICE]}),
            {
                "taken": fetch_of("0001" + "74" + "0002" + 2 * "00000003" + "0002" + 2 * "00000000", 1).hex(),
                "refused": "refused",
            },
        ),
    ],
    "empty_partitions": [
        (
            of_wire_format("serve", [fetch_of("0001" + "74" + "0001" + "00000003" + "0001" + "00000000", 1)]),
            {
                "listed": (bytes.fromhex(f"00000017{FETCHED}0001000174000100000003" + "00000000"), False),
                "left-out": (bytes.fromhex(f"0000000a{FETCHED}0000"), False),
            },
        ),
    ],
    "pipelined": [
        (
            of_wire_format("serve", [bytes.fromhex(PRODUCE.format("01")), fetch_of("", 0)]),
            {
                "in-order": (answered("ffff", "ffff")[0] + bytes.fromhex(f"0000000a{FETCHED}0000"), False),
                "last-first": (bytes.fromhex(f"0000000a{FETCHED}0000") + answered("ffff", "ffff")[0], False),
            },
        ),
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
            {"refused": "refused", "null": "00000018" + "000100000000" + "0000ffff" + FETCH_END[4:]},
        ),
    ],
    "headed_wrappers": [
        (
            headed("MESSAGE_AND_OFFSET", headed_message(5)),
            {
                "read": Refused("unsupported-compression", 17),
                "kept": {
                    "offset": 0,
                    "magic": 2,
                    "attributes": 5,
                    "timestamp": 0,
                    "key": None,
                    "headers": [],
                    "value": b"v",
                },
            },
        ),
    ],
    "headed_partial": [
        (
            headed("MESSAGE_SET", NO_HEADERS[:-2]),
            {"dropped": [], "refused": Refused("truncated", 8)},
        ),
        (
            headed("MESSAGE_SET", headed_message(5)[:32] + "02"),
            {"dropped": [], "refused": Refused("truncated", 8)},
        ),
    ],
    "headed_records": [
        (
            headed("ProduceRequest", PRODUCED_RECORDS, 3),
            {
                "raw": {
                    "Acks": 1,
                    "TimeoutMs": 1000,
                    "TopicData": [{"Name": "t", "PartitionData": [{"Index": 0, "Records": bytes(12)}]}],
                },
                "messages": Refused("truncated", 37),
            },
        ),
    ],
    "int_var": [
        (drafted("kip-82-string-keys", "INTVAR", "01"), {"zigzag": -1, "plain": 1}),
        (drafted("kip-82-string-keys", "INTVAR", "ffffffffffffffffff01"), {"zigzag": -(2**63), "plain": -1}),
        (drafted("kip-82-string-keys", "INTVAR", "00"), {"zigzag": 0, "plain": 0}),
    ],
    "header_count": [
        (
            drafted("kip-82-string-keys", "HEADERS", "00000001" + "03016101"),
            {"none": Refused("truncated", 1), "int32": [("a", b"\1")], "uint-var": Refused("length-mismatch", 0)},
        ),
        (
            drafted("kip-82-string-keys", "HEADERS", "01" + "03016101"),
            {"none": Refused("truncated", 1), "int32": Refused("truncated", 0), "uint-var": [("a", b"\1")]},
        ),
    ],
    "header_flag": [
        (
            drafted("kip-82-string-keys", "HEADERS", "03016101"),
            {"none": [("a", b"\1")], "bit-4": [("a", b"\1")]},
        ),
        (
            drafted("kip-82-string-keys", "MESSAGE", "0b" + "100000" + "016b" + "0176" + "03016101"),
            {"none": FLAGGED, "bit-4": FLAGGED},
        ),
        (
            drafted("kip-82-string-keys", "MESSAGE", "0b" + "000000" + "016b" + "0176" + "03016101"),
            {"none": FLAGGED | {"attributes": 0}, "bit-4": Refused("length-mismatch", 8)},
        ),
    ],
    "unused_bits": [
        (
            writing_bits(-1),
            {"kept": "07fc0000016b0176", "cleared": "07000000016b0176"},
        ),
        (writing_bits(3), dict.fromkeys(("kept", "cleared"), "07000000016b0176")),
        (
            rewriting("Record", "10" + "ff" + "0000026b027600"),
            {"kept": "10" + "ff" + "0000026b027600", "cleared": "10" + "00" + "0000026b027600"},
        ),
        (
            rewriting("MessageSet", BITS_OF_MAGIC_0, 0),
            {"kept": BITS_OF_MAGIC_0, "cleared": entry(0, 0, 0, b"a").hex()},
        ),
        (
            rewriting("MessageSet", BITS_OF_MAGIC_1, 1),
            {"kept": BITS_OF_MAGIC_1, "cleared": entry(1, 0, 8, b"a").hex()},
        ),
        (
            rewriting("RecordBatch", batch(1, A_RECORD, -128)),
            {"kept": batch(1, A_RECORD, -128), "cleared": batch(1, A_RECORD)},
        ),
    ],
    "unknown_tags": [
        (
            reading("HeartbeatResponse", "00000000" + "0000" + "010101ab", 4),
            {
                "kept": {"ThrottleTimeMs": 0, "ErrorCode": 0, "_tags": [(1, b"\xab")]},
                "dropped": {"ThrottleTimeMs": 0, "ErrorCode": 0},
            },
        ),
        (
            rewriting("HeartbeatResponse", "00000000" + "0000" + "010101ab", 4),
            {"kept": "00000000" + "0000" + "010101ab", "dropped": "00000000" + "0000" + "00"},
        ),
        (
            writing("HeartbeatResponse", {"ThrottleTimeMs": 0, "ErrorCode": 0, "_tags": [(1, b"")]}, 3),
            {"kept": Refused("tags-not-allowed"), "dropped": "00000000" + "0000"},
        ),
        (
            writing("UpdateRaftVoterResponse", {"CurrentLeader": {"_tags": [(5, b"")]}}, 0),
            {
                "kept": "00000000" + "0000" + "010010" + "ffffffff" + "ffffffff" + "0100000000" + "010500",
                "dropped": "00000000" + "0000" + "00",
            },
        ),
        (reading("TAG_BUFFER", "010101ab"), {"kept": [(1, b"\xab")], "dropped": []}),
        (writing("TAG_BUFFER", [(1, b"\xab")]), {"kept": "010101ab", "dropped": "00"}),
        (
            writing("HeartbeatResponse", {"_tags": [(-1, b"")]}, 4),
            {"kept": Refused("out-of-range"), "dropped": 6 * "00" + "00"},
        ),
        (
            reading("HeartbeatResponse", "00000000" + "0000" + "010102ab", 4),
            dict.fromkeys(("kept", "dropped"), Refused("truncated", 8)),
        ),
    ],
    "tag_at_default": [
        (
            writing("UpdateRaftVoterResponse", {}, 0),
            {
                "left-out": "00000000" + "0000" + "00",
                "structures-sent": LEADER_AT_DEFAULT,
                "sent": LEADER_AT_DEFAULT,
            },
        ),
        (
            writing("ApiVersionsResponse", {"ErrorCode": 0, "ApiKeys": []}, 3),
            {
                "left-out": "0000" + "01" + "00000000" + "00",
                "structures-sent": "0000" + "01" + "00000000" + "00",
                "sent": "0000" + "01" + "00000000" + "04" + "000101" + "0108ffffffffffffffff" + "020101" + "030100",
            },
        ),
    ],
    "field_not_in_version": [
        (
            writing("ListGroupsRequest", {"StatesFilter": ["Dead"]}, 3),
            {
                "ignorable": Refused("field-not-in-version"),
                "left-out": "00",
                "refused": Refused("field-not-in-version"),
            },
        ),
        (
            writing("HeartbeatResponse", {"ThrottleTimeMs": 5, "ErrorCode": 27}, 0),
            {"ignorable": "001b", "left-out": "001b", "refused": Refused("field-not-in-version")},
        ),
        (
            writing("ListGroupsRequest", {"StatesFilter": []}, 3),
            {"ignorable": "00", "left-out": "00", "refused": Refused("field-not-in-version")},
        ),
        (
            writing("ListGroupsRequest", {"Filter": []}, 3),
            dict.fromkeys(("ignorable", "left-out", "refused"), Refused("unknown-field")),
        ),
    ],
    "long_text": [
        (
            reading("COMPACT_STRING", "818002" + 32768 * "61"),
            {"refused": Refused("string-too-long", 0), "read": 32768 * "a"},
        ),
        (
            writing("COMPACT_NULLABLE_STRING", 32768 * "a"),
            {"refused": Refused("string-too-long"), "read": "818002" + 32768 * "61"},
        ),
        (
            writing("STRING", 32768 * "a"),
            {"refused": Refused("string-too-long"), "read": Refused("string-too-long")},
        ),
    ],
    "older_messages": [
        (
            drafted_sets("RecordSet", (entry(1, 5, 0, b"v") + entry(1, 7, 0, b"w")).hex()),
            {"a-batch-each": [[0], [0]], "one-batch": [[0, 2]]},
        ),
        (
            drafted_sets("RecordSet", (entry(1, 5, 0, b"v") + entry(1, 7, 8, b"w")).hex()),
            {"a-batch-each": [[0], [0]], "one-batch": [[0], [0]]},
        ),
    ],
    "converted_partial": [
        (
            drafted_sets("RecordSet", (entry(1, 5, 0, b"v") + entry(1, 7, 0, b"w")[:-1]).hex()),
            {"dropped": [[0]], "refused": Refused("truncated", None)},
        ),
        (
            drafted_sets("RecordSet", entry(1, 5, 0, b"v").hex()),
            {"dropped": [[0]], "refused": [[0]]},
        ),
    ],
    "batch_bit_5": [
        (
            drafted_sets("BATCH", drafted_batch(0x20, "03030000")),
            {"dropped": [[0]], "refused": Refused("out-of-range", None)},
        ),
        (drafted_sets("BATCH", drafted_batch(0x10, "03030000")), {"dropped": [[0]], "refused": [[0]]}),
    ],
    "batch_codec": [
        (
            drafted("kip-82-string-keys", "BATCH", drafted_batch(1, "07000000016b0176")),
            {
                "inflated": Refused("corrupt-compression", 53),
                "refused": Refused("unsupported-compression", 17),
                "kept": {
                    "firstOffset": 0,
                    "attributes": 1,
                    "lastOffsetDelta": 0,
                    "firstTimestamp": 0,
                    "maxTimestamp": 0,
                    "pid": 0,
                    "epoch": 0,
                    "firstSequence": 0,
                    "records": bytes.fromhex("07000000016b0176"),
                },
            },
        ),
    ],
    "earlier_batches": [
        (
            consuming((entry(1, 5, 0, b"v") + entry(1, 6, 0, b"w")).hex(), 7),
            {"passed-over": ([], 7), "go-back": ([6], 7)},
        ),
        (
            consuming((entry(1, 5, 0, b"v") + entry(1, 6, 0, b"w")).hex(), 9),
            {"passed-over": ([], 9), "go-back": ([6], 7)},
        ),
    ],
    "lower_magics": [
        (
            converted_times("magic-1", (entry(0, 5, 0, b"v") + entry(1, 6, 0, b"w")).hex()),
            {"converted": [(1, 0, []), (1, 0, [])], "kept": [(0, 0, []), (1, 0, [])]},
        ),
        (
            converted_times("magic-2", entry(0, 5, 0, b"v").hex()),
            {"converted": [(2, 0, [-1])], "kept": [(2, 0, [-1])]},
        ),
    ],
    "converted_zstd": [
        (
            converted_times("magic-0", batch(1, zstd_frame(0x58), 4)),
            {"refused": Refused("unsupported-compression", None), "gzip": [(0, 1, [(0, None)])]},
        ),
        (
            converted_times("magic-2", batch(1, zstd_frame(0x58), 4)),
            {"refused": [(2, 4, [0])], "gzip": [(2, 4, [0])]},
        ),
    ],
    "converted_append_time": [
        (
            converted_times("magic-1", batch(1, gzip.compress(LATER_RECORD, mtime=0), 9)),
            {"outer": [(1, 9, [(8, 0)])], "unmarked": [(1, 9, [(0, 0)])], "stored": [(1, 9, [(0, 1000)])]},
        ),
        (
            converted_times("magic-2", entry(1, 5, 9, gzip.compress(entry(1, 0, 0, b"v"), mtime=0), timestamp=7).hex()),
            {"outer": [(2, 9, [7])], "unmarked": [(2, 9, [7])], "stored": [(2, 9, [0])]},
        ),
    ],
    "newer_version": [
        (
            reading("VersionPrefixed:ConsumerProtocolAssignment", "0004" + "00000000" + "ffffffff" + "00"),
            {
                "as-the-highest": {"version": 4, "body": {"AssignedPartitions": [], "UserData": None}},
                "refused": Refused("unsupported-version", 0),
            },
        ),
        (
            reading("VersionPrefixed:OffsetCommitValue", "0005" + "00000000"),
            {"as-the-highest": Refused("unsupported-version", 0), "refused": Refused("unsupported-version", 0)},
        ),
    ],
    "unknown_version": [
        (
            reading("VersionPrefixed:EndTxnMarker", "ffff" + "00000005"),
            {
                "refused": Refused("unsupported-version", 0),
                "nearest": {"version": -1, "body": {"CoordinatorEpoch": 5}},
            },
        ),
        (
            reading("VersionPrefixed:EndTxnMarker", "0000" + "00000005"),
            {
                "refused": {"version": 0, "body": {"CoordinatorEpoch": 5}},
                "nearest": {"version": 0, "body": {"CoordinatorEpoch": 5}},
            },
        ),
    ],
    "broken_batch": [
        (
            consuming((entry(1, 5, 0, b"v") + entry(1, 6, 0, b"w")[:-1] + b"x").hex(), 5),
            {
                "stops": ([5], 6),
                "refused": Refused("crc-mismatch", 47),
                "before-the-fault": ([5], 6),
                "unread": ([5], 6),
            },
        ),
        (
            consuming((entry(1, 5, 0, b"w")[:-1] + b"x").hex(), 5),
            {
                "stops": Refused("crc-mismatch", 12),
                "refused": Refused("crc-mismatch", 12),
                "before-the-fault": Refused("crc-mismatch", 12),
                "unread": Refused("crc-mismatch", 12),
            },
        ),
        (
            # A batch at 100 that counts two records and holds one.
            consuming(
                "00000000000000640000003a0000000002450679b100000000000000000174876e800000000174876e8000"
                "ffffffffffffffffffffffffffff0000000210000000026b027600",
                100,
            ),
            {
                "stops": Refused("count-mismatch", 57),
                "refused": Refused("count-mismatch", 57),
                "before-the-fault": ([100], 101),
                "unread": Refused("count-mismatch", 57),
            },
        ),
        (
            # The same that counts 127 records, with 9 bytes behind the count.
            consuming(
                "0000000000000064"
                "0000003a"
                "00000000"
                "02"
                "45da25da"
                "0000"
                "00000000"
                "00000174876e8000"
                "00000174876e8000"
                "ffffffffffffffff"
                "ffff"
                "ffffffff"
                "0000007f"
                "10"
                "00"
                "00"
                "00"
                "02"
                "6b"
                "02"
                "76"
                "00",
                100,
            ),
            {
                "stops": Refused("truncated", 57),
                "refused": Refused("truncated", 57),
                "before-the-fault": ([100], 101),
                "unread": Refused("truncated", 57),
            },
        ),
        (
            # A control batch at 100 that counts two records and holds one, and a batch at 101.
            consuming(
                "0000000000000064000000420000000002e9f1e24700300000000000000174876e800000000174876e8000"
                "000000000000000900000000000000000002200000000800000001"
                "0c00000000000000" + _WHOLE.replace("64", "65", 1),
                100,
            ),
            {
                "stops": Refused("count-mismatch", 57),
                "refused": Refused("count-mismatch", 57),
                "before-the-fault": ([], 101),
                "unread": ([101], 102),
            },
        ),
    ],
    "cut_alone": [
        (
            consuming(entry(1, 5, 0, b"v")[:-1].hex(), 5),
            {"nothing": ([], 5), "refused": Refused("truncated", 0)},
        ),
        (
            consuming((entry(1, 5, 0, b"v") + entry(1, 6, 0, b"w")[:-1]).hex(), 5),
            {"nothing": ([5], 6), "refused": ([5], 6)},
        ),
        (consuming("", 5), {"nothing": ([], 5), "refused": ([], 5)}),
    ],
    "unheld": [
        (
            sending(1, "none", (7, b"v"), producer_id=4),
            {"refused": Refused("field-not-in-version", None), "left-out": [(0, 7, 1)]},
        ),
        (
            sending(0, "none", (-1, b"v"), transactional=True),
            {"refused": Refused("field-not-in-version", None), "left-out": [(0, None, 1)]},
        ),
        (sending(2, "none", (7, b"v"), transactional=True), {"refused": [(16, 7, 1)], "left-out": [(16, 7, 1)]}),
    ],
    "timestamp_in_magic_0": [
        (
            sending(0, "none", (7, b"v")),
            {"left-out": [(0, None, 1)], "refused": Refused("field-not-in-version", None)},
        ),
        (sending(0, "none", (-1, b"v")), {"left-out": [(0, None, 1)], "refused": [(0, None, 1)]}),
        (sending(1, "none", (7, b"v")), {"left-out": [(0, 7, 1)], "refused": [(0, 7, 1)]}),
    ],
    "max_timestamp": [
        (sending(2, "none", (9, b"v"), (7, b"w")), {"greatest": [(0, 9, 2)], "last": [(0, 7, 2)]}),
        (sending(1, "gzip", (9, b"v"), (7, b"w")), {"greatest": [(1, 9, 2)], "last": [(1, 9, 2)]}),
    ],
    "wrapper_timestamp": [
        (
            sending(1, "gzip", (7, b"v"), (9, b"w")),
            {"greatest": [(1, 9, 2)], "zero": [(1, 0, 2)], "first": [(1, 7, 2)]},
        ),
        (
            sending(2, "gzip", (7, b"v"), (9, b"w")),
            {"greatest": [(1, 9, 2)], "zero": [(1, 9, 2)], "first": [(1, 9, 2)]},
        ),
    ],
    "small_content": [
        (sending(2, "gzip", (7, b"v")), {"compressed": [(1, 7, 1)], "plain": [(0, 7, 1)]}),
        (sending(1, "gzip", (7, b"v"), (7, b"w")), {"compressed": [(1, 7, 2)], "plain": [(0, 7, 1), (0, 7, 1)]}),
        (sending(2, "gzip", (7, bytes(999))), {"compressed": [(1, 7, 1)], "plain": [(1, 7, 1)]}),
    ],
    "cut_batch": [
        (
            # Two records at 100 and 101, the last byte is cut off.
            consuming(
                "0000000000000064000000430000000002b74d9ba800000000000100000174876e800000000174876e8000"
                "ffffffffffffffffffffffffffff0000000210000000026b02760010000002026c0276",
                100,
            ),
            {"nothing": ([], 100), "whole-records": ([100], 101)},
        ),
        (consuming(_WHOLE[:40], 100), {"nothing": ([], 100), "whole-records": ([], 100)}),
        (consuming(_WHOLE, 100), {"nothing": ([100], 101), "whole-records": ([100], 101)}),
    ],
    "compacted_end": [
        (consuming(_COMPACTED, 100), {"behind-the-batch": ([100], 110), "behind-the-last-record": ([100], 101)}),
        (consuming(_COMPACTED, 105), {"behind-the-batch": ([], 110), "behind-the-last-record": ([], 106)}),
        (consuming(_COMPACTED, 110), {"behind-the-batch": ([], 110), "behind-the-last-record": ([], 110)}),
    ],
    "mixed_formats": [
        (consuming(entry(1, 5, 0, b"v").hex() + _WHOLE, 5), {"all": ([5, 100], 101), "first-alone": ([5], 6)}),
        (consuming(_WHOLE + entry(1, 105, 0, b"v").hex(), 5), {"all": ([100, 105], 106), "first-alone": ([100], 101)}),
        (
            consuming((entry(0, 5, 0, b"v") + entry(1, 6, 0, b"v")).hex(), 5),
            {"all": ([5, 6], 7), "first-alone": ([5, 6], 7)},
        ),
    ],
    "aborted_list": [
        (
            # A transactional batch of producer 9.
            consuming(
                "00000000000000640000003a00000000028bdd525600100000000000000174876e800000000174876e8000"
                "00000000000000090000000000000000000110000000026b027600",
                100,
                [{"producer_id": 9, "first_offset": 100}],
            ),
            {"read-committed": ([100], 101), "always": ([], 101)},
        ),
    ],
    "plain_default": [
        (with_new_default(), {"compatible": [], "breaks": ["field-changed"]}),
        (
            with_new_default(taggedVersions="0+", tag=0),
            {"compatible": ["field-changed"], "breaks": ["field-changed"]},
        ),
    ],
}
