"""Spans: which bytes are what, by type; and what is kept of bytes that are refused."""

from __future__ import annotations

from typing import Any

import pytest
from support.wire import KAFKA, Message, field, schema, tagged

from wireproof import reference
from wireproof.reference import Explanation, cursor
from wireproof.reference.errors import Reason


def explain(name: str, digits: str, version: int | None = None) -> Explanation:
    return reference.explain(name, bytes.fromhex(digits), dialect=KAFKA, version=version)


def spans_of(name: str, digits: str, version: int | None = None) -> list[tuple[str, int, int, str, Any]]:
    return rows(explain(name, digits, version))


def rows(explanation: Explanation) -> list[tuple[str, int, int, str, Any]]:
    return [(span.path, span.start, span.end, span.what, span.value) for span in explanation.spans]


FIXED = {
    "BOOLEAN": ("01", True),
    "INT8": ("ff", -1),
    "INT16": ("0102", 258),
    "INT32": ("00000001", 1),
    "INT64": ("0000000000000001", 1),
    "UINT16": ("ffff", 65535),
    "UINT32": ("ffffffff", 4294967295),
    "FLOAT64": ("3ff0000000000000", 1.0),
    "UUID": ("00" * 16, reference.decode("UUID", bytes(16), dialect=KAFKA)),
    "UNSIGNED_VARINT": ("ac02", 300),
    "VARINT": ("8101", -65),
    "VARLONG": ("01", -1),
}


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_value_is_one_span(name: str) -> None:
    digits, value = FIXED[name]
    assert spans_of(name, digits) == [("", 0, len(digits) // 2, name, value)]


def test_texts_and_bytes_are_a_length_and_their_content() -> None:
    assert spans_of("STRING", "00026162") == [("", 0, 2, "length", 2), ("", 2, 4, "text", "ab")]
    assert spans_of("COMPACT_STRING", "036162") == [("", 0, 1, "length + 1", 3), ("", 1, 3, "text", "ab")]
    assert spans_of("BYTES", "0000000161") == [("", 0, 4, "length", 1), ("", 4, 5, "bytes", b"a")]
    assert spans_of("COMPACT_NULLABLE_BYTES", "0261") == [("", 0, 1, "length + 1", 2), ("", 1, 2, "bytes", b"a")]
    assert spans_of("NULLABLE_STRING", "ffff") == [("", 0, 2, "length", -1)]
    assert spans_of("COMPACT_NULLABLE_STRING", "00") == [("", 0, 1, "length + 1", 0)]


def test_empty_contents_have_no_span() -> None:
    assert spans_of("STRING", "0000") == [("", 0, 2, "length", 0)]
    assert spans_of("COMPACT_BYTES", "01") == [("", 0, 1, "length + 1", 1)]
    assert spans_of("TAG_BUFFER", "010500")[-1] == ("_tags", 2, 3, "tag size", 0)


def test_arrays_name_their_elements() -> None:
    assert spans_of("ARRAY<INT8>", "000000020102") == [
        ("", 0, 4, "count", 2),
        ("[0]", 4, 5, "INT8", 1),
        ("[1]", 5, 6, "INT8", 2),
    ]
    assert spans_of("COMPACT_ARRAY<COMPACT_ARRAY<BOOLEAN>>", "02" + "0200") == [
        ("", 0, 1, "count + 1", 2),
        ("[0]", 1, 2, "count + 1", 2),
        ("[0][0]", 2, 3, "BOOLEAN", False),
    ]


def test_tags_are_number_size_and_data() -> None:
    assert spans_of("TAG_BUFFER", "02" + "0001aa" + "ac0200") == [
        ("_tags", 0, 1, "tag count", 2),
        ("_tags", 1, 2, "tag", 0),
        ("_tags", 2, 3, "tag size", 1),
        ("_tags", 3, 4, "unknown tag's data", b"\xaa"),
        ("_tags", 4, 6, "tag", 300),
        ("_tags", 6, 7, "tag size", 0),
    ]


def test_messages_name_their_fields() -> None:
    assert spans_of("ApiVersionsResponse", "0000" + "02" + "00120000000500" + "00000000" + "01" + "030101", 3) == [
        ("ErrorCode", 0, 2, "INT16", 0),
        ("ApiKeys", 2, 3, "count + 1", 2),
        ("ApiKeys[0].ApiKey", 3, 5, "INT16", 18),
        ("ApiKeys[0].MinVersion", 5, 7, "INT16", 0),
        ("ApiKeys[0].MaxVersion", 7, 9, "INT16", 5),
        ("ApiKeys[0]._tags", 9, 10, "tag count", 0),
        ("ThrottleTimeMs", 10, 14, "INT32", 0),
        ("_tags", 14, 15, "tag count", 1),
        ("_tags", 15, 16, "tag", 3),
        ("_tags", 16, 17, "tag size", 1),
        ("ZkMigrationReady", 17, 18, "BOOLEAN", True),
    ]


def test_frames_start_with_their_size() -> None:
    assert spans_of("RequestFrame", "0000000a" + "0012" + "0000" + "00000001" + "ffff") == [
        ("size", 0, 4, "frame size", 10),
        ("header.RequestApiKey", 4, 6, "INT16", 18),
        ("header.RequestApiVersion", 6, 8, "INT16", 0),
        ("header.CorrelationId", 8, 12, "INT32", 1),
        ("header.ClientId", 12, 14, "length", -1),
    ]
    assert spans_of("ResponseFrame:ApiVersions", "0000000a" + "00000001" + "0023" + "00000000", 0) == [
        ("size", 0, 4, "frame size", 10),
        ("header.CorrelationId", 4, 8, "INT32", 1),
        ("body.ErrorCode", 8, 10, "INT16", 35),
        ("body.ApiKeys", 10, 14, "count", 0),
    ]


def test_markers_of_structures_are_spans() -> None:
    inside = [field("X", "int8")]
    classic = Message(schema(field("S", "In", fields=inside, nullableVersions="0+")), 0)
    assert rows(classic.explain("ff")) == [("S", 0, 1, "marker", -1)]
    assert rows(classic.explain("0105")) == [("S", 0, 1, "marker", 1), ("S.X", 1, 2, "INT8", 5)]
    behind_tag = Message(
        schema(tagged("S", "In", 0, fields=inside, nullableVersions="0+", default="null"), flexible="0+"), 0
    )
    assert rows(behind_tag.explain("01" + "00" + "03" + "01" + "05" + "00")) == [
        ("_tags", 0, 1, "tag count", 1),
        ("_tags", 1, 2, "tag", 0),
        ("_tags", 2, 3, "tag size", 3),
        ("S", 3, 4, "marker", 1),
        ("S.X", 4, 5, "INT8", 5),
        ("S._tags", 5, 6, "tag count", 0),
    ]


def test_a_refusal_keeps_what_was_read_before_it() -> None:
    found = explain("ARRAY<INT16>", "00000002" + "0001" + "00")
    assert rows(found) == [("", 0, 4, "count", 2), ("[0]", 4, 6, "INT16", 1)]
    assert found.value is None
    assert found.error is not None
    assert (found.error.reason, found.error.offset) == (Reason.TRUNCATED, 6)


def test_key_and_version_at_fault_are_shown() -> None:
    assert rows(explain("RequestFrame", "0000000403e70000")) == [
        ("size", 0, 4, "frame size", 4),
        ("header.RequestApiKey", 4, 6, "INT16", 999),
    ]
    assert rows(explain("RequestFrame", "0000000400120006")) == [
        ("size", 0, 4, "frame size", 4),
        ("header.RequestApiKey", 4, 6, "INT16", 18),
        ("header.RequestApiVersion", 6, 8, "INT16", 6),
    ]


def test_the_value_is_what_decode_gives() -> None:
    found = explain("STRING", "00026162")
    assert (found.value, found.error) == ("ab", None)


def test_a_version_that_is_none_is_explained_without_bytes() -> None:
    found = explain("ApiVersionsRequest", "00", 9)
    assert (found.spans, found.value) == ((), None)
    assert found.error is not None
    assert (found.error.reason, found.error.offset) == (Reason.UNSUPPORTED_VERSION, None)


def test_no_more_spans_are_kept_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    every = spans_of("ARRAY<INT8>", "00000003010203")
    assert len(every) == 4
    monkeypatch.setattr(cursor, "MOST_SPANS", 3)
    assert spans_of("ARRAY<INT8>", "00000003010203") == every[:3]
