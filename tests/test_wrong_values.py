"""Values with one wrong part: which parts are changed into what, and that the reference refuses or writes each."""

from __future__ import annotations

from typing import Any

import pytest

import reference
from conformance.wrong_values import changes
from reference.errors import EncodeError


def changed(value: Any) -> list[Any]:
    return [change.made() for change in changes(value)]


def test_every_part_of_a_value_is_changed() -> None:
    value = {"number": 5, "list": [{"text": "a"}, {"text": "b"}], "bytes": b"x", "flag": True, "null": None}
    found = changed(value)
    assert None in found
    for name in ("number", "list", "bytes", "flag"):
        assert value | {name: None} in found
    assert value | {"number": 6} in found
    assert value | {"number": 2**63} in found
    assert value | {"list": [{"text": "b"}, {"text": "a"}]} in found
    assert value | {"list": [{"text": "a"}, {"text": "b"}, {"text": "a"}]} in found
    assert value | {"list": [{"text": "a"}, {"text": "x" * 32768}]} in found
    assert value["list"] == [{"text": "a"}, {"text": "b"}]
    assert [one for one in found if one is not None and one["null"] is not None] == []


def test_what_has_no_wrong_part() -> None:
    assert changes(None) == []
    assert changed(1.5) == [None]


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
