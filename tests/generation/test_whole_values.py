"""Which values `encode` may be asked with, and that generated questions keep to it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance.generation import random_values
from wireproof.conformance.generation.arguments import seed_of
from wireproof.conformance.generation.whole_values import is_whole
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.properties.invalid_values import changes
from wireproof.conformance.questions.lookup import UnknownId, find

TAGGED = {"ClientSoftwareName": "a", "ClientSoftwareVersion": "b", "_tags": [[9, b"x"]]}
RECORD = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": None, "value": b"x", "headers": [["a", None]]}
MESSAGE = {"offset": 0, "attributes": 0, "key": None, "value": b"x"}
WRAPPER = {"offset": 0, "attributes": 1, "key": None, "messages": [MESSAGE]}
FRAME = {
    "header": {"RequestApiKey": 12, "RequestApiVersion": 0, "CorrelationId": 1, "ClientId": None},
    "body": {"GroupId": "g", "GenerationId": 0, "MemberId": "m"},
}
HEADER_1 = {"CorrelationId": 1}


def whole(value: Any, type_name: str, version: int | None = None, dialect: str = "kafka") -> bool:
    return is_whole(value, type_name, dialect=dialect, version=version)


#: Types whose values say by which version they are written: another version has other fields.
WITH_THEIR_VERSION = ("RequestFrame", "VersionPrefixed")


def test_every_valid_value_is_whole_and_so_is_each_with_one_wrong_part() -> None:
    for dialect in reference.dialects:
        names = dict.fromkeys(name for name, _ in types_of(dialect))
        for name, version in types_of(dialect):
            if names.pop(name, True) is not None and name != "RequestFrame":
                continue  # one version of each type
            value = random_values.value(name, Random(1), dialect=dialect, version=version)
            assert whole(value, name, version, dialect), (name, version, value)
            for change in changes(value) if name.partition(":")[0] not in WITH_THEIR_VERSION else ():
                assert whole(change.value(), name, version, dialect), (name, version, change.value())


def asked(type_name: str, version: int | None, value: Any, *parts: Any) -> Iterator[Any]:
    for part in parts:
        yield pytest.param(type_name, version, part(value) if callable(part) else part, id=f"{type_name} {part!r}"[:60])


@pytest.mark.parametrize(
    ("type_name", "version", "value"),
    [
        *asked("ApiVersionsRequest", 3, None, TAGGED, TAGGED | {"_tags": [[2**40, b""], [1, b""]]}),
        *asked("ApiVersionsRequest", 3, None, TAGGED | {"ClientSoftwareName": None}),
        *asked("HeartbeatRequest", 0, None, {"GroupId": "x" * 40000, "GenerationId": 2**70, "MemberId": "m"}),
        *asked("Record", None, None, RECORD, RECORD | {"headers": None}, RECORD | {"offsetDelta": 2**80}),
        *asked("MessageSet", 0, None, [MESSAGE, WRAPPER], []),
        *asked("RequestFrame", None, None, FRAME),
        *asked("ARRAY<INT32>", None, None, [1, 2**40], None),
        *asked("STRING", None, None, "a", None),
        *asked("UUID", None, None, uuid.UUID(int=1)),
    ],
)
def test_a_value_may_be_wrong_and_whole(type_name: str, version: int | None, value: Any) -> None:
    assert whole(value, type_name, version)


@pytest.mark.parametrize(
    ("type_name", "version", "value"),
    [
        *asked("ApiVersionsRequest", 3, None, TAGGED | {"": 1}, TAGGED | {"NoSuch": 1}, {"ClientSoftwareName": "a"}),
        *asked("ApiVersionsRequest", 3, None, TAGGED | {"_tags": [[9, b"x", 1]]}, TAGGED | {"_tags": [["9", b"x"]]}),
        *asked("ApiVersionsRequest", 3, None, TAGGED | {"_tags": [[True, b"x"]]}, TAGGED | {"_tags": None}),
        *asked("ApiVersionsRequest", 3, None, TAGGED | {"ClientSoftwareName": 1}, None, [], "a"),
        *asked("HeartbeatRequest", 0, None, {"GroupId": "g", "GenerationId": None, "MemberId": "m"}),
        *asked("HeartbeatRequest", 0, None, {"GroupId": "g", "GenerationId": True, "MemberId": "m"}),
        *asked("Record", None, None, RECORD | {"headers": [["a", None, 1]]}, RECORD | {"key": "a"}, None),
        *asked("Record", None, None, RECORD | {"crc": 1}, {"attributes": 0}, RECORD | {"offsetDelta": None}),
        *asked("MessageSet", 0, None, [MESSAGE | WRAPPER], [WRAPPER | {"messages": None}], [None]),
        *asked("RequestFrame", None, None, FRAME | {"more": 1}, FRAME | {"body": {}}, {"header": {}}, None),
        *asked("ResponseFrame:Heartbeat", 0, None, {"header": HEADER_1, "body": {}}, {"header": HEADER_1}),
        *asked("ARRAY<INT32>", None, None, [None], ["1"], {}, "12"),
        *asked("INT32", None, None, "1", None, 1.0, True),
        *asked("BOOLEAN", None, None, 1),
        *asked("UUID", None, None, "00000000-0000-0000-0000-000000000001"),
        *asked("TAG_BUFFER", None, None, None, [[1]], [[1, "x"]]),
    ],
)
def test_a_value_that_is_not_whole_is_no_question(type_name: str, version: int | None, value: Any) -> None:
    assert not whole(value, type_name, version)
    shown = "-" if version is None else version
    seed = seed_of(Op.ENCODE, {"value": value})
    with pytest.raises(UnknownId, match=f"no whole value of {type_name}"):
        find(f"gen/kafka/{type_name}/{shown}/v{seed.hex()}#encode")
