"""Cases without a vector: their ids say all there is to know, and the reference says what is expected."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from judging import judged_by_asking
from wire import KAFKA

import reference
from conformance.all_types import types_of
from conformance.generated import area, has_partial_tail, parse, vector_of
from conformance.judge import judge
from conformance.model import Case, Observation, Op, Outcome, Status
from conformance.vectors import Reject, VectorKind
from reference.errors import Reason


def made(op: Op, name: str, digits: str, version: int | None = None, prefix: int | None = None) -> Any:
    return vector_of(op, KAFKA, name, version, bytes.fromhex(digits), prefix)


def test_a_seed_that_decodes() -> None:
    vector, case = made(Op.DECODE, "UNSIGNED_VARINT", "ac02")
    assert case == Case("gen/kafka/UNSIGNED_VARINT/-/xac02#decode", Op.DECODE, KAFKA, "UNSIGNED_VARINT", None,
                        {"data": b"\xac\x02"})  # fmt: skip
    assert (vector.id, vector.dialect, vector.area, vector.kind, vector.ops) == (
        "xac02", KAFKA, "varints", VectorKind.VALID, (Op.DECODE,)
    )  # fmt: skip
    assert (vector.value, vector.data, vector.canonical, vector.reject) == (300, b"\xac\x02", (), None)
    assert (vector.about, vector.source) == ("generated: 2 bytes", "the reference codec")


def test_a_seed_that_is_not_canonical() -> None:
    vector, case = made(Op.RECODE, "UNSIGNED_VARINT", "8100")
    assert (vector.value, vector.canonical_data, case.args) == (1, b"\x01", {"data": b"\x81\x00"})


def test_encode_is_asked_of_the_seeds_value() -> None:
    vector, case = made(Op.ENCODE, "STRING", "00026162")
    assert (case.id, case.args) == ("gen/kafka/STRING/-/x00026162#encode", {"value": "ab"})
    assert vector.canonical_data == b"\0\x02ab"


def test_a_seed_that_does_not_decode() -> None:
    vector, case = made(Op.DECODE, "INT32", "0000")
    assert (vector.kind, vector.reject, case.args) == (
        VectorKind.INVALID,
        Reject(Reason.TRUNCATED, 0),
        {"data": b"\0\0"},
    )
    with pytest.raises(ValueError, match=r"its seed does not decode .*: nothing to encode"):
        made(Op.ENCODE, "INT32", "0000")


def test_a_version_is_part_of_the_case() -> None:
    vector, case = made(Op.DECODE, "ApiVersionsRequest", "010100", 3)
    assert (case.id, case.version, vector.version, vector.area) == (
        "gen/kafka/ApiVersionsRequest/3/x010100#decode", 3, 3, "messages"
    )  # fmt: skip
    beyond, _ = made(Op.DECODE, "ApiVersionsRequest", "010100", 9)
    assert beyond.reject == Reject(Reason.UNSUPPORTED_VERSION, None)


def test_a_prefix_is_a_derived_case() -> None:
    vector, case = made(Op.DECODE, "STRING", "00026162", prefix=3)
    assert case.id == "gen/kafka/STRING/-/x00026162+prefix:3#decode"
    assert case.derived
    assert (case.args, vector.reject, vector.id) == (
        {"data": b"\0\x02a"}, Reject(Reason.TRUNCATED, 0), "x00026162+prefix:3"
    )  # fmt: skip
    assert vector.about == "generated: the first 3 of 4 bytes"
    assert not made(Op.DECODE, "STRING", "00026162")[1].derived


@pytest.mark.parametrize(
    ("type_name", "expected"),
    [
        ("UNSIGNED_VARINT", "varints"),
        ("VARINT", "varints"),
        ("VARLONG", "varints"),
        ("TAG_BUFFER", "tag-ordering"),
        ("STRING", "null-encodings"),
        ("COMPACT_NULLABLE_BYTES", "null-encodings"),
        ("ARRAY<VARINT>", "null-encodings"),
        ("COMPACT_ARRAY<ARRAY<INT8>>", "null-encodings"),
        ("INT8", "framing"),
        ("FLOAT64", "framing"),
        ("UUID", "framing"),
        ("BOOLEAN", "framing"),
        ("RequestHeader", "framing"),
        ("ResponseHeader", "framing"),
        ("RequestFrame", "framing"),
        ("ResponseFrame:ApiVersions", "framing"),
        ("Record", "header-multimaps"),
        ("RecordBatch", "framing"),
        ("RecordSet", "framing"),
        ("MessageSet", "framing"),
        ("ApiVersionsRequest", "messages"),
        ("ApiVersionsResponse", "messages"),
    ],
)
def test_areas(type_name: str, expected: str) -> None:
    assert area(KAFKA, type_name) == expected


def test_bytes_of_compressed_content_are_free() -> None:
    message = {"offset": 0, "attributes": 0, "key": b"a", "value": None}
    wrapper = {"offset": 0, "attributes": 1, "key": None, "messages": [message]}
    for value, free in (([message], False), ([message, wrapper], True), ([], False)):
        data = reference.encode("MessageSet", value, dialect=KAFKA, version=0)
        vector, case = vector_of(Op.ENCODE, KAFKA, "MessageSet", 0, data)
        assert vector.compare_decoded is free
        assert judge(vector, Observation(case, Status.ANSWER, data)).verdict is Outcome.PASS
    seed = reference.encode("RecordBatch", {"attributes": 4, "records": []}, dialect=KAFKA)
    assert vector_of(Op.RECODE, KAFKA, "RecordBatch", None, seed)[0].compare_decoded
    assert not made(Op.RECODE, "INT8", "05")[0].compare_decoded


def test_each_dialect_says_of_which_types() -> None:
    dialect = "kip-82-int-keys"
    message: dict[str, Any] = {"offset": 0, "magic": 2, "attributes": 0, "timestamp": 0, "key": None, "headers": []}
    message["value"] = b"v"
    wrapper = {**message, "attributes": 1, "messages": [message]}
    del wrapper["value"]
    for name, value, free in (
        ("MESSAGE_AND_OFFSET", message, False),
        ("MESSAGE_AND_OFFSET", wrapper, True),
        ("MESSAGE_SET", [message, wrapper], True),
        ("MESSAGE_SET", [message], False),
        ("HEADERS", [(1, b"")], False),
    ):
        seed = reference.encode(name, value, dialect=dialect)
        assert vector_of(Op.RECODE, dialect, name, None, seed)[0].compare_decoded is free
    seed = reference.encode("BATCH", {"attributes": 8, "records": []}, dialect="kip-82-string-keys")
    assert not vector_of(Op.RECODE, "kip-82-string-keys", "BATCH", None, seed)[0].compare_decoded


@pytest.mark.parametrize(
    ("digits", "partial"),
    [
        ("", False),
        ("00", True),
        ("00000000000000000000000e" + 14 * "00", False),
        ("00000000000000000000000e" + 13 * "00", True),
        ("00000000000000000000000e" + 14 * "00" + "00", True),
        (2 * ("00000000000000000000000e" + 14 * "00"), False),
    ],
)
def test_partial_tails(digits: str, partial: bool) -> None:
    assert has_partial_tail(KAFKA, "RecordSet", bytes.fromhex(digits)) is partial
    assert has_partial_tail(KAFKA, "MessageSet", bytes.fromhex(digits)) is partial
    assert not has_partial_tail(KAFKA, "RecordBatch", bytes.fromhex(digits))


@pytest.mark.parametrize(("name", "version"), list(types_of(KAFKA)))
def test_an_id_parses_back_to_the_same_case(name: str, version: int | None) -> None:
    digits = ("", "00", "0001", "ffffffff0f", "0000000a0012000000000001ffff")
    for seed, op, prefix in itertools.product(digits, (Op.DECODE, Op.RECODE), (None, 0, 1)):
        vector, case = made(op, name, seed, version, prefix)
        assert parse(case.id) == (vector, case)
        if vector.kind is VectorKind.VALID and prefix is None:
            encode = made(Op.ENCODE, name, seed, version)
            assert parse(encode[1].id) == encode


@pytest.mark.parametrize(
    "identifier",
    [
        "",
        "gen/kafka/INT8/-/x05",
        "gen/kafka/INT8/-/x5#decode",
        "gen/kafka/INT8/-/05#decode",
        "gen/kafka/INT8/-/xAB#decode",
        "gen/kafka/INT8/-/x05#lookup",
        "gen/kafka/INT8/-/x05+flip:3#decode",
        "gen/kafka/INT8/-/x05+prefix:#decode",
        "gen/kafka/INT8/-/x05+prefix:-1#decode",
        "gen/kafka/INT8//x05#decode",
        "gen/kafka/INT8/a/x05#decode",
        "gen/kafka//-/x05#decode",
        "gen/INT8/-/x05#decode",
        "kafka/varints/one#decode",
        "gen/kafka/INT8/-/x05#decode\n",
    ],
)
def test_what_is_no_id_is_told_the_form(identifier: str) -> None:
    with pytest.raises(ValueError, match="is no id of a generated case; gen/<dialect>/<type>/<version or ->/x<hex>"):
        parse(identifier)


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        ("gen/kafka/FOO/-/x05#decode", "the dialect kafka has no type 'FOO'"),
        ("gen/amqp/INT8/-/x05#decode", "there is no dialect 'amqp'"),
        ("gen/kafka/INT8/-/x#encode", "its seed does not decode"),
    ],
)
def test_ids_of_cases_that_there_are_none_of(identifier: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        parse(identifier)


@pytest.mark.parametrize(("name", "version"), list(types_of(KAFKA)))
def test_the_reference_passes_its_own_cases(name: str, version: int | None) -> None:
    for digits in ("", "00", "8100", "ffffffff1f", "00000001", "0000000a0012000000000001ffff"):
        for op in (Op.DECODE, Op.RECODE):
            vector, case = made(op, name, digits, version)
            _, verdict = judged_by_asking(reference.Reference(), vector, case)
            assert (verdict.verdict, verdict.note, verdict.id) == (Outcome.PASS, "", case.id)


def test_another_answer_fails() -> None:
    vector, case = made(Op.DECODE, "INT8", "05")
    assert judge(vector, Observation(case, Status.ANSWER, 6)).verdict is Outcome.FAIL
    assert judge(vector, Observation(case, Status.REJECT)).verdict is Outcome.FAIL


def test_what_a_partial_tail_and_an_area_are_comes_from_the_dialect() -> None:
    """No type of another dialect is taken for one of Kafka's, whatever it is called."""
    data = bytes.fromhex("00")
    assert has_partial_tail(KAFKA, "RecordSet", data)
    for dialect, message_set in (  # R-82i-12
        ("kip-82-int-keys", True),
        ("kip-82-string-keys", False),
        ("wire-format", True),
        ("kip-482-v1", False),
    ):
        assert not has_partial_tail(dialect, "RecordSet", data)
        assert has_partial_tail(dialect, "MESSAGE_SET", data) is message_set
    assert area("kip-82-string-keys", "BATCH") == "framing"
    assert area("kip-482-v1", "OPTIONAL_FIELDS:FetchRequest") == "tag-ordering"
