"""Lifting turns a request or response of Kafka's into one of kip-482-v1, with one more version (R-482-15).

The draft promises "a new version of all the existing RPCs" with optional fields: so requests and responses are lifted.
Headers are not, because a header says which version follows (R-482-6); nor are stored messages, which are no RPCs.
Older versions have the classic encodings, and their bytes do not change. In the new version tagged fields become
optional fields; but an array of structures, or a nullable structure, becomes mandatory: the draft does not allow it as
optional.
"""

from __future__ import annotations

from collections.abc import Iterable

from wireproof.reference import schema
from wireproof.reference.dialects.kip_482.schemas import MandatoryField, MessageSchema, OptionalField, Structure
from wireproof.reference.errors import SchemaError
from wireproof.reference.schema import MAX_VERSION, NONE, Schema, Versions

KINDS = ("request", "response")


def lift(kafka_schema: Schema) -> MessageSchema:
    """The message of kip-482-v1. Raises SchemaError for one that is no request or response, has no version, or no room
    for another."""
    if kafka_schema.kind not in KINDS:
        raise SchemaError(f"{kafka_schema.name} is no request or response: the draft gives a new version to RPCs alone")
    if not kafka_schema.versions:
        raise SchemaError(f"{kafka_schema.name} has no version that could be lifted")
    last = kafka_schema.versions.high
    if last == MAX_VERSION:
        raise SchemaError(f"{kafka_schema.name} has version {last}, after which there is none")
    new = Versions(last + 1, MAX_VERSION)
    body = _Lift(last, new).structure(kafka_schema.fields, kafka_schema.name, "")
    return MessageSchema(
        kafka_schema.name,
        kafka_schema.kind,
        Versions(kafka_schema.versions.low, last + 1),
        new,
        body,
        kafka_schema.api_key,
    )


class _Lift:
    def __init__(self, last: int, new: Versions) -> None:
        self.last = last
        self.new = new

    def structure(self, fields: Iterable[schema.Field], name: str, path: str) -> Structure:
        optional: dict[int, OptionalField] = {}
        mandatory: list[MandatoryField] = []
        for field in fields:
            at = f"{path}.{field.name}" if path else field.name
            inner = None if field.fields is None else self.structure(field.fields, field.type, at)
            if self._is_optional(field):
                assert field.tag is not None
                nullable = self.last in field.nullable
                default = self._default(field, nullable=nullable)
                optional[field.tag] = OptionalField(
                    field.name, inner or field.type, field.array, nullable, default, field.ignorable
                )
            elif (kept := self._mandatory(field, inner)).versions:  # else it was tagged in gone versions alone
                mandatory.append(kept)
        return Structure(optional, *mandatory, name=name, path=path)

    def _is_optional(self, field: schema.Field) -> bool:
        """A field that has a tag in the last version, and in no version is without one."""
        return self.last in field.tagged and not _plain(field) and not self._is_kept(field)

    def _is_kept(self, field: schema.Field) -> bool:
        structure = field.fields is not None
        return structure and (field.array or self.last in field.nullable)

    def _mandatory(self, field: schema.Field, inner: Structure | None) -> MandatoryField:
        versions = self._extended(_plain(field))
        if self.last in field.tagged:
            versions = Versions(versions.low, self.new.high) if versions else self.new
        nullable = self._extended(field.nullable)
        default = self._default(field, nullable=bool(nullable))
        return MandatoryField(
            field.name, inner or field.type, versions, field.array, nullable, default, field.ignorable
        )

    def _extended(self, versions: Versions) -> Versions:
        """The new version has what the last one had."""
        return Versions(versions.low, self.new.high) if self.last in versions else versions

    @staticmethod
    def _default(field: schema.Field, *, nullable: bool) -> object:
        default = schema.default_of(None, field.type, field.array, field.nullable if nullable else NONE, "")
        if field.default is None and not nullable:
            return ...
        same = type(default) is type(field.default) and default == field.default
        return ... if same else field.default


def _plain(field: schema.Field) -> Versions:
    """The versions in which the field has no tag: all, or those before its first tagged one."""
    if not field.tagged:
        return field.versions
    return field.versions & Versions(0, field.tagged.low - 1)
