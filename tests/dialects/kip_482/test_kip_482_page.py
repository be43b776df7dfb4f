"""The bytes side by side in the page of kip-482-v1: read and written by the draft's codec, and by the shipped one."""

from __future__ import annotations

import re

import pytest
from support.paths import ROOT

from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference import Rules
from wireproof.reference.codec import NodeCodec, decode, encode
from wireproof.reference.schema import from_json
from wireproof.reference.schema.plan import plan

PAGE = (ROOT / "docs" / "explanation" / "kip-482-v1.md").read_text("utf-8")
VALUE = {"UserAgent": "ab", "Foos": [{"Bar": "hello world", "Baz": 7}]}
#: FooResponse as Kafka's schemas would have it now: tags count from 0 in each structure.
SHIPPED = from_json(
    {
        "type": "response",
        "name": "FooResponse",
        "apiKey": 9000,
        "validVersions": "9",
        "flexibleVersions": "9+",
        "fields": [
            {"name": "UserAgent", "type": "string", "versions": "9+", "taggedVersions": "9+", "tag": 0},
            {
                "name": "Foos",
                "type": "[]Foo",
                "versions": "0+",
                "fields": [
                    {"name": "Baz", "type": "int16", "versions": "0+"},
                    {
                        "name": "Bar",
                        "type": "string",
                        "versions": "9+",
                        "taggedVersions": "9+",
                        "tag": 0,
                        "default": "hello world",
                    },
                ],
            },
        ],
    }
)


def columns() -> tuple[bytes, bytes]:
    """The bytes of the draft's column, and those of the other, each with the number below it checked."""
    block = re.search(r"^first proposal +as shipped\n\n(.*?)\n\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
    assert block is not None
    where = PAGE[block.start() :].index("as shipped")
    halves = [(line[:where], line[where:]) for line in block[1].splitlines()]
    ours, theirs = (
        b"".join(bytes.fromhex(digits[0]) for half in side if (digits := re.match(r"[0-9a-f]+(?: [0-9a-f]+)*", half)))
        for side in zip(*halves, strict=True)
    )
    assert block[2].split() == f"{len(ours)} bytes {len(theirs)} bytes".split()
    return ours, theirs


@pytest.mark.parametrize(
    ("column", "codec"),
    [
        (0, reference_codec().dialect("kip-482-v1").codec("FooResponse", 9)),
        (1, NodeCodec(plan(SHIPPED, 9))),
    ],
    ids=["first proposal", "as shipped"],
)
def test_side_by_side(column: int, codec: NodeCodec) -> None:
    data = columns()[column]
    assert decode(codec, data, Rules()) == VALUE
    assert encode(codec, VALUE, Rules()) == data
