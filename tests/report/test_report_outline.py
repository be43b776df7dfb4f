"""Outlines: the content of rows, and their headings."""

from __future__ import annotations

import itertools

import pytest
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance import ledger
from wireproof.conformance.report.hexview import Row, hex_dump
from wireproof.conformance.report.outline import is_structure, outline_rows
from wireproof.reference import Explanation, Span


def explained(name: str, version: int | None, digits: str) -> tuple[Explanation, bytes]:
    data = bytes.fromhex(digits)
    return reference.explain(name, data, dialect=KAFKA, version=version), data


def outline(name: str, version: int | None, digits: str) -> list[tuple[str, str, str]]:
    """(label, indented; value; what) of the rows; the value is passed in where there is one."""
    found, data = explained(name, version, digits)
    value = {} if found.error else {"value": found.value}
    rows = outline_rows(found.spans, data, **value)
    return [("  " * row.depth + row.label, row.value, row.what) for row in rows]


def test_what_belongs_together_is_a_row() -> None:
    # MetadataResponse 12: throttle, no brokers, null cluster, controller, one topic with one partition.
    topic = "0000 0274" + "00" * 15 + "09" + "00"
    partition = "0003 00000001 00000002 00000003 03 00000004 00000005 02 00000006 01 00"
    assert outline("MetadataResponse", 12, f"00000000 01 00 ffffffff 02 {topic} 02 {partition} 80000000 00 00") == [
        ("ThrottleTimeMs", "0", "INT32"),
        ("Brokers", "0 elements", "count + 1: 1"),
        ("ClusterId", "null", "length + 1: 0"),
        ("ControllerId", "-1", "INT32"),
        ("Topics", "1 element", "count + 1: 2"),
        ("  Topics[0]", "", ""),
        ("    ErrorCode", "0", "INT16"),
        ("    Name", "'t'", "length + 1: 2"),
        ("    TopicId", "00000000-0000-0000-0000-000000000009", "UUID"),
        ("    IsInternal", "false", "BOOLEAN"),
        ("    Partitions", "1 element", "count + 1: 2"),
        ("      Topics[0].Partitions[0]", "", ""),
        ("        ErrorCode", "3", "INT16"),
        ("        PartitionIndex", "1", "INT32"),
        ("        LeaderId", "2", "INT32"),
        ("        LeaderEpoch", "3", "INT32"),
        ("        ReplicaNodes", "[4, 5]", "2 × INT32, count + 1: 3"),
        ("        IsrNodes", "[6]", "1 × INT32, count + 1: 2"),
        ("        OfflineReplicas", "0 elements", "count + 1: 1"),
        ("        _tags", "none", ""),
        ("    TopicAuthorizedOperations", "-2147483648", "INT32"),
        ("    _tags", "none", ""),
        ("_tags", "none", ""),
    ]


def test_tags() -> None:
    # ApiVersionsResponse 4: tag 1, an epoch; tag 5 without and tag 99 with content; 0, 2 and 3 are not sent.
    assert outline("ApiVersionsResponse", 4, "0000 01 00000000 03 01 08 0000000000000007 05 00 63 02 7878") == [
        ("ErrorCode", "0", "INT16"),
        ("ApiKeys", "0 elements", "count + 1: 1"),
        ("ThrottleTimeMs", "0", "INT32"),
        ("_tags", "3", "tag count"),
        ("  tag 1", "", "tag size: 8"),
        ("    FinalizedFeaturesEpoch", "7", "INT64"),
        ("  tag 5", "empty", "tag size: 0, unknown"),
        ("  tag 99", "0x7878", "tag size: 2, unknown"),
        ("(not sent)", "SupportedFeatures: [], FinalizedFeatures: [], ZkMigrationReady: false", "default"),
    ]


def test_tags_that_are_refused() -> None:
    assert outline("RequestHeader", 2, "0012 0003 00000001 ffff 02 05 00 03")[3:] == [
        ("ClientId", "null", "length: -1"),
        ("_tags", "2", "tag count"),
        ("  tag 5", "empty", "tag size: 0, unknown"),
        ("  tag 3", "", ""),
    ]


def test_an_array_that_ends_too_early() -> None:
    # A count of 2 where 6 bytes are left: one element and a half.
    assert outline("DescribeLogDirsRequest", 1, "00000001 0001 74 00000002 00000007 0000")[-2:] == [
        ("    Partitions", "[7]", "1 of 2 × INT32, count: 2"),
        ("(not read)", "", ""),
    ]


def test_arrays_of_texts_have_a_row_each() -> None:
    # FindCoordinatorRequest 4: key type, two keys.
    assert outline("FindCoordinatorRequest", 4, "00 03 0261 01 00") == [
        ("KeyType", "0", "INT8"),
        ("CoordinatorKeys", "2 elements", "count + 1: 3"),
        ("  [0]", "'a'", "length + 1: 2"),
        ("  [1]", "empty", "length + 1: 1"),
        ("_tags", "none", ""),
    ]


def test_notes_stand_beside_headings() -> None:
    found, data = explained("ResponseFrame:Metadata", 0, "0000000c 00000007 00000000 00000000")
    rows = outline_rows(found.spans, data, notes={"header": "version 0", "size": "not a heading"})
    assert [(row.label, row.what) for row in rows if row.offset is None] == [("header", "version 0"), ("body", "")]
    assert "header  version 0" in hex_dump(rows, width=80).plain


def test_a_part_of_the_data() -> None:
    spans = (Span("A", 3, 4, "INT8", 1),)
    assert outline_rows(spans, b"abc\x01\x02\x03", start=3) == [
        Row(3, b"\x01", "A", "INT8", "1", 0, "A", 1),
        Row(4, b"\x02\x03", "(not read)"),
    ]
    assert outline_rows((), b"abcde", start=3) == [Row(3, b"de", "")]


@pytest.mark.parametrize(
    ("name", "version", "digits", "structure"),
    [
        ("TAG_BUFFER", None, "010000", False),
        ("ARRAY<STRING>", None, "00000001 0000", False),
        ("ARRAY<ARRAY<INT8>>", None, "00000001 00000001 01", False),
        ("INT8", None, "01", False),
        ("INT8", None, "", False),
        ("RequestFrame", None, "00000000", True),
        ("ResponseHeader", 0, "00000000", True),
        ("HeartbeatResponse", 0, "0000", True),
    ],
)
def test_what_an_outline_suits(name: str, version: int | None, digits: str, structure: bool) -> None:
    found, _ = explained(name, version, digits)
    assert is_structure(found.spans) is structure


def test_columns() -> None:
    rows = [
        Row(0, b"\x01", "Short", "INT8", "1", 0, "Short", 9),
        Row(1, b"\x02", "LongLabel", "INT8", "2", 0, "LongLabel", 9),
        Row(2, b"\x03", "Text", "length: 30", "'" + "x" * 30 + "'", 1, "Text", 9),
        Row(None, b"", "(none)", "default", "y", 1, "", 9),
    ]
    assert [line.rstrip() for line in hex_dump(rows, width=60).plain.split("\n")] == [
        "     0  01                       Short      1           INT8",
        "     1  02                       LongLabel  2           INT8",
        "     2  03                         Text",
        " " * 37 + "'" + "x" * 22,
        " " * 37 + "x" * 8 + "'  length: 30",
        " " * 35 + "(none)     y      default",
    ]


def _set_cases() -> list[tuple[str, int, bytes]]:
    """Of every message the newest version that the ledger has with all its fields set."""
    found = []
    for name in ledger.names():
        vectors = [vector for vector in ledger.load(name).vectors if vector.path.endswith("set")]
        found += [(name, vector.version or 0, vector.data) for vector in vectors[-1:]]
    return found


def test_every_message_has_an_outline_of_all_its_bytes() -> None:
    cases = _set_cases()
    assert len(cases) > 150
    for name, version, data in cases:
        for size in {len(data), len(data) * 2 // 3}:  # whole, and cut off
            found = reference.explain(name, data[:size], dialect=KAFKA, version=version)
            value = {} if found.error else {"value": found.value}
            rows = outline_rows(found.spans, data[:size], **value)
            placed = [row for row in rows if row.offset is not None]
            assert b"".join(row.data for row in placed) == data[:size], name
            assert all(one.offset < other.offset for one, other in itertools.pairwise(placed)), name  # type: ignore[operator]
            if found.error is None:
                assert not any(row.label in ("(not read)", "") for row in rows), name
