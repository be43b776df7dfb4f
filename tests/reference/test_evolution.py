"""Incompatible changes of schemas: their places, the notes, the history."""

from __future__ import annotations

from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.vectors import Also, Vector, VectorKind
from wireproof.reference import SchemaError, catalog, evolution
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.evolution import Break, Change, Comparison

KIP_482, KAFKA = "kip-482-v1", "kafka"
EVOLVE = [vector for vector in vectors.load() if vector.kind is VectorKind.EVOLVE and vector.reject is None]


@pytest.mark.parametrize("vector", EVOLVE, ids=lambda vector: vector.path)
def test_the_reference_names_each_break_at_its_place(vector: Vector) -> None:
    """The judge asks no more than whether something breaks."""
    found = reference.evolve(vector.args["old"], vector.args["new"], dialect=vector.dialect)
    assert sorted(found, key=str) == sorted(vector.expected, key=str)


def test_every_kind_of_break_has_a_vector() -> None:
    kinds = {entry["kind"] for vector in EVOLVE for entry in vector.expected}
    assert kinds == set(Break) - {Break.NUMBER_SHARED}  # which another reading alone calls one
    others = {entry["kind"] for vector in EVOLVE for also in vector.also for entry in also.expected.get("breaks", [])}
    assert others == {Break.TAG_REUSED, Break.NUMBER_SHARED, Break.FIELD_CHANGED}


OTHERS = [(vector, also) for vector in EVOLVE for also in vector.also]


@pytest.mark.parametrize(("vector", "also"), OTHERS, ids=lambda one: getattr(one, "path", ""))
def test_under_another_reading_it_names_other_breaks(vector: Vector, also: Also) -> None:
    under = reference.rules_with(reference.rulings(vector.dialect).values(), dict.fromkeys(also.rulings, "other"))
    asked = reference.Reference(under)
    if also.refuses:
        with pytest.raises(SchemaError):
            asked.evolve(vector.args["old"], vector.args["new"], dialect=vector.dialect)
        return
    found = asked.evolve(vector.args["old"], vector.args["new"], dialect=vector.dialect)
    assert sorted(found, key=str) == sorted(also.expected["breaks"], key=str)


def message(*optional: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "response",
        "name": "M",
        "validVersions": "0-9",
        "versionsWithOptional": "9+",
        "optionalFields": [*optional],
        "fields": [{"name": "Baz", "type": "int16", "versions": "0+"}],
    } | more


def entry(name: str, type_name: str, tag: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_name, "tag": tag} | more


def compared(*releases: dict[str, Any], dialect: str = KIP_482) -> Comparison:
    return DIALECTS[dialect].compare([*releases[:-1]], releases[-1])


A = entry("A", "string", 1)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (message(), message(A), Change(None, "A", "new, under tag 1")),
        (message(A), message(), Change(None, "A", "gone; its tag 1 is never to be used again")),
        (message(A), message(A | {"name": "B"}), Change(None, "B", "it was called A", "R-482-13")),
        (message(A), message(A | {"default": "x"}), Change(None, "A", "its default was '' and is 'x'")),
        (
            message(),
            message(fields=[{"name": "Bar", "type": "int16", "versions": "0+"}]),
            Change(None, "Bar", "it was called Baz"),
        ),
        (
            message(),
            message(fields=[{"name": "Baz", "type": "int16", "versions": "0+", "default": "1"}]),
            Change(None, "Baz", "its default was 0 and is 1", "R-482-17"),
        ),
    ],
)
def test_compatible_changes_are_noted(old: dict[str, Any], new: dict[str, Any], note: Change) -> None:
    found = compared(old, new)
    assert found.breaks == ()
    assert found.notes == (note,)


def test_of_notes_the_last_step_s_alone_are_told() -> None:
    assert compared(message(), message(A), message(A)).changes == ()
    assert compared(message(A), message(), message()).changes == ()


def test_a_break_with_an_old_release_is_told_once() -> None:
    found = compared(message(A), message(A), message(), message(entry("B", "bool", 1)))
    assert found.breaks == (Change(Break.TAG_REUSED, "B", "tag 1 meant A, string; now it means a field of type bool"),)


def test_breaks_say_what_was_and_what_is() -> None:
    moved = compared(message(), message(versionsWithOptional="7+"))
    detail = "9+ before, 7+ now: not the same for versions 7, 8, which is published"
    assert moved.breaks == (Change(Break.VERSIONS_MOVED, "versionsWithOptional", detail),)
    nullable = compared(message(A), message(A | {"nullable": True}))
    assert [str(change.kind) for change in nullable.breaks] == ["nullability-changed"]
    retyped = compared(message(A), message(A | {"type": "[]string"}))
    assert retyped.breaks == (Change(Break.TYPE_CHANGED, "A", "string became array of string"),)


ID = {"name": "Id", "type": "uuid", "versions": "0+"}
DEPTH = {"name": "Depth", "type": "int8", "versions": "0+"}


def traced(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return message(entry("Trace", "Trace", 3, fields=[*fields], optionalFields=[]), **more)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param([ID], [ID, DEPTH | {"versions": "10+"}], id="grows"),
        pytest.param([ID, DEPTH], [ID, DEPTH | {"versions": "0-9"}], id="loses a field"),
        pytest.param([ID], [ID | {"versions": "0-9"}, ID | {"name": "Uuid", "versions": "10+"}], id="new name"),
        pytest.param([], [ID | {"versions": "10+"}], id="was empty"),
    ],
)
def test_a_structure_under_a_tag_may_change_in_new_versions_as_a_body_does(old: list[Any], new: list[Any]) -> None:
    """The page says nothing of it, so that no vector asks: only that one gives way to another one is a break."""
    assert compared(traced(*old), traced(*new, validVersions="0-10")).breaks == ()


def test_a_replaced_structure_is_told_at_its_field() -> None:
    new = traced(ID | {"versions": "0-9"}, DEPTH | {"versions": "10+"}, validVersions="0-10")
    detail = "it is another structure in versions behind 9"
    assert compared(traced(ID), new).breaks == (Change(Break.TYPE_CHANGED, "Trace", detail),)


def test_a_tag_that_was_away_is_told_with_what_it_meant() -> None:
    found = compared(message(A), message(), message(A | {"name": "B"}))
    detail = "tag 1 meant A, and was taken away; it can mean nothing else"
    assert found.breaks == (Change(Break.TAG_REUSED, "B", detail),)


def test_new_versions_without_optional_fields_are_named() -> None:
    found = compared(message(A), message(A, validVersions="0-11", versionsWithOptional="9"))
    detail = "versions 10, 11 are new, and without the optional fields that version 9 has"
    assert found.breaks == (Change(Break.VERSIONS_MOVED, "versionsWithOptional", detail),)


def test_another_api_key_is_another_message() -> None:
    assert compared(message(apiKey=1), message(apiKey=2)).breaks[0].path == "apiKey"


@pytest.mark.parametrize("dialect", [KIP_482, KAFKA])
def test_a_schema_that_is_none_is_refused(dialect: str) -> None:
    for old, new in (({}, {}), ([message(), 3], message()), (message(), {"name": "M"})):
        with pytest.raises(SchemaError):
            reference.evolve(old, new, dialect=dialect)


def test_a_dialect_without_schemas_says_so() -> None:
    with pytest.raises(NotImplementedError, match="wire-format has no schemas"):
        reference.evolve({}, {}, dialect="wire-format")


def test_every_message_of_the_catalogue_is_compatible_with_itself() -> None:
    found = catalog.bundled()
    for name in found.messages:
        schema = found.load(name)
        assert schema is not None
        assert evolution.compare([schema, schema], schema, evolution.Policy(null_by_version=True)).changes == ()


def test_the_id_of_a_client_stays_classic() -> None:
    """A field's own flexibleVersions decide its encoding."""

    def header(**more: Any) -> dict[str, Any]:
        return {
            "type": "header",
            "name": "H",
            "validVersions": "0-2",
            "flexibleVersions": "2+",
            "fields": [{"name": "ClientId", "type": "string", "versions": "0+"} | more],
        }

    found = compared(header(flexibleVersions="none"), header(), dialect=KAFKA)
    detail = "in version 2 its flexibleVersions differ"
    assert found.breaks == (Change(Break.FIELD_CHANGED, "ClientId", detail),)
    assert compared(header(flexibleVersions="2+"), header(), dialect=KAFKA).changes == ()
