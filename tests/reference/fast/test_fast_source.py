"""Numbers that the fast codec writes together, and the source that it generates. test_fast_parts.py says how they are
tested."""

from __future__ import annotations

import itertools
from typing import Any
from uuid import UUID

import pytest
from support.fast_checks import FORMS, NULL_IN_ALL, is_plain, message
from support.wire import field, tagged

from wireproof.reference import fast
from wireproof.reference.fast import encoding
from wireproof.reference.fast.source import make_uuid
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.schema.plan import PlannedField, Struct, TagBuffer

pytestmark = pytest.mark.usefixtures("generated_anew")


# --- Numbers that are written together --------------------------------------------------------------------------------


def test_numbers_side_by_side_are_written_together() -> None:
    fields = [
        field("A", "int8"),
        field("B", "[]int16"),
        field("C", "uuid"),
        field("D", "string"),
        field("E", "int32"),
        field("F", "[]int8", **NULL_IN_ALL),
        field("G", "bool"),
        field("H", "float64"),
    ]
    segments = encoding._segments(message(*fields).node.plain)
    assert ["".join(part.name for part in segment) for segment in segments] == ["AB", "C", "D", "E", "F", "GH"]


@FORMS
@pytest.mark.parametrize("sizes", [*itertools.product((0, 1, 15, 16, 17), repeat=2), (130, 2), (2, 130)])
def test_arrays_of_numbers_side_by_side(flexible: str, sizes: tuple[int, int]) -> None:
    first, second = sizes
    counts = [f"{size:08x}" if flexible == "none" else {130: "8301"}.get(size, f"{size + 1:02x}") for size in sizes]
    end = "00" if flexible == "0+" else ""
    numbers = [field("A", "int8"), field("B", "[]int16"), field("C", "[]int8"), field("D", "bool")]
    digits = "05" + counts[0] + "fffe" * first + counts[1] + "07" * second + "01"
    value = {"A": 5, "B": [-2] * first, "C": [7] * second, "D": True}
    is_plain(message(*numbers, flexible=flexible), digits + end, value)
    text = "0261" if flexible == "0+" else "000161"
    is_plain(message(*numbers, field("S", "string"), flexible=flexible), digits + text + end, value | {"S": "a"})
    if flexible == "0+":
        is_plain(message(*numbers, flexible=flexible), digits + "01" + "050161", value | {"_tags": [(5, b"a")]})


def test_what_is_kept_for_sizes_is_bounded() -> None:
    node = message(*(field(name, "[]int8") for name in "ABC")).node
    packers = encoding._Packers(node.plain, closing=False)
    for sizes in itertools.product(range(1, 13), repeat=3):
        assert packers[sizes] is not None
    assert len(packers) == 1024
    kept = packers[1, 1, 1]
    assert packers[1, 1, 1] is kept
    assert kept(1, 5, 1, 6, 1, 7) == bytes.fromhex("00000001" + "05" + "00000001" + "06" + "00000001" + "07")
    assert packers[12, 12, 12] is not packers[12, 12, 12]
    assert encoding._Packers(node.plain[:1], closing=True)[2,](2, 5, 6) == bytes.fromhex("00000002050600")


# --- Generated source -------------------------------------------------------------------------------------------------


def test_other_nodes_have_no_generated_functions() -> None:
    for make in (fast.decoder, fast.encoder):
        with pytest.raises(TypeError, match="no message has a TagBuffer"):
            make(TagBuffer())


def test_a_traceback_says_that_source_was_generated() -> None:
    with pytest.raises(IndexError) as caught:
        fast.decoder(message(field("F", "string"), flexible="0+").node)(b"", 0)
    assert [str(entry.path) for entry in caught.traceback][-1] == "<generated from a plan>"


def test_defaults_are_not_shared() -> None:
    shared = message(
        tagged("L", "[]int8", 0),
        tagged("S", "In", 1, fields=[field("M", "[]int8"), field("U", "uuid"), field("F", "float64")]),
        tagged("N", "string", 2, default="null", **NULL_IN_ALL),
        tagged("B", "bytes", 3),
        flexible="0+",
    )
    default: dict[str, Any] = {"L": [], "S": {"M": [], "U": UUID(int=0), "F": 0.0}, "N": None, "B": b""}
    decode = fast.decoder(shared.node)
    first, second = decode(b"\0", 0)[0], decode(b"\0", 0)[0]
    assert repr(first) == repr(second) == repr(default) == repr(shared.decode("00"))
    first["L"].append(1)
    first["S"]["M"].append(1)
    first["S"]["more"] = 1
    assert second == decode(b"\0", 0)[0] == default


def test_primitives_and_arrays_alone() -> None:
    """Nodes that are no messages: what stands behind a tag."""
    for name, value, digits in (
        ("INT8", -1, "ff"),
        ("COMPACT_STRING", "a", "0261"),
        ("UUID", UUID(int=1), f"{1:032x}"),
    ):
        data = bytes.fromhex(digits)
        assert fast.decoder(PRIMITIVES[name])(data, 0) == (value, len(data))
        assert fast.encoder(PRIMITIVES[name])(value) == data


def test_a_name_is_only_a_literal() -> None:
    """Fields' names are put into source as text, whatever they are."""
    odd = "it's \"\\\n"
    node = message(field("A", "int8")).node
    renamed = PlannedField(odd, node.fields[0].node, 0)
    struct = Struct("S", (renamed,), (renamed,), {}, {}, frozenset(), flexible=False)
    assert fast.decoder(struct)(b"\5", 0) == ({odd: 5}, 1)
    assert fast.encoder(struct)({odd: 5}) == b"\5"


def test_a_uuid_made_quickly_is_one() -> None:
    data = bytes(range(240, 256))
    quick, own = make_uuid(data), UUID(bytes=data)
    assert (quick, repr(quick), hash(quick), quick.is_safe) == (own, repr(own), hash(own), own.is_safe)
    with pytest.raises(TypeError, match="immutable"):
        quick.int = 1  # type: ignore[misc]
