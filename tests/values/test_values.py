"""The one value encoding: round trips, hostile forms, and when two values are the same."""

from __future__ import annotations

import collections
import enum
import itertools
import json
import struct
import types
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wireproof.conformance.values.compare import difference, equal, identical, surplus
from wireproof.conformance.values.encoding import SAFE_INTEGER, ValueFormatError, from_json, to_json
from wireproof.conformance.values.show import show, show_short

RESERVED = ("hex", "int", "uuid", "float64")


def bits(digits: str) -> float:
    number: float = struct.unpack(">d", bytes.fromhex(digits))[0]
    return number


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.sampled_from([SAFE_INTEGER + step for step in (-1, 0, 1)] + [-SAFE_INTEGER + step for step in (-1, 0, 1)])
    | st.floats()
    | st.integers(0, 2**64 - 1).map(lambda number: bits(f"{number:016x}"))
    | st.text()
    | st.binary()
    | st.uuids()
)


def unambiguous(value: dict[str, Any]) -> bool:
    return len(value) != 1 or next(iter(value)) not in RESERVED


def values(names: list[str]) -> st.SearchStrategy[Any]:
    """Values whose structures have these names, beside any of one letter."""
    name = st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=1) | st.sampled_from(names)
    return st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(name, inner, max_size=4).filter(unambiguous),
        max_leaves=12,
    )


def written(value: Any) -> str:
    """As JSON, in which True is not 1."""
    return json.dumps(to_json(value), sort_keys=True, allow_nan=False)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(values([*RESERVED, "_tags", "magic"]))
@example({"hex": 1, "int": 2})
def test_what_is_written_is_read_back(value: Any) -> None:
    found = from_json(json.loads(written(value)))
    assert equal(value, found)
    assert equal(found, value)
    assert written(found) == written(value)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(values(["A"]), values(["A"]))
def test_sameness_is_that_of_the_written_form(left: Any, right: Any) -> None:
    """Where nothing is passed over: surplus derived fields and empty `_tags` are no matter of these values."""
    assert equal(left, right) == (written(left) == written(right))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        (True, True),
        (5, 5),
        (9007199254740991, 9007199254740991),
        (-9007199254740991, -9007199254740991),
        (9007199254740992, {"int": "9007199254740992"}),
        (-9007199254740992, {"int": "-9007199254740992"}),
        (9223372036854775807, {"int": "9223372036854775807"}),
        ("hi", "hi"),
        (b"", {"hex": ""}),
        (b"ab", {"hex": "6162"}),
        (bytearray(b"ab"), {"hex": "6162"}),
        (memoryview(b"ab"), {"hex": "6162"}),
        (1.0, {"float64": "3ff0000000000000"}),
        (-0.0, {"float64": "8000000000000000"}),
        (
            uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"),
            {"uuid": "00112233-4455-6677-8899-aabbccddeeff"},
        ),
        ([1, b"a"], [1, {"hex": "61"}]),
        ((1, (b"a",)), [1, [{"hex": "61"}]]),
        ({"A": b"a", "_tags": [(1, b"")]}, {"A": {"hex": "61"}, "_tags": [[1, {"hex": ""}]]}),
        ({"hex": b"a", "int": 1}, {"hex": {"hex": "61"}, "int": 1}),
        ({}, {}),
    ],
)
def test_forms(value: Any, written: Any) -> None:
    assert to_json(value) == written
    assert json.dumps(to_json(value)) == json.dumps(written)
    assert equal(value, from_json(written))


class Name(enum.StrEnum):
    A = "a"


def test_what_only_behaves_like_text_or_a_dictionary_is_written_too() -> None:
    assert to_json(Name.A) == to_json([Name.A])[0] == "a"
    assert to_json(types.MappingProxyType({"A": b"a"})) == {"A": {"hex": "61"}}
    with pytest.raises(ValueFormatError, match="as its only field"):
        to_json(types.MappingProxyType({"hex": "61"}))


def test_what_a_json_reader_of_ones_own_gives_is_read_too() -> None:
    """`json.loads` may be told to make others than plain dictionaries."""
    assert from_json(Name.A) == from_json([Name.A, "b"])[0] == "a"
    assert from_json(collections.OrderedDict(A={"hex": "61"}, B=1)) == {"A": b"a", "B": 1}


def test_classes_of_integers_and_arrays_are_written_and_read_as_plain_ones() -> None:
    class Number(int): ...

    class Row(list[Any]): ...

    assert [*map(to_json, (Number(2**53 - 1), Number(-(2**53))))] == [2**53 - 1, {"int": "-9007199254740992"}]
    assert type(to_json(Number(5))) is int
    read = from_json(Row([1, {"hex": "ff"}, Row([None])]))
    assert (type(read), type(read[2]), read) == (list, list, [1, b"\xff", [None]])


def test_both_forms_of_an_integer_are_read() -> None:
    assert from_json({"int": "5"}) == from_json(5) == 5
    assert from_json({"int": "-0"}) == 0
    assert from_json({"int": "9" * 40}) == 10**40 - 1


def test_hex_and_uuids_may_have_capitals() -> None:
    assert from_json({"hex": "aBcD"}) == b"\xab\xcd"
    assert from_json({"uuid": "00112233-4455-6677-8899-AABBCCDDEEFF"}) == uuid.UUID(
        "00112233-4455-6677-8899-aabbccddeeff"
    )


HOSTILE: list[tuple[Any, str]] = [
    (1.5, "is no value: a float is written"),
    (float("nan"), "is no value"),
    ({"A": 0.5}, "0.5 is no value"),
    ([[[0.5]]], "0.5 is no value"),
    (b"raw", "is no value"),
    ((1, 2), "is no value"),
    ({"hex": None}, 'None found where {"hex": "<hex digits>"} was expected'),
    ({"hex": 61}, "61 found where"),
    *(({"hex": "z" * length}, f"{'z' * length!r} is not a row") for length in range(1, 20)),
    ({"hex": "6"}, "'6' is not a row of hex digit pairs"),
    ({"hex": "6g"}, "'6g' is not a row"),
    ({"hex": "61 62"}, "is not a row"),
    ({"hex": "61\n"}, "is not a row"),
    ({"hex": "٦١"}, "is not a row"),
    ({"hex": "0x61"}, "is not a row"),
    ({"hex": ["61"]}, "found where"),
    ({"hex": "x" * 10_000}, "is not a row"),
    ({"int": 5}, '5 found where {"int": "<decimal digits>"} was expected'),
    ({"int": ""}, "'' is not a decimal integer"),
    ({"int": "-"}, "'-' is not a decimal integer"),
    ({"int": "--5"}, "is not a decimal integer"),
    ({"int": "+5"}, "is not a decimal integer"),
    ({"int": "0x5"}, "is not a decimal integer"),
    ({"int": "5.0"}, "is not a decimal integer"),
    ({"int": " 5"}, "is not a decimal integer"),
    ({"int": "1_0"}, "is not a decimal integer"),
    ({"int": "٣"}, "is not a decimal integer"),
    ({"int": "²"}, "is not a decimal integer"),
    ({"int": "9" * 41}, "with 41 digits: no wire integer is so long"),
    ({"int": "9" * 100_000}, "with 100000 digits"),
    ({"uuid": None}, 'None found where {"uuid": "<8-4-4-4-12 hex digits>"} was expected'),
    ({"uuid": ""}, "'' is not a UUID"),
    ({"uuid": "00112233445566778899aabbccddeeff"}, "is not a UUID"),
    ({"uuid": "{00112233-4455-6677-8899-aabbccddeeff}"}, "is not a UUID"),
    ({"uuid": "urn:uuid:00112233-4455-6677-8899-aabbccddeeff"}, "is not a UUID"),
    ({"uuid": "0011223-34455-6677-8899-aabbccddeeff"}, "is not a UUID"),
    ({"float64": 1.0}, "found where"),
    ({"float64": "00"}, "takes 16 hex digits, not '00'"),
    ({"float64": "3ff000000000000"}, "is not a row"),
    ({"float64": "3ff000000000000000"}, "takes 16 hex digits"),
    ({"float64": "nan"}, "is not a row"),
    ({"A": [{"hex": "6"}]}, "'6' is not a row"),
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_forms_are_refused_with_what_was_expected(number: int) -> None:
    value, text = HOSTILE[number]
    with pytest.raises(ValueFormatError) as caught:
        from_json(value)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (object(), "a object is no protocol value"),
        ({1, 2}, "a set is no protocol value"),
        (1j, "a complex is no protocol value"),
        ([{"A": object()}], "a object is no protocol value"),
        ({5: 1}, "field names are strings, not a int"),
        ({"A": {None: 1}}, "field names are strings, not a NoneType"),
        ({b"a": 1, "b": 2}, "field names are strings, not a bytes"),
        *(({name: "61"}, f"a struct with {name!r} as its only field") for name in RESERVED),
    ],
)
def test_what_is_no_value_is_not_written(value: Any, text: str) -> None:
    with pytest.raises(ValueFormatError, match=text):
        to_json(value)


@pytest.mark.parametrize("power", [40, 5000])
def test_integers_of_no_wire_are_not_written(power: int) -> None:
    assert to_json(10**40 - 1) == {"int": "9" * 40}
    for number in (10**power, -(10**power)):
        with pytest.raises(ValueFormatError, match="bits: no wire integer is so long"):
            to_json(number)


# --- Sameness ---

NAN = bits("7ff8000000000000")
OTHER_NAN = bits("7ff8000000000001")

SAME: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (5, 5),
    ("a", "a"),
    (1.5, 1.5),
    (NAN, NAN),
    (NAN, bits("7ff8000000000000")),
    (b"ab", bytearray(b"ab")),
    (bytearray(b"ab"), memoryview(b"ab")),
    (uuid.UUID(int=1), uuid.UUID(int=1)),
    ([1, 2], (1, 2)),
    ((1, 2), [1, 2]),
    ([(1, b"")], [[1, b""]]),
    ({"A": 1, "B": 2}, {"B": 2, "A": 1}),
    ({"A": 1}, {"A": 1, "size": 9, "length": 9, "batchLength": 9, "crc": 9, "recordsCount": 9, "headersCount": 9}),
    ({"A": 1}, {"A": 1, "magic": 2}),
    ({"A": 1, "_tags": []}, {"A": 1}),
    ({"A": 1, "_tags": []}, {"A": 1, "_tags": ()}),
    ({"A": 1, "_tags": []}, {"A": 1, "_tags": None}),
    ({"A": 1}, {"A": 1, "_tags": []}),
    ({"A": {"B": 1}}, {"A": {"B": 1, "_tags": [], "crc": 0}}),
    ({"_tags": [(1, b"a")]}, {"_tags": [[1, b"a"]]}),
    ({"headers": [("a", b"")]}, {"headers": [(b"a", b"")]}),
]

#: expected, actual, where they differ first
DIFFERENT: list[tuple[Any, Any, str]] = [
    (None, False, ""),
    (None, 0, ""),
    (None, "", ""),
    (None, [], ""),
    (True, 1, ""),
    (1, True, ""),
    (False, 0, ""),
    (0, False, ""),
    (0, None, ""),
    (1, 1.0, ""),
    (1.0, 1, ""),
    (0.0, -0.0, ""),
    (NAN, OTHER_NAN, ""),
    (1, "1", ""),
    (1, 2, ""),
    ("a", b"a", ""),
    (b"a", "a", ""),
    ("a", "A", ""),
    (b"a", b"b", ""),
    (b"", None, ""),
    ("", None, ""),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001", ""),
    (uuid.UUID(int=1), uuid.UUID(int=2), ""),
    ([], None, ""),
    ([], {}, ""),
    ([], "", ""),
    ([1, 2], [1], "[1]"),
    ([1], [1, 2], "[1]"),
    ([1, 2], [2, 1], "[0]"),
    ([[1], [2, 3]], [[1], [2, 4]], "[1][1]"),
    ({}, [], ""),
    ({}, None, ""),
    ({"A": 1}, {}, "A"),
    ({}, {"A": 1}, "A"),
    ({"A": None}, {}, "A"),
    ({"A": 1}, {"A": 2}, "A"),
    ({"A": 1}, {"a": 1}, "A"),
    ({"A": {"B": [1]}}, {"A": {"B": [2]}}, "A.B[0]"),
    ({"A": {"B": 1}}, {"A": {"B": 1, "C": 2}}, "A.C"),
    ({"crc": 1}, {}, "crc"),
    ({"magic": 1}, {"magic": 2}, "magic"),
    ({"_tags": []}, {"_tags": [(1, b"")]}, "_tags[0]"),
    ({}, {"_tags": [(1, b"")]}, "_tags"),
    ({"_tags": [(1, b"")]}, {}, "_tags"),
    ({"_tags": [(1, b"")]}, {"_tags": []}, "_tags[0]"),
    ({"_tags": [(1, b""), (2, b"")]}, {"_tags": [(2, b""), (1, b"")]}, "_tags[0][0]"),
    ([{"A": 1}, {"A": 2}], [{"A": 1}, {"A": 3}], "[1].A"),
    ({"_tags": [], "A": 1}, {"_tags": [], "A": 2}, "A"),
    ({"headers": [("a", b"")]}, {"headers": [(b"b", b"")]}, "headers[0][0]"),
    ({"headers": [("\ufffd", b"")]}, {"headers": [(b"\xff", b"")]}, "headers[0][0]"),
    ({"Headers": [("a", b"")]}, {"Headers": [(b"a", b"")]}, "Headers[0][0]"),
]


@pytest.mark.parametrize("number", range(len(SAME)))
def test_same(number: int) -> None:
    expected, actual = SAME[number]
    assert equal(expected, actual)
    assert difference(expected, actual) is None


@pytest.mark.parametrize("number", range(len(DIFFERENT)))
def test_different(number: int) -> None:
    expected, actual, place = DIFFERENT[number]
    assert not equal(expected, actual)
    assert difference(expected, actual) == place


def test_an_expectation_that_is_no_value_is_refused() -> None:
    with pytest.raises(ValueFormatError, match="a set is no protocol value"):
        difference({1}, {1})


def test_an_answer_that_is_no_value_only_differs() -> None:
    for expected in (None, 1, 1.0, "a", b"a", [1], {"A": 1}, uuid.UUID(int=0)):
        assert difference(expected, object()) == ""


def test_what_is_identical_is_so_in_types_and_order_too() -> None:
    one: list[Any] = [None, True, 5, "a", b"a", 1.5, [1, 2], {"A": 1, "B": []}, uuid.UUID(int=1)]
    for value in (*one, one, {"A": one}):
        assert identical(value, from_json(to_json(value)))
    for other in ([True], [1.0], (1,), [1, 1]):
        assert not identical([1], other)
    assert not identical({"A": 1, "B": 2}, {"B": 2, "A": 1})
    assert not identical([uuid.UUID(int=1), 1], [uuid.UUID(int=1), True])


def test_what_occurs_twice_is_identical_to_two_of_the_same() -> None:
    twice = [b"one"]
    assert identical([twice, twice], [[b"one"], [b"one"]])


def test_surplus() -> None:
    assert list(surplus({"A": 1}, {"A": 2, "B": 1, "crc": 1, "_tags": [], "C": 1})) == ["B", "C"]
    assert list(surplus({"crc": 1}, {"crc": 2})) == []
    assert list(surplus({}, {"_tags": [(1, b"")]})) == ["_tags"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-5, "-5"),
        ("hi", "'hi'"),
        ("it's", '"it\'s"'),
        ("it's\n", '"it\'s\\n"'),
        (b"", 'b""'),
        (b"\x01\xff", "0x01ff"),
        (memoryview(b"a"), "0x61"),
        (1.5, "1.5 (bits 3ff8000000000000)"),
        (-0.0, "-0.0 (bits 8000000000000000)"),
        (NAN, "nan (bits 7ff8000000000000)"),
        (uuid.UUID(int=1), "uuid 00000000-0000-0000-0000-000000000001"),
        ([1, (b"a", None)], "[1, [0x61, null]]"),
        ({"A": 1, "B": {"C": []}}, "{A: 1, B: {C: []}}"),
    ],
)
def test_show(value: Any, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize("most", [1, 2, 5, 20, 60, 1000])
def test_show_short(most: int) -> None:
    value = {"A": [1, b"abc", None, True], "B": {}, "C": "text", "D": [1.5, uuid.UUID(int=1)]}
    text = show(value)
    short = show_short(value, most)
    assert short == (text if len(text) <= most else text[: most - 1] + "…")


def test_what_is_not_shown_is_not_looked_at() -> None:
    class Endless(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            return itertools.repeat(7)

    assert show_short(Endless(), 9) == "[7, 7, 7…"
