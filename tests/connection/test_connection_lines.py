"""The line protocol: cases and observations to JSON lines and back, and what is refused."""

from __future__ import annotations

import json
import uuid
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireproof.conformance.connection.module import Module
from wireproof.conformance.connection.protocol import lines, shapes
from wireproof.conformance.connection.protocol.shapes import shape
from wireproof.conformance.model import Case, Description, Observation, Op, Status
from wireproof.conformance.values.compare import equal
from wireproof.reference.schema import AMBIGUOUS_NAMES

ARGUMENTS: dict[Op, dict[str, Any]] = {
    Op.DECODE: {"data": b"\x00\xff"},
    Op.ENCODE: {"value": {"big": 2**63, "bytes": b"a", "id": uuid.UUID(int=7), "_tags": [[5, b""]], "none": None}},
    Op.RECODE: {"data": b""},
    Op.LOOKUP: {"data": b"\x01", "key": "k"},
    Op.CONVERT: {"data": b"\x01", "to": "magic-1"},
    Op.CONSUME: {
        "data": b"\x01",
        "position": 2**53,
        "isolation": "read_committed",
        "aborted": [{"producer_id": 2**60, "first_offset": 0}],
    },
    Op.PRODUCE: {
        "records": [{"timestamp": 2**53, "key": None, "value": b"v", "headers": [["a", None]]}],
        "magic": 2,
        "codec": "lz4",
        "options": {"producer_id": 2**60, "producer_epoch": 0, "base_sequence": 0, "transactional": True},
    },
    Op.SERVE: {"chunks": [b"", b"\x01\x02"]},
    Op.INTERPRET: {"request": b"\x01", "response": None},
    Op.NEGOTIATE: {"api_key": 18, "client": (0, 3), "broker": None},
    Op.EVOLVE: {"old": [{"name": "A"}], "new": {"name": "A", "fields": []}},
}


def case_of(op: Op, **args: Any) -> Case:
    typed = op in (Op.DECODE, Op.ENCODE, Op.RECODE, Op.LOOKUP, Op.CONVERT)
    return Case("", op, "kafka", "T" if typed else None, 3 if typed else None, args or ARGUMENTS[op])


@pytest.mark.parametrize("op", list(Op))
def test_questions_go_and_come_back(op: Op) -> None:
    case = case_of(op)
    line = lines.question(9, case)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    read = lines.read_question(line)
    assert (read.seq, read.op, read.case) == (9, op, case)


def test_questions_as_the_contract_writes_them() -> None:
    case = Case("id", Op.DECODE, "kafka", "MetadataResponse", 12, {"data": b"\x00\x07"})
    assert json.loads(lines.question(7, case)) == {
        "seq": 7, "op": "decode", "dialect": "kafka", "type": "MetadataResponse", "version": 12, "data": "0007"
    }  # fmt: skip
    assert "version" not in json.loads(lines.question(7, Case("", Op.DECODE, "kafka", "INT32", args={"data": b""})))
    negotiate = Case("", Op.NEGOTIATE, "kafka", args={"api_key": 18, "client": (0, 3), "broker": (1, 2)})
    assert json.loads(lines.question(7, negotiate)) == {
        "seq": 7, "op": "negotiate", "dialect": "kafka", "api_key": 18, "client": [0, 3], "broker": [1, 2]
    }  # fmt: skip
    convert = Case("", Op.CONVERT, "kip-82-int-keys", "MESSAGE_SET", args={"data": b"\x01", "to": "magic-0"})
    assert json.loads(lines.question(7, convert)) == {
        "seq": 7, "op": "convert", "dialect": "kip-82-int-keys", "type": "MESSAGE_SET", "data": "01", "to": "magic-0"
    }  # fmt: skip
    args = {"bootstrap": "127.0.0.1:9092", "position": 3, "isolation": "read_committed"}
    assert json.loads(lines.question(7, Case("", Op.CONSUME, "kafka", args=args))) == {
        "seq": 7, "op": "consume", "dialect": "kafka", **args
    }  # fmt: skip
    assert json.loads(lines.question(8, case_of(Op.ENCODE, value=2**53)))["value"] == {"int": str(2**53)}


RECORD: dict[str, Any] = {
    "offset": 1, "timestamp": 2, "timestamp_type": "append", "key": None, "value": None, "headers": [["h", None]]
}  # fmt: skip
ANSWERS: list[tuple[Op, Any, dict[str, Any]]] = [
    (Op.DECODE, {"a": [1, None, True]}, {"value": {"a": [1, None, True]}}),
    (Op.DECODE, 2**60, {"value": {"int": str(2**60)}}),
    (Op.DECODE, None, {"value": None}),
    (Op.DECODE, "\udcff", {"value": "\udcff"}),
    (Op.LOOKUP, [b"a", None], {"value": [{"hex": "61"}, None]}),
    (Op.ENCODE, b"\x01", {"data": "01"}),
    (Op.RECODE, b"", {"data": ""}),
    (Op.CONVERT, b"\x01\x02", {"data": "0102"}),
    (
        Op.CONSUME,
        {"records": [{**RECORD, "key": b"a"}], "position": 2**60},
        {"delivered": {"records": [{**RECORD, "key": {"hex": "61"}}], "position": {"int": str(2**60)}}},
    ),
    (Op.PRODUCE, b"\x01\x02", {"data": "0102"}),
    (Op.SERVE, (b"\x01", True), {"sent": "01", "closed": True}),
    (Op.INTERPRET, {"outcome": "retry", "version": 3}, {"outcome": {"outcome": "retry", "version": 3}}),
    (Op.NEGOTIATE, None, {"version": None}),
    (Op.NEGOTIATE, 4, {"version": 4}),
    (Op.EVOLVE, ["tag-reused A.b"], {"breaks": ["tag-reused A.b"]}),
]


@pytest.mark.parametrize(("op", "answer", "members"), ANSWERS, ids=str)
def test_answers_go_and_come_back(op: Op, answer: Any, members: dict[str, Any]) -> None:
    case = case_of(op)
    line = lines.answer(5, Observation(case, Status.ANSWER, answer))
    assert json.loads(line) == {"seq": 5, **members}
    given_back = lines.read_answer(line)
    assert given_back.seq == 5
    assert lines.observation(case, given_back) == Observation(case, Status.ANSWER, answer)


@pytest.mark.parametrize(
    "observation",
    [
        Observation(case_of(Op.DECODE), Status.REJECT),
        Observation(case_of(Op.RECODE), Status.REJECT, None, "truncated", 4, "encode", detail="DecodeError: …"),
        Observation(case_of(Op.DECODE), Status.UNSUPPORTED, detail="no INT128"),
        Observation(case_of(Op.DECODE), Status.CRASH, error="KeyError", frame="codec:read", detail="Traceback \udc80"),
        Observation(case_of(Op.DECODE), Status.OOM, error="MemoryError", frame="codec:read", detail="Traceback"),
        Observation(case_of(Op.DECODE), Status.VIOLATION, error="wrong form", detail="3.5j is no protocol value"),
    ],
    ids=lambda observation: str(observation.status),
)
def test_other_observations_go_and_come_back(observation: Observation) -> None:
    line = lines.answer(5, observation)
    assert lines.observation(observation.case, lines.read_answer(line)) == observation


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text() | st.binary() | st.floats() | st.uuids(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
        max_leaves=12,
    )
)
def test_any_protocol_value_goes_and_comes_back(value: Any) -> None:
    case = case_of(Op.DECODE)
    observation = Observation(case, Status.ANSWER, shape(Op.DECODE, value))
    assert equal(value, lines.observation(case, lines.read_answer(lines.answer(1, observation))).answer)


def test_what_other_languages_may_write() -> None:
    def read(text: str, op: Op = Op.DECODE) -> Observation:
        return lines.observation(case_of(op), lines.read_answer(text.encode()))

    assert read('{"value":18446744073709551616,"seq":1}\r').answer == 2**64
    assert read('{"seq":1,"value":{"int":"-9223372036854775808"}}').answer == -(2**63)
    assert read(r'{"seq":1,"value":"\ud83d\ude00 \udc00"}').answer == "😀 \udc00"
    assert read('{"seq":1,"data":"0A0b"}', Op.ENCODE).answer == b"\x0a\x0b"
    assert read('{"seq":1,"outcome":"accepted"}', Op.INTERPRET).answer == {"outcome": "accepted"}
    assert read('{"seq":1,"breaks":[{"kind":"tag-reused","path":"A.b"}]}', Op.EVOLVE).answer == ["tag-reused A.b"]
    assert read('{"seq":1,"reject":{"reason":null,"offset":null}}').status is Status.REJECT
    named = {
        "java.lang.NullPointerException: x": (Status.CRASH, "java.lang.NullPointerException"),
        "java.lang.OutOfMemoryError: Java heap space": (Status.OOM, "java.lang.OutOfMemoryError"),
        "panic: index out of range": (Status.CRASH, "panic"),
        "it did not work": (Status.CRASH, "error"),
        "": (Status.CRASH, "error"),
    }
    for text, expected in named.items():
        observation = read(json.dumps({"seq": 1, "error": text}))
        assert (observation.status, observation.error) == expected


@pytest.mark.parametrize(
    ("line", "seq", "text"),
    [
        ("", None, "not JSON"),
        ("hello", None, "not JSON (invalid character (byte 0))"),
        (r'{"seq":1,"value":"\ud800', None, "not JSON"),
        (r'{"seq":1,"value":NaN, "a":"\ud800"}', None, "not JSON (NaN is no JSON)"),
        ("\ufeff" + r'{"seq":1,"value":"\ud800"}', None, "not JSON"),
        ("\ufeff" + '{"seq":1,"value":1}', None, "not JSON"),
        ("[" * 100_000, None, "nested too deeply"),
        ("7", None, "a JSON object was expected"),
        ("{}", None, "`seq` is None"),
        ('{"seq":"1","value":1}', None, "`seq` is '1'"),
        ('{"seq":true,"value":1}', None, "`seq` is True"),
        ('{"seq":1}', 1, "this one has none of them"),
        ('{"seq":1,"value":1,"reject":{}}', 1, "this one has `value` and `reject`"),
        ('{"seq":1,"valeu":1}', 1, "this one has none of them"),
        ('{"seq":1,"value":1,"offset":1}', 1, "an answer with `value` cannot have `offset`"),
    ],
)
def test_lines_that_are_no_answers(line: str, seq: int | None, text: str) -> None:
    with pytest.raises(lines.LineError) as caught:
        lines.read_answer(line.encode())
    assert text in str(caught.value)
    assert caught.value.seq == seq


@pytest.mark.parametrize(
    ("op", "members", "text"),
    [
        (Op.DECODE, {"data": "00"}, "`data` cannot answer decode: `value` was expected"),
        (Op.DECODE, {"ok": True}, "`ok` cannot answer decode"),
        (Op.DECODE, {"value": 1.5}, "is no value: a float is written"),
        (Op.DECODE, {"value": {"hex": "0"}}, "is not a row of hex digit pairs"),
        (Op.ENCODE, {"data": "0"}, "`data` is '0': hex digits, two for each byte"),
        (Op.ENCODE, {"data": "00 11"}, "hex digits, two for each byte"),
        (Op.ENCODE, {"data": None}, "`data` is None"),
        (Op.PRODUCE, {"data": "0"}, "`data` is '0': hex digits, two for each byte"),
        (Op.CONVERT, {"data": "0"}, "`data` is '0': hex digits, two for each byte"),
        (Op.CONVERT, {"value": {"hex": "00"}}, "`value` cannot answer convert: `data` was expected"),
        (Op.LOOKUP, {"value": {"hex": "00"}}, "a list of the key's values was expected"),
        (Op.CONSUME, {"delivered": [RECORD]}, '"position": an int} was expected'),
        (Op.CONSUME, {"delivered": {"records": [], "position": "3"}}, '"position": an int} was expected'),
        (Op.CONSUME, {"delivered": {"records": [], "position": 3, "error": 1}}, '"position": an int} was expected'),
        (Op.CONSUME, {"delivered": {"records": [{"offset": 1}], "position": 3}}, "timestamp_type may be left out"),
        (Op.SERVE, {"sent": "00"}, "`sent` comes with `closed`"),
        (Op.SERVE, {"sent": "00", "closed": 1}, "True if it then closed"),
        (Op.INTERPRET, {"outcome": "fine"}, "one of accepted, error, malformed, retry, unsupported was expected"),
        (Op.INTERPRET, {"outcome": {"outcome": "error", "code": 3}}, "the outcome has a key 'code'"),
        (Op.INTERPRET, {"outcome": {"outcome": "retry", "version": "3"}}, "the outcome's version is '3'"),
        (Op.NEGOTIATE, {"version": True}, "an int or None was expected"),
        (Op.EVOLVE, {"breaks": "tag-reused"}, "a list of what breaks compatibility was expected"),
        (Op.EVOLVE, {"breaks": [3]}, "the list has 3"),
        (Op.DECODE, {"reject": "truncated"}, "`reject` is 'truncated': an object such as"),
        (Op.DECODE, {"reject": {"ofset": 3}}, "`reject` has ['ofset']; it may have reason, offset, half, detail"),
        (Op.DECODE, {"reject": {"offset": -1}}, "`offset` is -1"),
        (Op.DECODE, {"reject": {"reason": 3}}, "`reason` is 3: a string was expected"),
        (Op.RECODE, {"reject": {"half": "write"}}, "`half` is 'write'"),
        (Op.DECODE, {"unsupported": None}, "`unsupported` is None: a string was expected"),
        (Op.DECODE, {"error": {"text": "x"}}, "`error` is {'text': 'x'}"),
    ],
)
def test_answers_in_a_wrong_form(op: Op, members: dict[str, Any], text: str) -> None:
    with pytest.raises(lines.LineError) as caught:
        lines.observation(case_of(op), lines.read_answer(json.dumps({"seq": 4, **members}).encode()))
    assert text in str(caught.value)
    assert caught.value.seq == 4


# A module's answers.


class Colour(IntEnum):
    RED = 3


class Name(StrEnum):
    A = "a"


@pytest.mark.parametrize(
    ("op", "answer", "expected"),
    [
        (Op.DECODE, ({"a": bytearray(b"x")}, [memoryview(b"y")]), [{"a": b"x"}, [b"y"]]),
        (Op.DECODE, {Name.A: Colour.RED}, {"a": 3}),
        (Op.DECODE, True, True),
        (Op.ENCODE, memoryview(b"xy"), b"xy"),
        (Op.RECODE, bytearray(), b""),
        (Op.CONVERT, memoryview(b"xy"), b"xy"),
        (Op.PRODUCE, bytearray(b"xy"), b"xy"),
        (Op.LOOKUP, (b"a",), [b"a"]),
        (Op.SERVE, [bytearray(b"a"), False], (b"a", False)),
        (Op.INTERPRET, "malformed", {"outcome": "malformed"}),
        (Op.NEGOTIATE, Colour.RED, 3),
        (Op.EVOLVE, (), []),
    ],
)
def test_shapes(op: Op, answer: Any, expected: Any) -> None:
    shaped = shape(op, answer)
    assert shaped == expected
    assert type(shaped) is type(expected)


def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


@pytest.mark.parametrize(
    ("op", "answer"),
    [
        (Op.DECODE, {1: 2}),
        (Op.DECODE, {"hex": 5}),
        (Op.DECODE, {1, 2}),
        (Op.DECODE, 1j),
        (Op.DECODE, 10**40),
        (Op.DECODE, _circle()),
        (Op.ENCODE, "text"),
        (Op.ENCODE, None),
        (Op.CONVERT, [b"xy"]),
        (Op.PRODUCE, {"data": b"xy"}),
        (Op.SERVE, b"only bytes"),
        (Op.SERVE, (b"", 0)),
        (Op.LOOKUP, b"ab"),
        (Op.NEGOTIATE, (0, 3)),
    ],
    ids=str,
)
def test_shapes_that_are_none(op: Op, answer: Any) -> None:
    def wrong(*_: Any, **__: Any) -> Any:
        return answer

    observation = Module(Description("x"), {op: wrong}, None).call(case_of(op))
    assert (observation.status, observation.error) == (Status.VIOLATION, "wrong form")
    assert observation.detail


def test_a_modules_refusals() -> None:
    class RefusalError(Exception):
        reason, offset = "truncated", 7

    def refuse(*_: Any, **__: Any) -> Any:
        raise RefusalError("more is needed")

    def invalid(type: str, data: bytes, *, dialect: str, version: int | None) -> Any:
        return data.decode()

    def call(op: Op, case: Case | None = None, **functions: Any) -> Observation:
        module = Module(
            Description("x"), {Op(name): item for name, item in functions.items()}, None, (RefusalError, ValueError)
        )
        return module.call(case or case_of(op))

    refused = call(Op.DECODE, decode=refuse)
    assert (refused.status, refused.reason, refused.offset, refused.half) == (Status.REJECT, "truncated", 7, None)
    assert refused.detail == "RefusalError: more is needed"
    utf8 = call(Op.DECODE, case_of(Op.DECODE, data=b"\xff"), decode=invalid)
    assert (utf8.status, utf8.reason) == (Status.REJECT, None), (
        "a text codec's own wording is no reason of the protocol"
    )

    assert call(Op.RECODE, decode=refuse, encode=lambda *_, **__: b"").half == "decode"
    assert call(Op.RECODE, decode=lambda *_, **__: 1, encode=refuse).half == "encode"
    assert call(Op.RECODE, recode=refuse).half is None
    assert call(Op.RECODE, decode=lambda *_, **__: 1, encode=lambda *_, **__: b"ab").answer == b"ab"
    assert call(Op.RECODE, decode=refuse).status is Status.UNSUPPORTED, "there is no encode"

    def lacking(*_: Any, **__: Any) -> Any:
        raise NotImplementedError

    assert call(Op.RECODE, decode=lambda *_, **__: 1, encode=lacking).status is Status.UNSUPPORTED
    assert call(Op.ENCODE, encode=lacking).detail == "encode raised NotImplementedError"
    assert call(Op.ENCODE).detail == "there is no function encode"

    def look_up(*_: Any, **__: Any) -> Any:
        raise KeyError("x")

    assert call(Op.ENCODE, encode=look_up).status is Status.REJECT, "on encode a KeyError refuses"
    assert call(Op.DECODE, decode=look_up).status is Status.CRASH

    RefusalError.half = "encode"  # type: ignore[attr-defined]
    assert call(Op.RECODE, decode=refuse, encode=refuse).half == "encode"
    RefusalError.offset = -1
    assert call(Op.DECODE, decode=refuse).offset is None


def test_an_exception_that_cannot_print_itself() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    def fail(*_: Any, **__: Any) -> Any:
        raise MuteError

    observation = Module(Description("x"), {Op.DECODE: fail}, None).call(case_of(Op.DECODE))
    assert (observation.status, observation.error) == (Status.CRASH, "MuteError")
    refused = Module(Description("x"), {Op.DECODE: fail}, None, (MuteError,)).call(case_of(Op.DECODE))
    assert refused.detail == "MuteError: (str() of it raised RuntimeError)"


def test_names_that_no_struct_has_alone_are_those_that_schemas_may_not_use() -> None:
    assert shapes.RESERVED == AMBIGUOUS_NAMES
