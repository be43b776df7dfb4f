"""The four arrays: null, empty, counts against the bytes that are left, nesting, and where errors point."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from support.wire import Refused, decode, encode, recode

from wireproof.reference import UnknownType
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.schema import type_names
from wireproof.reference.schema.plan import Array, TagBuffer

#: type, value, bytes
BOTH_WAYS: list[tuple[str, Any, str]] = [
    ("ARRAY<INT8>", [], "00000000"),
    ("ARRAY<INT8>", [1, -1], "0000000201ff"),
    ("ARRAY<STRING>", ["", "ab"], "000000020000" + "00026162"),
    ("ARRAY<NULLABLE_STRING>", [None], "00000001ffff"),
    ("ARRAY<FLOAT64>", [1.0, -2.0], "00000002" + "3ff0000000000000" + "c000000000000000"),
    ("ARRAY<UUID>", [UUID(int=1), UUID(int=2)], "00000002" + "00" * 15 + "01" + "00" * 15 + "02"),
    ("ARRAY<BYTES>", [b"a", b""], "00000002" + "0000000161" + "00000000"),
    ("COMPACT_ARRAY<UNSIGNED_VARINT>", [300, 1], "03" + "ac02" + "01"),
    ("NULLABLE_ARRAY<INT16>", None, "ffffffff"),
    ("NULLABLE_ARRAY<INT16>", [], "00000000"),
    ("NULLABLE_ARRAY<INT16>", [1, 2], "0000000200010002"),
    ("COMPACT_ARRAY<INT8>", [], "01"),
    ("COMPACT_ARRAY<INT8>", [7], "0207"),
    ("COMPACT_ARRAY<INT8>", [0] * 127, "8001" + "00" * 127),
    ("COMPACT_NULLABLE_ARRAY<UUID>", None, "00"),
    ("COMPACT_NULLABLE_ARRAY<INT8>", [], "01"),
    ("COMPACT_NULLABLE_ARRAY<COMPACT_STRING>", ["a"], "020261"),
    ("ARRAY<ARRAY<INT8>>", [[], [1]], "00000002" + "00000000" + "0000000101"),
    ("COMPACT_ARRAY<COMPACT_NULLABLE_ARRAY<VARINT>>", [None, [], [-1]], "04" + "00" + "01" + "0201"),
    ("NULLABLE_ARRAY<COMPACT_ARRAY<BOOLEAN>>", [[True], []], "00000002" + "0201" + "01"),
]

#: type, bytes, reason, offset, path
REFUSED = [
    ("ARRAY<INT8>", "", "truncated", 0, ""),
    ("ARRAY<INT8>", "000000", "truncated", 0, ""),
    ("ARRAY<INT8>", "ffffffff", "null-not-allowed", 0, ""),
    ("ARRAY<INT8>", "fffffffe", "negative-length", 0, ""),
    ("ARRAY<INT8>", "00000001", "truncated", 0, ""),
    ("ARRAY<INT8>", "0000000301ff", "truncated", 0, ""),
    ("ARRAY<INT8>", "000000010102", "trailing-bytes", 5, ""),
    ("ARRAY<INT16>", "00000002000100", "truncated", 6, "[1]"),
    ("ARRAY<INT16>", "00000003000100", "truncated", 6, "[1]"),
    ("ARRAY<STRING>", "000000020001610001", "truncated", 7, "[1]"),
    ("ARRAY<STRING>", "0000000100", "truncated", 4, "[0]"),
    ("ARRAY<STRING>", "00000002ffff", "null-not-allowed", 4, "[0]"),
    ("NULLABLE_ARRAY<INT8>", "fffffffe", "negative-length", 0, ""),
    ("NULLABLE_ARRAY<INT8>", "ffffffff00", "trailing-bytes", 4, ""),
    ("COMPACT_ARRAY<INT8>", "00", "null-not-allowed", 0, ""),
    ("COMPACT_ARRAY<INT8>", "02", "truncated", 0, ""),
    ("COMPACT_ARRAY<INT8>", "ffffffff0f", "truncated", 0, ""),
    ("COMPACT_ARRAY<INT8>", "8080808010", "varint-overflow", 0, ""),
    ("COMPACT_NULLABLE_ARRAY<INT8>", "80", "truncated", 0, ""),
    ("COMPACT_NULLABLE_ARRAY<UNSIGNED_VARINT>", "0301" + "ffffffff1f", "varint-overflow", 2, "[1]"),
    ("ARRAY<ARRAY<INT16>>", "00000001" + "00000002" + "0001" + "00", "truncated", 10, "[0][1]"),
    ("ARRAY<ARRAY<INT16>>", "00000002" + "00000000" + "00000009", "truncated", 8, "[1]"),
]

UNENCODABLE: list[tuple[str, Any, str, str]] = [
    ("ARRAY<INT8>", None, "null-not-allowed", ""),
    ("COMPACT_ARRAY<INT8>", None, "null-not-allowed", ""),
    ("ARRAY<INT8>", 5, "out-of-range", ""),
    ("ARRAY<INT8>", "ab", "out-of-range", ""),
    ("NULLABLE_ARRAY<INT8>", {}, "out-of-range", ""),
    ("ARRAY<INT8>", [1, 128], "out-of-range", "[1]"),
    ("COMPACT_ARRAY<STRING>", ["a", None], "null-not-allowed", "[1]"),
    ("ARRAY<ARRAY<INT8>>", [[], [0, None]], "null-not-allowed", "[1][1]"),
    ("ARRAY<ARRAY<INT8>>", [None], "null-not-allowed", "[0]"),
]


@pytest.mark.parametrize(("name", "value", "digits"), BOTH_WAYS)
def test_both_ways(name: str, value: Any, digits: str) -> None:
    assert decode(name, digits) == value
    assert encode(name, value) == digits


def test_a_tuple_is_a_list() -> None:
    assert encode("ARRAY<INT8>", (1, 2)) == "000000020102"


def test_an_overlong_count_is_written_in_its_least_bytes() -> None:
    assert recode("COMPACT_ARRAY<INT8>", "82800007") == "0207"


@pytest.mark.parametrize(("name", "digits", "reason", "offset", "path"), REFUSED)
def test_refused(name: str, digits: str, reason: str, offset: int, path: str) -> None:
    assert decode(name, digits) == Refused(reason, offset, path)


@pytest.mark.parametrize(("name", "value", "reason", "path"), UNENCODABLE)
def test_unencodable(name: str, value: Any, reason: str, path: str) -> None:
    assert encode(name, value) == Refused(reason, None, path)


def test_type_names() -> None:
    int8 = PRIMITIVES["INT8"]
    assert type_names.node("INT8") is int8
    assert type_names.node("TAG_BUFFER") == TagBuffer()
    assert type_names.node("ARRAY<INT8>") == Array(int8, compact=False, nullable=False)
    assert type_names.node("NULLABLE_ARRAY<INT8>") == Array(int8, compact=False, nullable=True)
    assert type_names.node("COMPACT_ARRAY<INT8>") == Array(int8, compact=True, nullable=False)
    assert type_names.node("COMPACT_NULLABLE_ARRAY<INT8>") == Array(int8, compact=True, nullable=True)
    assert type_names.node("ARRAY<COMPACT_ARRAY<INT8>>") == Array(
        Array(int8, compact=True, nullable=False), compact=False, nullable=False
    )


NO_TYPES = [
    "",
    "INT9",
    "int8",
    "ARRAY",
    "ARRAY<>",
    "ARRAY<INT8",
    "ARRAYINT8>",
    "ARRAY<INT8>>",
    "ARRAY< INT8>",
    "ARRAY<TAG_BUFFER>",
    "ARRAY<ApiVersionsRequest>",
    "ARRAY<RequestFrame>",
    "LIST<INT8>",
    "<INT8>",
    ">",
    "STRING<INT8>",
]


@pytest.mark.parametrize("name", NO_TYPES)
def test_no_types(name: str) -> None:
    assert type_names.node(name) is None
    with pytest.raises(UnknownType, match="the dialect kafka has no type"):
        decode(name, "00")


def test_arrays_nest_so_deep_and_no_deeper() -> None:
    deepest = "ARRAY<" * 16 + "INT8" + ">" * 16
    assert decode(deepest, "00000001" * 15 + "00000000") == [[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]
    with pytest.raises(UnknownType):
        decode(f"ARRAY<{deepest}>", "00000000")


def test_a_very_long_name_is_no_type_soon() -> None:
    assert type_names.node("ARRAY<" * 200_000 + "INT8" + ">" * 200_000) is None


def test_long_arrays_of_primitives_are_read_alike_with_and_without_spans() -> None:
    from wireproof import reference

    digits = "00000003" + "0001" + "61" + "0000" + "0002" + "62"
    refused = decode("ARRAY<STRING>", digits)
    assert refused == Refused("truncated", 9, "[2]")
    explained = reference.explain("ARRAY<STRING>", bytes.fromhex(digits), dialect="kafka").error
    assert explained is not None
    assert (explained.reason, explained.offset, explained.path) == ("truncated", 9, "[2]")
