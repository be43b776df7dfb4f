"""The value encoding in one pass is that of the two passes, and leaves to them whatever is not simple."""

from __future__ import annotations

import enum
import math
import uuid
from collections import OrderedDict
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wireproof.conformance.connection.module import Module
from wireproof.conformance.connection.process.worker import Worker
from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.connection.protocol.shapes import ShapeError, plain
from wireproof.conformance.connection.protocol.simple_value import SimpleValue
from wireproof.conformance.model import Description, Op
from wireproof.conformance.values.compare import identical
from wireproof.conformance.values.encoding import SAFE_INTEGER, to_json

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.text(max_size=4), st.binary(max_size=4), st.uuids(),
    st.floats(), st.just(bytearray(b"ab")), st.just(memoryview(b"ab")),
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from(["a", "b", "hex", "int", "uuid", "float64", 7]), inner, max_size=3),
    ),
    max_leaves=12,
)


class Number(int):
    """An integer of a class of its own."""


class Text(str):
    """Text of a class of its own."""


class Colour(enum.IntEnum):
    """Integers with names."""

    RED = 1


@given(value=VALUES)
@example(value=[SAFE_INTEGER, -SAFE_INTEGER])
@example(value=[SAFE_INTEGER + 1])
@example(value={"a": SAFE_INTEGER, "b": -SAFE_INTEGER - 1})
@example(value=[])
@example(value={})
@example(value=math.nan)
def test_one_pass_is_two_passes(value: Any) -> None:
    simple = SimpleValue.of(value)
    if simple is None:
        return
    written = to_json(plain(value))
    assert identical(written, _lists(simple.json))
    assert msgspec.json.encode(simple.json) == msgspec.json.encode(written)


def _lists(value: Any) -> Any:
    """The same with lists for tuples: JSON has no others."""
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    return [_lists(item) for item in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize(
    "value",
    [
        [{"topic": "a", "partitions": [0, 1, 2], "tags": [(0, b"x")], "id": uuid.UUID(int=1), "share": 0.5}],
        {"first": None, "second": True, "third": SAFE_INTEGER, "fourth": ""},
        (),
    ],
    ids=repr,
)
def test_values_of_python_s_own_types_are_simple(value: Any) -> None:
    simple = SimpleValue.of(value)
    assert simple is not None
    assert identical(to_json(plain(value)), _lists(simple.json))


@pytest.mark.parametrize(
    "value",
    [
        *(
            Number(1),
            [Number(1)],
            {"a": Colour.RED},
            Text("a"),
            {Text("a"): 1},
            OrderedDict(a=1),
            {1: 2},
            {"hex": "00"},
        ),
        *([SAFE_INTEGER + 1], {"a": 10**50}, 1j, [1j]),
    ],
    ids=repr,
)
def test_others_are_not(value: Any) -> None:
    assert SimpleValue.of(value) is None


def test_a_list_that_contains_itself_is_not() -> None:
    value: list[Any] = [1, "a"]
    value.append(value)
    assert SimpleValue.of(value) is None
    with pytest.raises(ShapeError):
        plain(value)


@pytest.mark.parametrize("value", [{"a": [1, b"x"]}, {"a": Number(7)}, {"hex": "00"}], ids=repr)
def test_a_worker_answers_as_a_module_in_this_process_does(value: Any) -> None:
    module = Module(Description("any", "1", ops=frozenset({Op.DECODE})), {Op.DECODE: lambda *_, **__: value}, None)
    question = b'{"seq":1,"op":"decode","dialect":"kafka","type":"INT32","data":"00"}\n'
    case = lines.read_question(question).case
    assert case is not None
    answer = Worker(module, -1)._answer(lines.read_question(question))
    seen, here = lines.observation(case, lines.read_answer(answer)), module.call(case)
    assert (seen.status, seen.detail) == (here.status, here.detail)
    assert identical(here.answer, seen.answer)
