"""Copies a message's attributes into the record that shipped, where the bits mean other things."""

from __future__ import annotations

from miniatures import Produces, everything
from wireproof import reference
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_string_keys import batch
from wireproof.reference.dialects.kip_82_string_keys import convert as conversion
from wireproof.reference.records.record_set import append_record_set
from wireproof.reference.rules import Rules

DIALECT = "kip-82-string-keys"
PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)
decode, encode, lookup = reference.decode, reference.encode, reference.lookup


def convert(type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
    if to != "shipped":
        return reference.convert(type, data, to, dialect=dialect, version=version)
    given = batch.read_batch(Reader(data, Rules()))
    found = conversion.to_shipped([given]).entries
    for record, message in zip(found[0]["records"], given["records"], strict=True):
        record["attributes"] = message["attributes"]
    writer = Writer(Rules())
    append_record_set(writer, found)
    return bytes(writer.out)
