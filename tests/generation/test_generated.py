"""Cases without a vector: their ids contain all arguments, and the reference gives the expected answer."""

from __future__ import annotations

import contextlib
import itertools
import struct
from typing import Any

import pytest
from support.judging import judged_by_asking
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.generation.case_ids import parse
from wireproof.conformance.generation.expectations import area, has_partial_tail, vector_of, vector_of_arguments
from wireproof.conformance.generation.whole_values import is_whole
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Case, Observation, Op, Outcome, Status
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Reject, VectorKind, compression_bombs
from wireproof.reference.errors import Reason


def generated(op: Op, name: str, digits: str, version: int | None = None, prefix: int | None = None) -> Any:
    return vector_of(op, KAFKA, name, version, bytes.fromhex(digits), prefix)


def test_a_seed_that_decodes() -> None:
    vector, case = generated(Op.DECODE, "UNSIGNED_VARINT", "ac02")
    assert case == Case("gen/kafka/UNSIGNED_VARINT/-/xac02#decode", Op.DECODE, KAFKA, "UNSIGNED_VARINT", None,
                        {"data": b"\xac\x02"})  # fmt: skip
    assert (vector.id, vector.dialect, vector.area, vector.kind, vector.ops) == (
        "xac02", KAFKA, "varints", VectorKind.VALID, (Op.DECODE,)
    )  # fmt: skip
    assert (vector.value, vector.data, vector.canonical, vector.reject) == (300, b"\xac\x02", (), None)
    assert (vector.about, vector.source) == ("generated: 2 bytes", "the reference codec")


def test_a_seed_that_is_not_canonical() -> None:
    vector, case = generated(Op.RECODE, "UNSIGNED_VARINT", "8100")
    assert (vector.value, vector.canonical_data, case.args) == (1, b"\x01", {"data": b"\x81\x00"})


def test_encode_is_asked_of_the_seeds_value() -> None:
    vector, case = generated(Op.ENCODE, "STRING", "00026162")
    assert (case.id, case.args) == ("gen/kafka/STRING/-/x00026162#encode", {"value": "ab"})
    assert vector.canonical_data == b"\0\x02ab"


def test_a_seed_that_does_not_decode() -> None:
    vector, case = generated(Op.DECODE, "INT32", "0000")
    assert (vector.kind, vector.reject, case.args) == (
        VectorKind.INVALID,
        Reject(Reason.TRUNCATED, 0),
        {"data": b"\0\0"},
    )
    with pytest.raises(ValueError, match=r"its seed does not decode .*: nothing to encode"):
        generated(Op.ENCODE, "INT32", "0000")


def test_a_version_is_part_of_the_case() -> None:
    vector, case = generated(Op.DECODE, "ApiVersionsRequest", "010100", 3)
    assert (case.id, case.version, vector.version, vector.area) == (
        "gen/kafka/ApiVersionsRequest/3/x010100#decode", 3, 3, "messages"
    )  # fmt: skip
    beyond, _ = generated(Op.DECODE, "ApiVersionsRequest", "010100", 9)
    assert beyond.reject == Reject(Reason.UNSUPPORTED_VERSION, None)


def test_a_prefix_is_a_derived_case() -> None:
    vector, case = generated(Op.DECODE, "STRING", "00026162", prefix=3)
    assert case.id == "gen/kafka/STRING/-/x00026162+prefix:3#decode"
    assert case.derived
    assert (case.args, vector.reject, vector.id) == (
        {"data": b"\0\x02a"}, Reject(Reason.TRUNCATED, 0), "x00026162+prefix:3"
    )  # fmt: skip
    assert vector.about == "generated: the first 3 of 4 bytes"
    assert not generated(Op.DECODE, "STRING", "00026162")[1].derived


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
        assert judge(vector, Observation(case, Status.ANSWER, data)).outcome is Outcome.PASS
    seed = reference.encode("RecordBatch", {"attributes": 4, "records": []}, dialect=KAFKA)
    assert vector_of(Op.RECODE, KAFKA, "RecordBatch", None, seed)[0].compare_decoded
    assert not generated(Op.RECODE, "INT8", "05")[0].compare_decoded


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
        vector, case = generated(op, name, seed, version, prefix)
        assert parse(case.id) == (vector, case)
        if vector.kind is VectorKind.VALID and prefix is None:
            encode = generated(Op.ENCODE, name, seed, version)
            assert parse(encode[1].id) == encode


@pytest.mark.parametrize(
    "identifier",
    [
        "",
        "gen/kafka/INT8/-/x05",
        "gen/kafka/INT8/-/x5#decode",
        "gen/kafka/INT8/-/05#decode",
        "gen/kafka/INT8/-/xAB#decode",
        "gen/kafka/INT8/-/x05#judge",
        "gen/kafka/INT8/-/v05#decode",
        "gen/kafka/-/-/v00#serve",
        "gen/kafka/-/-/x00+prefix:1#serve",
        "gen/kafka/INT8/-/v3035+prefix:1#encode",
        "gen/kafka/ApiVersionsRequest/" + 5000 * "9" + "/x05#decode",
        "gen/kafka/ApiVersionsRequest/٣/x05#decode",
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
    with pytest.raises(ValueError, match="is no id of a generated case; gen/<dialect>/<type or ->/"):
        parse(identifier)


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        ("gen/kafka/FOO/-/x05#decode", "the dialect kafka has no type 'FOO'"),
        ("gen/amqp/INT8/-/x05#decode", "there is no dialect 'amqp'"),
        ("gen/kafka/INT8/-/x#encode", "its seed does not decode"),
        ("gen/kafka/-/-/x05#decode", "the dialect kafka has no type '-'"),
        ("gen/kafka/-/-/v30#encode", "encode needs a type"),
        ("gen/kafka/INT8/-/x#serve", "serve speaks of no type"),
        ("gen/kafka/-/3/x#serve", "serve speaks of no type, and so of no version"),
        ("gen/amqp/-/-/x#serve", "there is no dialect 'amqp'"),
        ("gen/kip-82-int-keys/-/-/x#serve", "does not say what a broker answers"),
        ("gen/kafka/-/-/x000000#serve", "byte 0: a part begins with its size, 4 bytes; 3 are left"),
        ("gen/kafka/-/-/x0000000500#serve", "byte 0: a part of 5 bytes, of which 1 are there"),
        ("gen/kafka/-/-/xffffffff#serve", "a part of 4294967295 bytes, of which 0 are there"),
        ("gen/kafka/-/-/x#interpret", "one part, the request, or two"),
        ("gen/kafka/-/-/x" + 3 * "00000000" + "#interpret", "one part, the request, or two"),
        ("gen/kafka/-/-/x00000000#interpret", "this asks nothing: the request frame has no whole header"),
        ("gen/kafka/Record/-/x00000000#lookup", "lookup takes 2 parts, data and key; 1 are there"),
        ("gen/kafka/Record/-/x00000000000000017b#lookup", "no JSON"),
        ("gen/kafka/Record/-/x0000000000000001ff#lookup", "byte 0: UTF-8 is expected"),
        ("gen/kafka/INT8/-/x000000000000000130#lookup", "headers are looked up in a Record"),
        ("gen/kafka/INT8/-/v#encode", "no JSON"),
        ("gen/kafka/INT8/-/v4e614e#encode", "NaN is no number of JSON's"),
        ("gen/kafka/INT8/-/v302e35#encode", "no value"),
        ("gen/kafka/INT8/-/v" + 100_000 * "5b" + "#encode", "nested too deeply"),
        ("gen/kafka/INT8/-/v" + 5000 * "39" + "#encode", "its hex holds no arguments"),
        ("gen/kafka/INT8/-/v7b22696e74223a2278227d#encode", "no value"),
        ("gen/kafka/FOO/-/v30#encode", "the dialect kafka has no type 'FOO'"),
        ("gen/kafka/-/-/x5b5d#negotiate", "a JSON array of three"),
        ("gen/kafka/-/-/x5b312c5b302c315d2c5b302c747275655d5d#negotiate", "a JSON array of three"),
        ("gen/kafka/-/-/x5b5d#evolve", "a JSON array of two"),
    ],
)
def test_ids_of_cases_that_there_are_none_of(identifier: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        parse(identifier)


@pytest.mark.parametrize(("name", "version"), list(types_of(KAFKA)))
def test_the_reference_passes_its_own_cases(name: str, version: int | None) -> None:
    for digits in ("", "00", "8100", "ffffffff1f", "00000001", "0000000a0012000000000001ffff"):
        for op in (Op.DECODE, Op.RECODE):
            vector, case = generated(op, name, digits, version)
            _, verdict = judged_by_asking(reference.Reference(), vector, case)
            assert (verdict.outcome, verdict.note, verdict.id) == (Outcome.PASS, "", case.id)


def test_another_answer_fails() -> None:
    vector, case = generated(Op.DECODE, "INT8", "05")
    assert judge(vector, Observation(case, Status.ANSWER, 6)).outcome is Outcome.FAIL
    assert judge(vector, Observation(case, Status.REJECT)).outcome is Outcome.FAIL


def test_what_a_partial_tail_and_an_area_are_comes_from_the_dialect() -> None:
    """No type of another dialect is taken for one of Kafka's, whatever it is called."""
    data = bytes.fromhex("00")
    assert has_partial_tail(KAFKA, "RecordSet", data)
    for dialect, message_set in (  # R-82i-12
        ("kip-82-int-keys", True),
        ("kip-82-string-keys", False),
        ("wire-format", False),
        ("kip-482-v1", False),
    ):
        assert not has_partial_tail(dialect, "RecordSet", data)
        assert has_partial_tail(dialect, "MESSAGE_SET", data) is message_set
    assert area("kip-82-string-keys", "BATCH") == "framing"
    assert area("kip-482-v1", "OPTIONAL_FIELDS:FetchRequest") == "tag-ordering"


# --- The other ops ----------------------------------------------------------------------------------------------------

ASK = b"\0\0\0\x0a" + struct.pack(">hhih", 18, 0, 7, -1)
ANSWER = b"\0\0\0\x0a" + struct.pack(">ihi", 7, 0, 0)


def part(data: bytes) -> str:
    return (struct.pack(">I", len(data)) + data).hex()


@pytest.mark.parametrize(
    ("op", "name", "args", "seed"),
    [
        (Op.LOOKUP, "Record", {"data": b"\x0c\0\0\0\1\1\0", "key": "a"}, part(b"\x0c\0\0\0\1\1\0") + part(b'"a"')),
        (Op.SERVE, None, {"chunks": []}, ""),
        (Op.SERVE, None, {"chunks": [b""]}, "00000000"),
        (Op.SERVE, None, {"chunks": [ASK[:3], ASK[3:]]}, part(ASK[:3]) + part(ASK[3:])),
        (Op.INTERPRET, None, {"request": ASK, "response": None}, part(ASK)),
        (Op.INTERPRET, None, {"request": ASK, "response": b""}, part(ASK) + "00000000"),
        (Op.INTERPRET, None, {"request": ASK, "response": ANSWER}, part(ASK) + part(ANSWER)),
        (Op.NEGOTIATE, None, {"api_key": 1, "client": (0, 5), "broker": (2, 7)}, b"[1,[0,5],[2,7]]".hex()),
        (Op.NEGOTIATE, None, {"api_key": 1, "client": (0, 5), "broker": None}, b"[1,[0,5],null]".hex()),
        (Op.EVOLVE, None, {"old": {"a": 1}, "new": []}, b'[{"a":1},[]]'.hex()),
    ],
)
def test_the_seed_of_each_op_is_its_arguments(op: Op, name: str | None, args: dict[str, Any], seed: str) -> None:
    vector, case = vector_of_arguments(op, KAFKA, name, None, args)
    assert case == Case(f"gen/kafka/{name or '-'}/-/x{seed}#{op}", op, KAFKA, name, None, args)
    assert (vector.ops, vector.kind, vector.id) == ((op,), str(op), f"x{seed}")
    assert parse(case.id) == (vector, case)


def test_a_conversion_has_the_formats_name() -> None:
    dialect = "kip-82-string-keys"
    data = reference.encode("BATCH", {"records": []}, dialect=dialect)
    vector, case = vector_of_arguments(Op.CONVERT, dialect, "BATCH", None, {"data": data, "to": "shipped"})
    assert case.id == f"gen/{dialect}/BATCH/-/x{part(data)}{part(b'shipped')}#convert"
    assert vector.canonical_data == reference.convert("BATCH", data, "shipped", dialect=dialect)
    assert parse(case.id) == (vector, case)


def test_encode_of_a_value_that_no_bytes_have() -> None:
    vector, case = vector_of_arguments(Op.ENCODE, KAFKA, "STRING", None, {"value": None})
    assert case.id == "gen/kafka/STRING/-/v6e756c6c#encode"  # null
    assert (vector.kind, vector.reject) == (VectorKind.UNENCODABLE, Reject(Reason.NULL_NOT_ALLOWED))
    assert parse(case.id) == (vector, case)
    vector, case = vector_of_arguments(Op.ENCODE, KAFKA, "STRING", None, {"value": "\ud800"})
    assert case.id == "gen/kafka/STRING/-/v225c756438303022#encode"  # "\ud800" in quotes
    assert vector.reject == Reject(Reason.INVALID_UTF8)


#: A key of an ApiVersionsResponse, and its other fields in version 3.
KEY = {"ApiKey": 1, "MinVersion": 0, "MaxVersion": 0}
VERSIONS_ANSWER: dict[str, Any] = {
    "ErrorCode": 0,
    "ThrottleTimeMs": 0,
    "SupportedFeatures": [],
    "FinalizedFeaturesEpoch": -1,
    "FinalizedFeatures": [],
    "ZkMigrationReady": False,
}


def test_encode_of_a_value_expects_its_bytes() -> None:
    vector, case = vector_of_arguments(Op.ENCODE, KAFKA, "STRING", None, {"value": "ab"})
    assert (vector.kind, vector.canonical_data, case.args) == (VectorKind.VALID, b"\0\x02ab", {"value": "ab"})
    assert judge(vector, Observation(case, Status.ANSWER, b"\0\x02ab")).outcome is Outcome.PASS
    assert judge(vector, Observation(case, Status.ANSWER, b"\0\x02aB")).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("name", "version", "value", "expected"),
    [
        ("TAG_BUFFER", None, [[5, b"\0"], [2, b""]], "02 0200 050100"),
        ("ResponseHeader", 1, {"CorrelationId": 7, "_tags": [[2, b""], [1, b""]]}, "00000007 02 0100 0200"),
        (
            "ApiVersionsResponse",
            3,
            {**VERSIONS_ANSWER, "ApiKeys": [{**KEY, "_tags": [[9, b""], [8, b""]]}], "_tags": [[7, b""], [6, b""]]},
            "0000 02 0001 0000 0000 02 0800 0900 00000000 02 0600 0700",
        ),
    ],
)
def test_tags_out_of_order_may_be_sorted_or_refused(name: str, version: int | None, value: Any, expected: str) -> None:
    """R-K-1w: only to write them so is wrong, or other bytes."""
    vector, case = vector_of_arguments(Op.ENCODE, KAFKA, name, version, {"value": value})
    right = bytes.fromhex(expected)
    assert (vector.kind, vector.or_reject) == (VectorKind.VALID, Reason.TAG_ORDER)
    assert judge(vector, Observation(case, Status.ANSWER, right)).outcome is Outcome.PASS
    assert judge(vector, Observation(case, Status.ANSWER, right + b"\0")).outcome is Outcome.FAIL
    question = Question.of(vector, case)
    twin = Observation(question.twin, Status.ANSWER, b"") if question.twin else None
    refused = Observation(case, Status.REJECT, reason="tag-order")
    assert judge(vector, refused, twin=twin).outcome is Outcome.PASS
    if name == "TAG_BUFFER":
        assert judge(vector, Observation(case, Status.ANSWER, bytes.fromhex("02 050100 0200"))).outcome is Outcome.FAIL


@pytest.mark.parametrize("tags", [[[]], [["a", "b"]], [[None, b""], [1, b""]], [7], [[True, b""]]])
def test_tags_out_of_order_beside_what_is_no_tag_are_no_question(tags: Any) -> None:
    key = {**KEY, "_tags": [[9, b""], [8, b""]]}
    value = {**VERSIONS_ANSWER, "ApiKeys": [key], "_tags": tags}
    with pytest.raises(ValueError, match="no whole value"):
        vector_of_arguments(Op.ENCODE, KAFKA, "ApiVersionsResponse", 3, {"value": value})


def test_tags_given_twice_are_refused_in_any_order() -> None:
    vector, _ = vector_of_arguments(Op.ENCODE, KAFKA, "TAG_BUFFER", None, {"value": [[5, b""], [2, b""], [5, b""]]})
    assert (vector.kind, vector.reject) == (VectorKind.UNENCODABLE, Reject(Reason.TAG_ORDER))


def twin_of_question(op: Op, dialect: str, name: str | None, args: dict[str, Any], version: int | None = None) -> str:
    question = Question.of(*vector_of_arguments(op, dialect, name, version, args))
    assert question.vector.reject is not None
    return "" if question.twin is None else question.twin.id


def test_the_twin_of_each_refusal() -> None:
    assert twin_of_question(Op.ENCODE, KAFKA, "STRING", {"value": None}) == "gen/kafka/STRING/-/x0000#encode"
    assert twin_of_question(Op.ENCODE, KAFKA, "ResponseHeader", {"value": {"CorrelationId": 1}}, 2) == (
        "gen/kafka/ResponseHeader/0/x00000000#encode"
    )
    assert twin_of_question(Op.LOOKUP, KAFKA, "Record", {"data": b"", "key": "a"}).endswith("#lookup")
    for name, to in (("BATCH", "magic-0"), ("BATCH", "shipped"), ("RecordSet", "draft")):
        twin = find(twin_of_question(Op.CONVERT, "kip-82-string-keys", name, {"data": bytes(17), "to": to}))
        assert (twin.case.type, twin.case.args["to"], twin.vector.reject) == (name, to, None)
    assert twin_of_question(Op.EVOLVE, KAFKA, None, {"old": 1, "new": 2}).endswith("#evolve")


def test_what_a_broker_sends_is_expected_by_type_and_correlation_id() -> None:
    metadata = b"\0\0\0\x0e" + struct.pack(">hhihi", 3, 0, 8, -1, 0)
    vector, case = vector_of_arguments(Op.SERVE, KAFKA, None, None, {"chunks": [ASK + metadata[:6], metadata[6:]]})
    assert vector.expected == (
        [
            {
                "type": "ResponseFrame:ApiVersions",
                "version": 0,
                "value": {"header": {"CorrelationId": 7}, "body": {"ErrorCode": 0}},
            },
            {"type": "ResponseFrame:Metadata", "version": 0, "value": {"header": {"CorrelationId": 8}}},
        ],
        False,
    )
    assert vector.needs == ("apis",)
    listed = b"\0\0\0\x10" + struct.pack(">ihi", 7, 0, 1) + bytes(6)
    empty = b"\0\0\0\x0c" + struct.pack(">iii", 8, 0, 0)
    for sent, closed, outcome in (
        (listed + empty, False, Outcome.PASS),
        (listed + empty, True, Outcome.FAIL),
        (empty + listed, False, Outcome.FAIL),
        (listed, False, Outcome.FAIL),
        (listed[:9] + b"\x23" + listed[10:] + empty, False, Outcome.FAIL),
    ):
        assert judge(vector, Observation(case, Status.ANSWER, (sent, closed))).outcome is outcome


def test_a_broker_of_wire_format_answers_in_any_order() -> None:
    def produce(correlation: int) -> bytes:
        return b"\0\0\0\x11" + struct.pack(">hhihbih", 0, 0, correlation, 0, 1, 1000, 0)

    args = {"chunks": [produce(1) + produce(2)]}
    vector, _ = vector_of_arguments(Op.SERVE, "wire-format", None, None, args)
    sends, _ = vector.expected
    assert [(one["value"], one["order"]) for one in sends] == [
        ({"correlation_id": 1}, "any"), ({"correlation_id": 2}, "any")
    ]  # fmt: skip
    with pytest.raises(ValueError, match="6 answers in any order; at most 5"):
        vector_of_arguments(Op.SERVE, "wire-format", None, None, {"chunks": [produce(n) for n in range(6)]})


#: What is written is several batches, one after another: no one value.
SEVERAL_BATCHES = (
    "convert-two-from-shipped",
    "convert-two-of-magic-1",
    "convert-three-of-magic-0",
    "convert-both-old-magics",
    "convert-appended-and-created",
)


def test_what_vectors_ask_can_be_asked_by_a_generated_id_too() -> None:
    """The reference passes each: with the right settings, and with a twin where it refuses."""
    questions = []
    for dialect in vectors.dialects():
        for vector in vectors.load([dialect]):
            for op in set(vector.ops) - {Op.DECODE, Op.RECODE}:
                if sum(len(piece.data) for piece in vector.pieces) > 2000:
                    continue
                args = vector.case(op).args
                if vector.id in SEVERAL_BATCHES:
                    with pytest.raises(ValueError, match="can't be compared"):
                        vector_of_arguments(op, dialect, vector.type, vector.version, args)
                    continue
                with contextlib.suppress(reference.WireError):  # no such version
                    if op is Op.ENCODE and not is_whole(
                        args["value"], vector.type or "", dialect=dialect, version=vector.version
                    ):
                        continue
                made = vector_of_arguments(op, dialect, vector.type, vector.version, args)
                again = parse(made[1].id)[1]
                assert (again.id, again.op, again.type) == (made[1].id, op, vector.type)
                questions.append(Question.of(*made))
    with Examiner(open_connection("reference", Options(in_process=True))) as examiner:
        met = [(one.verdict.outcome, one.case.id) for one in examiner.judge(questions)]
    assert [identifier for verdict, identifier in met if verdict is not Outcome.PASS] == []
    assert len(met) > 2300


_OLD: dict[str, Any] = {"offset": 0, "magic": 2, "timestamp": 0, "key": None, "headers": []}
_INNER: list[dict[str, Any]] = [_OLD | {"attributes": 0, "value": bytes(33 << 20)}]


@pytest.mark.parametrize(
    ("dialect", "name", "value", "ruling"),
    [
        (KAFKA, "RecordBatch", compression_bombs.value("zstd", 33 << 20), "R-K-35"),
        (
            "kip-82-int-keys",
            "MESSAGE_AND_OFFSET",
            _OLD | {"attributes": 1, "messages": _INNER},
            "R-82i-11",
        ),
        (
            "kip-82-string-keys",
            "BATCH",
            {
                "firstOffset": 0,
                "attributes": 1,
                "lastOffsetDelta": 0,
                "firstTimestamp": 0,
                "maxTimestamp": 0,
                "pid": -1,
                "epoch": -1,
                "firstSequence": -1,
                "records": [
                    {
                        "attributes": 0,
                        "timestampDelta": 0,
                        "offsetDelta": 0,
                        "key": None,
                        "value": bytes(33 << 20),
                        "headers": [],
                    }
                ],
            },
            "R-82s-10",
        ),
    ],
)
def test_content_above_the_limit_may_be_read(dialect: str, name: str, value: Any, ruling: str) -> None:
    data = reference.encode(name, value, dialect=dialect)
    vector, case = vector_of(Op.DECODE, dialect, name, None, data)
    assert vector.reject is not None
    assert vector.reject.reason is Reason.RESOURCE_LIMIT
    verdict = judge(vector, Observation(case, Status.ANSWER, {}))
    assert (verdict.outcome, verdict.rulings) == (Outcome.CONTESTED, (ruling,))
    cut, case = vector_of(Op.DECODE, dialect, name, None, data[:-1])
    assert judge(cut, Observation(case, Status.ANSWER, {})).outcome is Outcome.FAIL
