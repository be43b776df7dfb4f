"""Numbers that the fast codec writes together, arrays of structures that it reads at once, and the source that it
generates. How they are tested says test_compiled_parts.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from support.compiled_checks import FORMS, NULL_IN_ALL, counted, is_plain, is_refused, message
from support.wire import Message, field, tagged

from wireproof.reference import compiled
from wireproof.reference.compiled import encoding, fixed_layout
from wireproof.reference.compiled.source import Source, make_uuid
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.schema.plan import Array, PlannedField, Struct, TagBuffer

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


# --- Arrays of structures that are laid out alike ---------------------------------------------------------------------


def element_of(listed: Message) -> Struct:
    """The structure in the only array of a message."""
    (only,) = listed.node.fields
    assert isinstance(only.node, Array)
    assert isinstance(only.node.element, Struct)
    return only.node.element


def at_once(node: Struct, digits: str, count: int) -> Any:
    """What the lines for structures laid out alike read behind three other bytes, and where they end; None if they
    leave it to be read one by one."""
    return reader_of(node)(bytes.fromhex("aabbcc" + digits), 3, count)


def reader_of(node: Struct) -> Callable[[bytes, int, int], Any]:
    """These lines as a function of the bytes, the place of the first structure, and their count."""
    source = Source({"uuid": make_uuid})
    fixed_layout.decode_even(source, node, "n", "v")
    with source.block("else:"):
        source.line("return None")
    source.line("return v, p - 3")
    return source.function("def generated(d, p, n):")


#: fields; one structure's bytes in a message without tags (None: they are read one by one); in a flexible one, its tags
#: left out; its value
ALIKE: list[tuple[list[dict[str, Any]], str | None, str, dict[str, Any]]] = [
    ([field("A", "int8")], "05", "05", {"A": 5}),
    (
        [field("A", "bool"), field("B", "int64"), field("C", "uuid"), field("D", "float64")],
        "01" + "00" * 7 + "02" + f"{3:032x}" + "3ff8" + "00" * 6,
        "01" + "00" * 7 + "02" + f"{3:032x}" + "3ff8" + "00" * 6,
        {"A": True, "B": 2, "C": UUID(int=3), "D": 1.5},
    ),
    ([field("L", "[]int8")], "00000000", "01", {"L": []}),
    ([field("L", "[]int16")], "00000002" + "0001fffe", "03" + "0001fffe", {"L": [1, -2]}),
    ([field("L", "[]int8", **NULL_IN_ALL)], None, "00", {"L": None}),
    ([field("L", "[]int8", **NULL_IN_ALL)], "00000000", "01", {"L": []}),
    ([field("L", "[]int8", **NULL_IN_ALL)], "0000000107", "0207", {"L": [7]}),
    ([field("S", "string")], "0000", "01", {"S": ""}),
    ([field("S", "string", **NULL_IN_ALL)], "0000", "01", {"S": ""}),
    ([field("S", "string", **NULL_IN_ALL)], "ffff", "00", {"S": None}),
    ([field("S", "bytes")], "00000000", "01", {"S": b""}),
    ([field("S", "bytes", **NULL_IN_ALL)], "ffffffff", "00", {"S": None}),
    ([field("S", "[]string")], "00000000", "01", {"S": []}),
    ([field("S", "[]uuid", **NULL_IN_ALL)], "ffffffff", "00", {"S": None}),
    (
        [
            field("A", "int16"),
            field("K", "[]int32"),
            field("B", "int8"),
            field("S", "string", **NULL_IN_ALL),
            field("L", "[]int8"),
            field("M", "[]bool"),
            field("Z", "uuid"),
            field("T", "string"),
        ],
        "0009" + "00000001" + "00000007" + "08" + "ffff" + "00000002" + "0102" + "00000000" + f"{3:032x}" + "0000",
        "0009" + "02" + "00000007" + "08" + "00" + "03" + "0102" + "01" + f"{3:032x}" + "01",
        {"A": 9, "K": [7], "B": 8, "S": None, "L": [1, 2], "M": [], "Z": UUID(int=3), "T": ""},
    ),
]


@pytest.mark.parametrize(("fields", "classic", "compact", "value"), ALIKE)
def test_structures_laid_out_alike_are_read_at_once(
    fields: list[dict[str, Any]], classic: str | None, compact: str, value: dict[str, Any]
) -> None:
    for flexible, one, end in (("none", classic, ""), ("0+", compact + "00", "00")):
        if one is None:
            continue
        listed = message(field("L", "[]In", fields=fields), flexible=flexible)
        node = element_of(listed)
        assert fixed_layout.may_be_even(node)
        for count in (4, 5, 200):
            found = at_once(node, one * count, count)
            assert repr(found) == repr(([value] * count, count * len(one) // 2))
            assert at_once(node, one * count + "00", count) == found
            assert at_once(node, (one * count)[:-2], count) is None
        assert at_once(node, one * 3, 3) is None
        for count in (4, 126):
            is_plain(listed, counted(count, flexible) + one * count + end, {"L": [value] * count})


def test_counts_of_both_kinds_in_structures_that_are_read_at_once() -> None:
    """A field may keep the old form in a flexible version, as the client's name in a request's header does."""
    old = {"flexibleVersions": "none"}
    fields = [
        field("A", "[]int8"),
        field("B", "[]int8", **old),
        field("C", "string", **NULL_IN_ALL),
        field("D", "string", **NULL_IN_ALL, **old),
        field("E", "int8"),
    ]
    listed = message(field("L", "[]In", fields=fields), flexible="0+")
    one = "030102" + "000000020304" + "00" + "ffff" + "05" + "00"
    value = {"A": [1, 2], "B": [3, 4], "C": None, "D": None, "E": 5}
    assert at_once(element_of(listed), one * 4, 4) == ([value] * 4, len(one) * 2)
    is_plain(listed, "05" + one * 4 + "00", {"L": [value] * 4})


def test_tagged_fields_of_structures_read_at_once_have_their_defaults() -> None:
    fields = [tagged("T", "int8", 0, default="7"), field("A", "int8"), tagged("U", "[]int8", 1)]
    listed = message(field("L", "[]In", fields=fields), flexible="0+")
    value = {"T": 7, "A": 5, "U": []}
    read, _ = at_once(element_of(listed), "0500" * 5, 5)
    assert repr(read) == repr([value] * 5)
    assert len({id(item["U"]) for item in read}) == 5
    is_plain(listed, "06" + "0500" * 5 + "00", {"L": [value] * 5})


#: fields, flexible, structures of which one is not as the others are, what is read of them
UNEVEN: list[tuple[list[dict[str, Any]], str, list[str], list[Any]]] = [
    ([field("S", "string")], "none", ["0000"] * 4 + ["000161"], [""] * 4 + ["a"]),
    ([field("S", "string")], "none", ["000161"] + ["0000"] * 4, ["a"] + [""] * 4),
    ([field("S", "string")], "0+", ["0100"] * 4 + ["026100"], [""] * 4 + ["a"]),
    ([field("S", "string")], "none", ["0000"] * 4 + ["0100" + "61" * 256], [""] * 4 + ["a" * 256]),
    ([field("S", "string", **NULL_IN_ALL)], "none", ["ffff"] * 4 + ["00ff" + "61" * 255], [None] * 4 + ["a" * 255]),
    ([field("S", "[]int8")], "none", ["0000000105"] * 4 + ["00000101" + "06" * 257], [[5]] * 4 + [[6] * 257]),
    ([field("S", "[]int8")], "none", ["00000000"] * 4 + ["00010000" + "06" * 65_536], [[]] * 4 + [[6] * 65_536]),
    ([field("S", "[]int8", **NULL_IN_ALL)], "none", ["ffffffff"] * 5, [None] * 5),
    ([field("S", "[]int8")], "0+", ["020500"] * 4 + ["0300" + "00" + "00"], [[5]] * 4 + [[0, 0]]),
    ([field("S", "[]int8")], "none", ["0000007f" + "05" * 127] * 4, [[5] * 127] * 4),
    ([field("S", "[]int8")], "0+", ["8101" + "05" * 128 + "00"] * 4, [[5] * 128] * 4),
]


@pytest.mark.parametrize(("fields", "flexible", "parts", "values"), UNEVEN, ids=range(len(UNEVEN)))
def test_structures_that_are_not_alike_are_read_one_by_one(
    fields: list[dict[str, Any]], flexible: str, parts: list[str], values: list[Any]
) -> None:
    listed = message(field("L", "[]In", fields=fields), flexible=flexible)
    assert at_once(element_of(listed), "".join(parts) + "00" * 1000, len(parts)) is None
    digits = counted(len(parts), flexible) + "".join(parts) + ("00" if flexible == "0+" else "")
    is_plain(listed, digits, {"L": [{"S": value} for value in values]})


def test_structures_with_tags_are_read_one_by_one() -> None:
    listed = message(field("L", "[]In", fields=[field("A", "int8")]), flexible="0+")
    node = element_of(listed)
    for odd in range(5):
        parts = ["0500"] * 5
        parts[odd] = "05" + "01" + "0700"
        assert at_once(node, "".join(parts) + "00" * 20, 5) is None
        values: list[dict[str, Any]] = [{"A": 5} for _ in parts]
        values[odd]["_tags"] = [(7, b"")]
        is_plain(listed, "06" + "".join(parts) + "00", {"L": values})


def test_null_where_it_is_not_allowed_is_not_read_at_once() -> None:
    for kind, flexible, one in (
        ("string", "none", "ffff"),
        ("string", "0+", "0000"),
        ("bytes", "none", "ffffffff"),
        ("[]int8", "none", "ffffffff"),
        ("[]int8", "0+", "0000"),
        ("[]string", "0+", "0000"),
    ):
        listed = message(field("L", "[]In", fields=[field("F", kind)]), flexible=flexible)
        assert at_once(element_of(listed), one * 5, 5) is None
        is_refused(listed, counted(5, flexible) + one * 5, "null-not-allowed")


def test_which_structures_may_be_laid_out_alike() -> None:
    inner = field("S", "In", fields=[field("X", "int8")])
    for fields, extra in (
        ([field("X", "int8", "3+")], {}),
        ([field("A", "int8"), inner], {}),
        ([inner], {}),
        ([field("A", "int8")], NULL_IN_ALL),
    ):
        node = message(field("S", "Out", fields=fields, **extra)).node.fields[0].node
        assert isinstance(node, Struct)
        assert not fixed_layout.may_be_even(node)
    nested = message(field("L", "[]Out", fields=[field("A", "int8"), inner]))
    is_plain(nested, "00000005" + "0506" * 5, {"L": [{"A": 5, "S": {"X": 6}}] * 5})
    texts = message(field("L", "[]string"))
    is_plain(texts, "00000005" + "0000" * 5, {"L": [""] * 5})


@pytest.mark.parametrize("count", [5, 200, 3000], ids=["short", "longer", "long"])
@pytest.mark.parametrize("flexible", ["none", "0+"])
def test_a_count_that_differs_is_found_in_every_row_and_in_each_of_its_bytes(count: int, flexible: str) -> None:
    fields = [field("A", "int16"), field("K", "[]int32"), field("S", "string", **NULL_IN_ALL), field("L", "[]int8")]
    node = element_of(message(field("L", "[]In", fields=fields), flexible=flexible))
    if flexible == "none":
        one = bytes.fromhex("0009" + "00000001" + "00000007" + "ffff" + "00000002" + "0102")
        places = {*range(2, 6), *range(10, 16)}
    else:
        one, places = bytes.fromhex("0009" + "02" + "00000007" + "00" + "03" + "0102" + "00"), {2, 7, 8, 11}
    rows = bytearray(one * count)
    fixed_layout._repeated.cache_clear()
    fixed_layout._columns.cache_clear()
    known = reader_of(node)
    assert known(bytes(rows), 0, count) is not None
    for row in {1, count // 2, count - 1}:
        for place in range(len(one)):
            rows[row * len(one) + place] ^= 4
            for reader in (known, reader_of(node)):  # one that has read such rows before, and one that has not
                assert (reader(bytes(rows), 0, count) is None) == (place in places), (row, place)
            rows[row * len(one) + place] ^= 4
    few, many = (kept.cache_info().currsize for kept in (fixed_layout._columns, fixed_layout._repeated))
    short = int(len(rows) <= 4096)
    assert (few, many) == ((0, short) if len(places) > 6 else (short, 0))


@pytest.mark.parametrize("arrays", [5, 6, 7])
def test_few_columns_are_compared_one_by_one_and_many_with_a_mask(arrays: int) -> None:
    """One column an array, and one for the number of tags."""
    fields = [field(f"F{number}", "[]int8") for number in range(arrays)]
    node = element_of(message(field("L", "[]In", fields=fields), flexible="0+"))
    fixed_layout._repeated.cache_clear()
    fixed_layout._columns.cache_clear()
    assert reader_of(node)(bytes.fromhex("01" * arrays + "00") * 5, 0, 5) is not None
    few, many = (kept.cache_info().currsize for kept in (fixed_layout._columns, fixed_layout._repeated))
    assert (few, many) == ((1, 0) if arrays + 1 < 7 else (0, 1))


def test_the_last_bytes_of_counts_are_compared_first() -> None:
    """Rows differ most in these, so that most arrays of other layouts are left at once."""
    fields = [field("A", "int16"), field("K", "[]int32"), field("S", "string", **NULL_IN_ALL), field("L", "[]int8")]
    layout = fixed_layout._Layout.of(element_of(message(field("L", "[]In", fields=fields))), (1, 255, 2))
    assert layout.places == (5, 15, 2, 3, 4, 10, 11, 12, 13, 14)
    assert [layout.common[place] for place in layout.places] == [1, 2, 0, 0, 0, 255, 255, 0, 0, 0]


def test_what_is_kept_for_layouts_is_bounded() -> None:
    fields = [field("A", "[]int8"), field("B", "string", **NULL_IN_ALL), field("C", "[]int8")]
    node = element_of(message(field("L", "[]In", fields=fields)))

    def row(first: int, second: int, text: str = "0000") -> bytes:
        return bytes.fromhex(f"{first:08x}{'05' * first}{text}{second:08x}{'06' * second}")

    layouts = fixed_layout._Layouts(node)
    assert layouts[1, 0, 64](row(1, 64) * 4, 4) is None
    assert len(layouts) == 0
    found = layouts[1, 255, 63](row(1, 63, "ffff") * 2, 2)
    assert found == [{"A": [5], "B": None, "C": [6] * 63}] * 2
    assert ([*layouts], layouts.generated) == ([(1, 255, 63)], 1)
    sizes = itertools.product(range(1, 13), repeat=2)
    read = [layouts[first, 0, second](row(first, second) * 4, 4) for first, second in sizes]
    assert sum(rows is not None for rows in read) == 63
    assert layouts.generated == 64
    assert layouts[1, 0, 1](row(1, 1) * 4, 4) == read[0]
    assert layouts[12, 0, 12](row(12, 12) * 4, 4) is None


def test_layouts_that_are_looked_for_get_no_functions_when_there_are_enough() -> None:
    layouts = fixed_layout._Layouts(element_of(message(field("L", "[]In", fields=[field("A", "[]int8")]))))
    looked_for = layouts[1,]
    layouts.generated = 64
    assert looked_for(bytes.fromhex("0000000105") * 4, 4) is None
    layouts.generated = 63
    assert looked_for(bytes.fromhex("0000000105") * 4, 4) == [{"A": [5]}] * 4


def test_layouts_that_no_array_has_get_no_functions_and_are_bounded_too() -> None:
    fields = [field("A", "[]int8"), field("B", "[]int8")]
    layouts = fixed_layout._Layouts(element_of(message(field("L", "[]In", fields=fields))))
    for first, second in itertools.product(range(20), repeat=2):
        assert layouts[first, second](bytes(4 * (8 + first + second))[:-1] + b"\1", 4) is None
    assert (len(layouts), layouts.generated) == (256, 0)
    assert layouts[0, 0](bytes(32), 4) == [{"A": [], "B": []}] * 4
    assert layouts[19, 19](bytes.fromhex("00000013" + "00" * 19) * 8, 4) is None


# --- Generated source -------------------------------------------------------------------------------------------------


def test_other_nodes_have_no_generated_functions() -> None:
    for make in (compiled.decoder, compiled.encoder):
        with pytest.raises(TypeError, match="no message has a TagBuffer"):
            make(TagBuffer())


def test_a_traceback_says_that_source_was_generated() -> None:
    with pytest.raises(IndexError) as caught:
        compiled.decoder(message(field("F", "string"), flexible="0+").node)(b"", 0)
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
    decode = compiled.decoder(shared.node)
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
        assert compiled.decoder(PRIMITIVES[name])(data, 0) == (value, len(data))
        assert compiled.encoder(PRIMITIVES[name])(value) == data


def test_a_name_is_only_a_literal() -> None:
    """Fields' names are put into source as text, whatever they are."""
    odd = "it's \"\\\n"
    node = message(field("A", "int8")).node
    renamed = PlannedField(odd, node.fields[0].node, 0)
    struct = Struct("S", (renamed,), (renamed,), {}, {}, frozenset(), flexible=False)
    assert compiled.decoder(struct)(b"\5", 0) == ({odd: 5}, 1)
    assert compiled.encoder(struct)({odd: 5}) == b"\5"


def test_a_uuid_made_quickly_is_one() -> None:
    data = bytes(range(240, 256))
    quick, own = make_uuid(data), UUID(bytes=data)
    assert (quick, repr(quick), hash(quick), quick.is_safe) == (own, repr(own), hash(own), own.is_safe)
    with pytest.raises(TypeError, match="immutable"):
        quick.int = 1  # type: ignore[misc]
