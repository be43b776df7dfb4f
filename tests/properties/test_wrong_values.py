"""Values with one wrong part: which parts are changed into what, and that the reference refuses or writes each."""

from __future__ import annotations

from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance.properties.invalid_values import changes
from wireproof.reference.errors import EncodeError


def changed(value: Any) -> list[Any]:
    return [change.value() for change in changes(value)]


def test_every_part_of_a_value_is_changed() -> None:
    value = {"number": 5, "list": [{"text": "a"}, {"text": "b"}], "bytes": b"x", "part": {}, "null": None}
    found = changed(value)
    for name in ("list", "bytes", "part"):
        assert value | {name: None} in found
    assert value | {"list": [{"text": None}, {"text": "b"}]} in found
    assert value | {"number": 6} in found
    assert value | {"number": 2**63} in found
    assert value | {"list": [{"text": "b"}, {"text": "a"}]} in found
    assert value | {"list": [{"text": "a"}, {"text": "b"}, {"text": "a"}]} in found
    assert value | {"list": [{"text": "a"}, {"text": "x" * 32768}]} in found
    assert value["list"] == [{"text": "a"}, {"text": "b"}]
    assert [one for one in found if one["null"] is not None] == []


def test_null_is_not_put_where_the_types_of_a_library_have_none() -> None:
    value = {"number": 5, "flag": True, "list": [{"a": 1}, "b"], "_tags": [[1, b"x"]]}
    found = changed(value)
    assert {one["number"] for one in found} >= {4, 6, 2**64}
    assert [one for one in found if None in (one["number"], one["flag"], one["_tags"], *(one["list"] or ()))] == []
    assert all(None not in tag for one in found for tag in one["_tags"])
    assert changed("a") == [None, "x" * 32768]
    frame = {"header": {"a": "b"}, "body": {"a": "b"}}
    assert [one for one in changed(frame) if None in (one["header"], one["body"])] == []
    for name in ("records", "messages"):
        assert [one for one in changed({name: [{"key": b""}]}) if one[name] is None] == []


def test_another_magic_is_none_that_there_is() -> None:
    assert {one["magic"] for one in changed({"magic": 1, "offset": 0}) if one["offset"] == 0} >= {-1, 128}
    assert {0, 2}.isdisjoint(one["magic"] for one in changed({"magic": 1, "offset": 0}))


def test_a_tag_is_put_into_messages_alone() -> None:
    tag = {"_tags": [[9999, b""]]}
    assert {"A": {"B": 1} | tag} in changed({"A": {"B": 1}})
    assert {"A": {"B": 1}} | tag in changed({"A": {"B": 1}})
    assert not any("_tags" in one for one in changed({"offset": 1, "headers": []}))
    with pytest.raises(EncodeError, match="no tags in this version"):
        reference.encode("HeartbeatRequest", tag, dialect="kafka", version=0)


def test_a_pair_stays_one() -> None:
    pair = [1, b"x"]
    for one in (*changed([pair, [2, b"y"]]), *(one["headers"] for one in changed({"headers": [pair]}))):
        assert one is None or all(len(found) == 2 and isinstance(found[1], bytes | None) for found in one)


def test_what_has_no_wrong_part() -> None:
    without: tuple[Any, ...] = (None, 1.5, True, {})
    assert [changes(value) for value in without] == [[], [], [], []]


@pytest.mark.parametrize(("dialect", "type_name"), [("kafka", "MessageSet"), ("kip-82-int-keys", "MESSAGE_SET")])
@pytest.mark.parametrize("offset", [None, "1", True, 2**63])
@pytest.mark.parametrize("outer", [0, 5])
def test_an_inner_offset_is_a_number(dialect: str, type_name: str, offset: Any, outer: int) -> None:
    inner = {"offset": offset, "magic": 1, "attributes": 0, "timestamp": 0, "key": None, "value": b"x"}
    wrapper = {"offset": outer, "magic": 1, "attributes": 1, "timestamp": 0, "key": None, "messages": [inner]}
    version = None
    if dialect == "kafka":  # there the version is the magic
        version = inner.pop("magic")
        del wrapper["magic"]
    with pytest.raises(EncodeError, match="offset"):
        reference.encode(type_name, [wrapper], dialect=dialect, version=version)
    written = reference.encode(
        type_name, [wrapper | {"offset": 5, "messages": [inner | {"offset": 5}]}], dialect=dialect, version=version
    )
    assert reference.decode(type_name, written, dialect=dialect, version=version)
