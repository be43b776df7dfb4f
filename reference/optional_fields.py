"""The optional-field buffer, at the beginning of bodies and structures of kip-482-v1.

    OptionalBuffer => *Entry 00
    Entry          => FieldLength:VARINT (> 0)  Tag:UINT16  Value: FieldLength bytes      ; tags strictly ascending

Source: KIP-482 version 1, "Serializing Optional Fields"; where it is silent, the rulings named beside the code.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import EncodeError, Reason
from wireproof.reference.primitives import (
    Primitive,
    append_uint16,
    append_unsigned_varint,
    append_varint,
    read_uint16,
    read_unsigned_varint,
    read_varint,
)
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Array, Node, PlannedField, Struct

TAG_BYTES = 2


def read_length(reader: Reader, what: str = "VARINT") -> int:
    """VARINT: zigzag (R-482-1 ‡, other: unsigned)."""
    return (read_varint if reader.rules.field_length == "zigzag" else read_unsigned_varint)(reader, what)


def append_length(writer: Writer, value: Any) -> None:
    """VARINT, as `read_length` reads it."""
    (append_varint if writer.rules.field_length == "zigzag" else append_unsigned_varint)(writer, value)


#: The type of a FieldLength, as the dialect has it.
VARINT = Primitive("VARINT", read_length, append_length, 0)


def read_buffer(
    reader: Reader, known: Mapping[int, PlannedField], value: dict[str, Any], read: Callable[[Node, Reader], Any]
) -> list[tuple[int, bytes]]:
    """A whole buffer: known fields are read by `read` into `value`; unknown ones are returned in the order of tags.

    Raises DecodeError. Tags are unsigned and strictly ascending (R-482-4; R-482-5 ‡, other: in any order; map:
    the last of equal ones counts).
    """
    steps = reader.steps
    steps.append("_tags")
    unknown: dict[int, bytes] = {}
    previous = -1
    seen: set[int] = set()
    order = reader.rules.optional_order
    while True:
        start = reader.pos
        size = _read_size(reader)
        if size is None:
            break
        at = reader.pos
        tag = read_uint16(reader, "tag")
        if order != "map" and (tag in seen or (order == "ascending" and tag < previous)):
            twice = tag == previous or order == "any"
            detail = f"tag {tag} {'stands twice' if twice else f'comes after tag {previous}; tags ascend'}"
            raise reader.error(Reason.TAG_DUPLICATE if twice else Reason.TAG_ORDER, detail, at)
        previous = tag
        seen.add(tag)
        field = known.get(tag)
        if field is None:
            begin = reader.pos
            data = reader.take(size, begin, "value")
            reader.note(begin, "unknown field's value", data)
            unknown[tag] = data
            continue
        steps[-1] = field.name
        window = reader.window(size)
        value[field.name] = read(field.node, window)
        _demand_end(window, start)
        steps[-1] = "_tags"
    steps.pop()
    return sorted(unknown.items())


def _read_size(reader: Reader) -> int | None:
    """The size of the next entry's value; None at the end of the buffer. Checks that the bytes are there."""
    start = reader.pos
    length = read_length(reader, "FieldLength")
    if length == 0:
        return None
    if length < 0:
        raise reader.error(Reason.NEGATIVE_LENGTH, f"FieldLength {length} is negative", start)
    size = length
    if reader.rules.field_length_counts == "tag-and-value":  # R-482-2 ‡
        size -= TAG_BYTES
        if size <= 0:
            detail = f"FieldLength {length} counts the tag, and leaves no byte for the value"
            raise reader.error(Reason.ZERO_LENGTH_FIELD, detail, start)
    if TAG_BYTES + size > reader.remaining:
        detail = f"tag and value need {TAG_BYTES + size} bytes, {reader.remaining} are left"
        raise reader.error(Reason.TRUNCATED, f"FieldLength {length}: {detail}", start)
    return size


def _demand_end(window: Reader, start: int) -> None:
    """Check that the value fills its FieldLength (R-482-9 ‡, other: the rest is skipped)."""
    if window.rules.optional_size == "exact":
        window.demand_end(Reason.LENGTH_MISMATCH, "the optional field's value", start)
    elif window.remaining:
        at = window.pos
        window.note(at, "passed over", window.take(window.remaining, at, "value"))


def absent(field: PlannedField, rules: Rules) -> Any:
    """The value of a tagged field that is not on the wire: its default, as a new object (R-482-7 ‡, other: null where
    it can be null, inside of an absent structure too)."""
    if rules.absent_optional != "null":
        return copy.deepcopy(field.default) if isinstance(field.default, (dict, list)) else field.default
    match field.node:
        case Struct(fields=fields, marker="none"):
            return {
                inner.name: field.default[inner.name] if inner.tag is None else absent(inner, rules) for inner in fields
            }
        case Array(nullable=True):
            return None
        case Primitive(name=name) if "NULLABLE" in name:
            return None
    return copy.deepcopy(field.default)


def buffered(fields: Mapping[int, bytes], path: str) -> Mapping[int, bytes]:
    """Refuses empty raw fields: every type has at least one byte, and length 0 ends the buffer (R-482-3)."""
    for tag, data in fields.items():
        if not data:
            detail = f"tag {tag} has no bytes, and a FieldLength of 0 would end the buffer"
            raise EncodeError(Reason.ZERO_LENGTH_FIELD, detail, path)
    return fields


def append_buffer(writer: Writer, fields: Mapping[int, bytes]) -> None:
    """A buffer of these fields, by tag."""
    counted = TAG_BYTES if writer.rules.field_length_counts == "tag-and-value" else 0
    for tag, data in sorted(fields.items()):
        append_length(writer, counted + len(data))
        append_uint16(writer, tag)
        writer.out += data
    append_length(writer, 0)
