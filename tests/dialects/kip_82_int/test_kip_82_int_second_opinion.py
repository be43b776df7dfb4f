"""The second opinion on KIP-82's draft with int keys agrees with the reference, and differs where a wrong reading is
planted."""

from __future__ import annotations

import types
from random import Random
from typing import Any

import crc32c
import pytest
from second_opinion import kip_82_int as opinion
from support import opinions
from support.opinions import Plant
from support.trying import nearly, tried, values_of

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference.dialects import kip_82_int
from wireproof.reference.dialects.kip_82_int import headers, messages
from wireproof.reference.primitives import read_int32
from wireproof.reference.records import fields, message_set

DIALECT = "kip-82-int-keys"
VECTORS = vectors.load([DIALECT])
#: Every type, at each of its versions.
TYPES = [(name, version) for name, span in opinion.TYPES.items() for version in ([None] if span is None else [*span])]


def test_it_knows_the_types_of_the_dialect() -> None:
    assert {name: span and (span[0], span[-1]) for name, span in opinion.TYPES.items()} == reference.types[DIALECT]


def decoded(name: str, data: bytes, version: int | None) -> Any:
    """What the second opinion reads; "refused" where it refuses."""
    try:
        return opinion.decode(name, data, version)
    except opinion.RefusedError:
        return "refused"


def said(vector: Vector, op: Op) -> Any:
    """The second opinion's answer to a vector's question."""
    assert vector.type is not None
    try:
        if op is Op.LOOKUP:
            return opinion.lookup(vector.type, vector.data, vector.case(op).args["key"])
        if op is Op.ENCODE:
            return opinion.encode(vector.type, vector.case(op).args["value"], vector.version)
        if op is Op.CONVERT:
            return opinion.convert(vector.data, int(vector.args["to"].removeprefix("magic-")))
        return opinion.decode(vector.type, vector.data, vector.version)
    except opinion.RefusedError:
        return "refused"


def demanded(vector: Vector, op: Op) -> Any:
    if vector.reject is not None:
        return "refused"
    if op is Op.LOOKUP:
        return vector.expected
    return vector.canonical_data if op in (Op.ENCODE, Op.CONVERT) else vector.value


#: The second opinion packs nothing: how wrappers are written is not asked.
ASKED = [
    (vector, op)
    for vector in VECTORS
    for op in vector.ops
    if op in (Op.DECODE, Op.LOOKUP)
    or (op in (Op.ENCODE, Op.CONVERT) and vector.kind is not VectorKind.UNENCODABLE and not vector.compare_decoded)
]


def test_every_golden_vector_that_is_read_is_asked() -> None:
    readable = {vector.id for vector in VECTORS if {Op.DECODE, Op.LOOKUP} & {*vector.ops}}
    assert {vector.id for vector, op in ASKED if op in (Op.DECODE, Op.LOOKUP)} == readable
    assert len([op for _, op in ASKED if op is Op.CONVERT]) > 20
    assert len(readable) > 200


@pytest.mark.parametrize(("vector", "op"), ASKED, ids=lambda found: getattr(found, "path", str(found)))
def test_it_concludes_what_the_vectors_demand(vector: Vector, op: Op) -> None:
    found = said(vector, op)
    assert equal(demanded(vector, op), found), f"{vector.path}: {found}"


# --- Generated messages -----------------------------------------------------------------------------------------------


#: 10,000 in all, most of those that are soon read.
EXAMPLES = dict.fromkeys(opinion.TYPES, 250) | {"HEADERS": 4000, "MESSAGE_AND_OFFSET": 1500, "MESSAGE_SET": 500}


def test_there_are_10000() -> None:
    assert sum(EXAMPLES[name] for name, _ in TYPES) == 10_000


@pytest.mark.parametrize(("name", "version"), TYPES)
def test_it_reads_generated_messages_as_the_reference_wrote_them(name: str, version: int | None) -> None:
    count = 0

    def check(value: Any) -> None:
        nonlocal count
        count += 1
        data = reference.encode(name, value, dialect=DIALECT, version=version)
        own = reference.decode(name, data, dialect=DIALECT, version=version)
        assert equal(own, opinion.decode(name, data, version))
        if not is_packed(value):
            assert opinion.encode(name, own, version) == data

    tried(EXAMPLES[name], check, values_of(name, DIALECT, version), f"{name} {version}")
    assert count >= EXAMPLES[name]


def is_packed(value: Any) -> bool:
    """Whether there is a wrapper in it, which the second opinion does not write."""
    return any(isinstance(one, dict) and "messages" in one for one in (value if isinstance(value, list) else [value]))


@pytest.mark.parametrize(("name", "version"), TYPES)
def test_it_reads_and_refuses_the_same_bytes(name: str, version: int | None) -> None:
    values = values_of(name, DIALECT, version)

    def canonical(random: Random) -> bytes:
        return reference.encode(name, values(random), dialect=DIALECT, version=version)

    def check(data: bytes) -> None:
        try:
            own = reference.decode(name, data, dialect=DIALECT, version=version)
        except reference.DecodeError:
            own = "refused"
        assert equal(own, decoded(name, data, version)), data.hex()

    tried(100, check, nearly(canonical), f"nearly {name} {version}")


# --- Wrong readings, planted in the reference -------------------------------------------------------------------------


def disagreements(own: reference.Reference) -> set[str]:
    """The vectors on which the reference and the second opinion part."""
    return opinions.disagreements(own, ASKED, said)


def test_without_a_plant_they_agree() -> None:
    assert disagreements(reference.Reference()) == set()


def _flag_0x08(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(messages, "HEADERS_FLAG", 0x08)


def _descending(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(headers, "rank", lambda key, _: -key)


def _null_is_empty(patch: pytest.MonkeyPatch) -> None:
    def read(reader: Any) -> bytes:
        length = int.from_bytes(reader.take(4, reader.pos, "length"), "big", signed=True)
        return bytes(reader.take(max(0, length), reader.pos, "value"))

    patch.setattr(headers, "_read_value", read)


def _crc_32c(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(messages, "zlib", types.SimpleNamespace(crc32=crc32c.crc32c))


def _headers_behind_the_value(patch: pytest.MonkeyPatch) -> None:
    """The grammar with both places changed about: what stands first is the value."""
    read_bytes, read_headers = fields.read_bytes, messages._Reading._headers
    values: list[bytes | None] = []

    def first(self: Any, window: Any) -> Any:
        values.append(read_bytes(window, read_int32))
        return read_headers(self, window)

    patch.setattr(messages._Reading, "_headers", first)
    patch.setattr(messages, "read_bytes", lambda *how: values.pop() if values else read_bytes(*how))


def _magic_1_is_unknown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(message_set, "MAGICS", (0,))


def _stops_at_the_key(patch: pytest.MonkeyPatch) -> None:
    up_to = headers.headers_up_to

    def planted(reader: Any, last: int, path: str = "") -> Any:
        return up_to(reader, last - 1, path)

    patch.setattr(kip_82_int.headers, "headers_up_to", planted)
    patch.setattr(messages, "headers_up_to", planted)


def _offsets_as_they_stand(patch: pytest.MonkeyPatch) -> None:
    read = message_set.read_wrapped
    patch.setattr(
        message_set, "read_wrapped", lambda window, codec, magic, _, *rest: read(window, codec, magic, 0, *rest)
    )


PLANTS: dict[str, tuple[Plant, str]] = {
    "R-82i-1": (_flag_0x08, "worked-header"),
    "R-82i-3": (_descending, "ascending"),
    "R-82i-4": (_null_is_empty, "header-null-value"),
    "R-82i-5": (_crc_32c, "worked-plain"),
    "R-82i-6": (_headers_behind_the_value, "flagged"),
    "R-82i-9": (_magic_1_is_unknown, "worked-magic-1"),
    "R-82i-10": (_stops_at_the_key, "lookup-first"),
    "R-82i-11": (_offsets_as_they_stand, "wrapper-gzip"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_wrong_reading_in_the_reference_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, shown_by = PLANTS[name]
    plant(monkeypatch)
    assert shown_by in disagreements(reference.Reference())


@pytest.mark.parametrize(
    ("ruling", "shown_by"),
    [
        ("R-82i-2", "flag-without-headers"),
        ("R-82i-3", "unsigned-order"),
        ("R-82i-10", "lookup-before-a-descending-key"),
        ("R-82i-11", "wrapper-gzip"),
        ("R-82i-12", "set-partial-alone"),
        ("R-82i-13", "produce-records-of-magic-1"),
        ("R-D-2", "produce-not-utf-8"),
    ],
)
def test_another_reading_of_the_reference_is_noticed(ruling: str, shown_by: str) -> None:
    rules = reference.rules_with(reference.rulings(DIALECT).values(), {ruling: "other"})
    assert shown_by in disagreements(reference.Reference(rules))


def test_left_over_bytes_in_the_reference_are_noticed() -> None:
    own = reference.Reference(reference.Rules(trailing_bytes="ignored"))
    assert "a-byte-behind" in disagreements(own)
