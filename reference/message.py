"""The readable codec: walks a plan, with one function for each kind of node, and can record a span for every byte.

    Struct     => *Field [TagBuffer]            ; the tag buffer in flexible versions, at the END
                | OptionalBuffer *Field         ; kip-482-v1: see optional_fields
    Array      => count *Element                ; count as in plan.Array
    Pair       => first second
    TagBuffer  => n:UNSIGNED_VARINT n × (tag:UNSIGNED_VARINT size:UNSIGNED_VARINT data), tags strictly ascending

Source: KIP-482, Kafka's protocol guide; where they are silent, the rulings named beside the code.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Mapping, Sequence
from typing import Any, NoReturn

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, join, shown
from wireproof.reference.optional_fields import absent, append_buffer, buffered, read_buffer
from wireproof.reference.primitives import (
    Primitive,
    append_compact_length,
    append_int8,
    append_int32,
    append_unsigned_varint,
    read_classic_length,
    read_compact_length,
    read_int8,
    read_int32,
    read_unsigned_varint,
)
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Array, Node, OptionalBuffer, PlannedField, PlannedPair, Struct, TagBuffer

#: R-K-10p ‡: the limits of Kafka 4.4, however many bytes there are.
POLICY_TAGS = 10_000
POLICY_ELEMENTS = 1_000_000
#: A tag is an unsigned varint.
MAX_TAG = 2**32 - 1
#: An optional field's tag has 16 bits (R-482-4).
MAX_OPTIONAL = 2**16 - 1


def read(node: Node, reader: Reader, path: str = "") -> Any:
    """The value of a node that stands at `path`. Raises DecodeError."""
    reader.path = path
    return _read(node, reader)


def _read(node: Node, reader: Reader) -> Any:
    match node:
        case Struct():
            return _read_struct(node, reader)
        case Array():
            return _read_array(node, reader)
        case Primitive():
            return node.read(reader)
        case PlannedPair():
            return _read_pair(node, reader)
        case TagBuffer():
            unknown = _read_tags(None, reader, {})
            return unknown if reader.rules.unknown_tags == "kept" else []
        case OptionalBuffer():
            return read_buffer(reader, {}, {}, _read)


def append(node: Node, writer: Writer, value: Any, path: str = "") -> None:
    """Append a value's bytes. Raises EncodeError."""
    writer.path = path
    match node:
        case Primitive():
            node.append(writer, value)
        case Struct():
            _append_struct(node, writer, value, path)
        case Array():
            _append_array(node, writer, value, path)
        case PlannedPair():
            _append_pair(node, writer, value, path)
        case TagBuffer():
            kept = writer.rules.unknown_tags == "kept"
            _append_tags(writer, {}, _unknown_tags(writer, value, (), path) if kept else {})
        case OptionalBuffer():
            append_buffer(writer, buffered(_unknown_tags(writer, value, (), path, MAX_OPTIONAL), path))


def complete(node: Node, value: Any) -> Any:
    """`value` with every missing key at its default, at all depths. A value of another type is returned as it is."""
    match node:
        case Struct() if isinstance(value, Mapping):
            filled = {field.name: complete(field.node, _field_value(field, value)) for field in node.fields}
            surplus = {key: item for key, item in value.items() if key not in filled}
            return filled | surplus
        case Array(element=Primitive()) if isinstance(value, (list, tuple)):
            return list(value)
        case Array() if isinstance(value, (list, tuple)):
            return [complete(node.element, item) for item in value]
    return value


# --- Arrays -----------------------------------------------------------------------------------------------------------


def _read_array(node: Array, reader: Reader) -> list[Any] | None:
    start = reader.pos
    if node.compact:
        count = read_compact_length(reader, "count", node.nullable)
    else:
        count = read_classic_length(reader, read_int32, "count", node.nullable)
    if count is None:
        return None
    if count > POLICY_ELEMENTS and reader.rules.policy_limits == "kafka-4.4":
        raise reader.error(Reason.RESOURCE_LIMIT, f"{count} elements; Kafka reads {POLICY_ELEMENTS}", start)
    element, steps = node.element, reader.steps
    values = []
    steps.append(0)
    for index in range(count):
        steps[-1] = index
        values.append(element.read(reader) if isinstance(element, Primitive) else _read(element, reader))
    steps.pop()
    return values


def _append_array(node: Array, writer: Writer, value: Any, path: str) -> None:
    if value is None:
        if not node.nullable:
            raise EncodeError(Reason.NULL_NOT_ALLOWED, "this array has no null", path)
        elements: Sequence[Any] = ()
        count = None
    elif isinstance(value, (list, tuple)):
        elements, count = value, len(value)
    else:
        raise EncodeError(Reason.OUT_OF_RANGE, f"an array takes a list, not a {type(value).__name__}", path)
    if node.compact:
        append_compact_length(writer, count, "count")
    else:
        append_int32(writer, -1 if count is None else count)
    for index, element in enumerate(elements):
        append(node.element, writer, element, f"{path}[{index}]")


def _read_pair(node: PlannedPair, reader: Reader) -> tuple[Any, Any]:
    steps = reader.steps
    steps.append(node.first.name)
    first = _read(node.first.node, reader)
    steps[-1] = node.second.name
    second = _read(node.second.node, reader)
    steps.pop()
    return first, second


def _append_pair(node: PlannedPair, writer: Writer, value: Any, path: str) -> None:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        names = f"{node.first.name} and {node.second.name}"
        raise EncodeError(Reason.OUT_OF_RANGE, f"a pair takes a list of two, {names}, not {shown(value)}", path)
    for field, item in zip((node.first, node.second), value, strict=True):
        append(field.node, writer, item, join(path, field.name))


# --- Structures -------------------------------------------------------------------------------------------------------


def _read_struct(node: Struct, reader: Reader) -> dict[str, Any] | None:
    if node.marker != "none" and not _read_marker(node, reader):
        return None
    value = _unread(node, reader) if node.tagged else {}
    unknown = read_buffer(reader, node.tagged, value, _read) if node.optional else []
    steps = reader.steps
    steps.append("")
    for field in node.plain:
        steps[-1] = field.name
        inner = field.node  # mostly a primitive, which is read directly
        value[field.name] = inner.read(reader) if isinstance(inner, Primitive) else _read(inner, reader)
    steps.pop()
    if node.flexible:
        unknown = _read_tags(node, reader, value)
    if unknown and reader.rules.unknown_tags == "kept":
        value["_tags"] = unknown
    return value


def _unread(node: Struct, reader: Reader) -> dict[str, Any]:
    """All fields in schema order, at their defaults: a tagged field that is not on the wire keeps its default, an
    object that no other value shares."""
    rules = reader.rules
    return {field.name: None if field.tag is None else absent(field, rules) for field in node.fields}


def _read_marker(node: Struct, reader: Reader) -> bool:
    """Whether a nullable structure is there. INT8: −1 null, 1 present; in a tag: 0, 1 (R-K-9 ‡, other: the sign;
    minus-1: what is not null is there)."""
    start = reader.pos
    if node.marker == "int8":
        marker, null = read_int8(reader, "marker"), -1
    else:
        marker, null = read_unsigned_varint(reader, "marker"), 0
    if reader.rules.struct_marker == "sign":
        return marker >= 0 if null else 0 < marker < 2**31  # held in a signed integer
    if reader.rules.struct_marker == "minus-1":
        return marker != null
    if marker not in (null, 1):
        raise reader.error(Reason.INVALID_MARKER, f"marker {marker}; {null} (null) or 1 (present) is expected", start)
    return marker == 1


def _append_struct(node: Struct, writer: Writer, value: Any, path: str) -> None:
    if value is None and node.marker != "none":
        (append_int8 if node.marker == "int8" else append_unsigned_varint)(writer, -1 if node.marker == "int8" else 0)
        return
    if not isinstance(value, Mapping):
        _refuse_no_struct(node, value, path)
    if node.marker != "none":
        append_int8(writer, 1)  # 01 as an unsigned varint too
    _check_keys(node, value, path, writer.rules)
    if node.optional:
        _append_optional(node, writer, value, path)
    for field in node.plain:
        append(field.node, writer, _field_value(field, value), join(path, field.name))
    writer.path = path
    if node.optional:
        return
    unknown = _own_unknown_tags(node, writer, value, join(path, "_tags"))
    if node.flexible:
        _append_tags(writer, _known_tags(node, writer, value, path), unknown)
    elif unknown and writer.rules.field_not_in_version != "left-out":
        raise EncodeError(Reason.TAGS_NOT_ALLOWED, f"{node.name} has no tags in this version", join(path, "_tags"))


def _append_optional(node: Struct, writer: Writer, value: Mapping[str, Any], path: str) -> None:
    """The optional-field buffer: known fields that do not equal what their absence stands for (R-482-16 ‡, other: all),
    and unknown ones (R-482-8 ‡, other: dropped)."""
    unknown = _own_unknown_tags(node, writer, value, join(path, "_tags"))
    append_buffer(writer, {**_known_tags(node, writer, value, path), **unknown})


def _refuse_no_struct(node: Struct, value: Any, path: str) -> NoReturn:
    if value is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, f"the structure {node.name} has no null here", path)
    raise EncodeError(Reason.OUT_OF_RANGE, f"{node.name} takes a mapping, not a {type(value).__name__}", path)


def _field_value(field: PlannedField, value: Mapping[str, Any]) -> Any:
    return value.get(field.name, field.default)


def _check_keys(node: Struct, value: Mapping[str, Any], path: str, rules: Rules) -> None:
    """Each key has to be a field of this version, or of another version if it is ignorable or at its default
    (R-K-13 ‡, omits, and R-482-14 ‡, other: whatever its value is; R-K-13, refuses: none)."""
    known = {field.name for field in node.fields}
    for key, item in value.items():
        if key in known or key == "_tags":
            continue
        if key not in node.foreign:
            raise EncodeError(Reason.UNKNOWN_FIELD, f"{node.name} has no field {shown(key)} in any version", path)
        default, ignorable = node.foreign[key]
        if rules.field_not_in_version == "left-out":
            continue
        if rules.field_not_in_version == "refused" or not (ignorable or _at_default(item, default, rules)):
            detail = f"this version has no {key}, and its value is not the default"
            raise EncodeError(Reason.FIELD_NOT_IN_VERSION, detail, join(path, key))


def _at_default(value: Any, default: Any, rules: Rules) -> bool:
    """Whether a value equals its default: structures field by field (R-K-14), without the unknown tags that are not
    written (R-K-3), floats bit by bit, and True is not 1."""
    match default:
        case dict():
            return isinstance(value, Mapping) and all(
                key in default and _at_default(item, default[key], rules)
                for key, item in value.items()
                if key != "_tags" or not (item is None or rules.unknown_tags == "dropped" or item == [])
            )
        case list():  # an array's default is empty
            return isinstance(value, (list, tuple)) and not value
        case bytes():
            return isinstance(value, (bytes, bytearray, memoryview)) and bytes(value) == default
        case float():
            if not isinstance(value, float):
                return False
            by_number = rules.float_default == "number" and value == default
            return by_number or struct.pack(">d", value) == struct.pack(">d", default)
        case bool() | None:
            return value is default
    return isinstance(value, type(default)) and not isinstance(value, bool) and bool(value == default)


# --- Tag buffers ------------------------------------------------------------------------------------------------------


def _read_tags(node: Struct | None, reader: Reader, value: dict[str, Any]) -> list[tuple[int, bytes]]:
    """A tag buffer: known fields are put into `value`, unknown tags are returned in wire order.

    Tags ascend (R-K-1 ‡, other: any order; map: any order, the last of equal tags counts, and they are returned in
    ascending order). A tag of other versions is an unknown one (R-K-4 ‡, other: refused).
    """
    reader.steps.append("_tags")
    start = reader.pos
    count = read_unsigned_varint(reader, "tag count")
    if not count:  # most are empty
        reader.steps.pop()
        return []
    if count > reader.end - reader.pos:
        raise reader.error(Reason.TRUNCATED, f"{count} tags, but {reader.remaining} bytes are left", start)
    if count > POLICY_TAGS and reader.rules.policy_limits == "kafka-4.4":
        raise reader.error(Reason.RESOURCE_LIMIT, f"{count} tags; Kafka reads {POLICY_TAGS}", start)
    unknown: list[tuple[int, bytes]] = []
    previous = -1
    for _ in range(count):
        at = reader.pos
        tag = read_unsigned_varint(reader, "tag")
        if tag <= previous and reader.rules.tag_order == "ascending":
            raise _not_ascending(reader, tag, previous, at)
        previous = tag
        field = node.tagged.get(tag) if node else None
        if field is not None:
            value[field.name] = _read_known(field, reader)
            reader.steps[-1] = "_tags"
        else:
            if node and tag in node.foreign_tags and reader.rules.foreign_tags == "refused":
                detail = f"tag {tag} of {node.name} is not valid in this version"
                raise reader.error(Reason.UNSUPPORTED_VERSION, detail, at)
            unknown.append((tag, _read_unknown(reader)))
    reader.steps.pop()
    return sorted(dict(unknown).items()) if reader.rules.tag_order == "map" else unknown


def _not_ascending(reader: Reader, tag: int, previous: int, at: int) -> DecodeError:
    if tag == previous:
        return reader.error(Reason.TAG_DUPLICATE, f"tag {tag} stands twice", at)
    return reader.error(Reason.TAG_ORDER, f"tag {tag} comes after tag {previous}; tags ascend", at)


def _read_size(reader: Reader) -> int:
    start = reader.pos
    size = read_unsigned_varint(reader, "tag size")
    if size > reader.end - reader.pos:
        raise reader.error(Reason.TRUNCATED, f"tag size {size}, but {reader.remaining} bytes are left", start)
    return size


def _read_unknown(reader: Reader) -> bytes:
    size = _read_size(reader)
    start = reader.pos
    data = reader.take(size, start, "tag data")
    if size:
        reader.note(start, "unknown tag's data", data)
    return data


def _read_known(field: PlannedField, reader: Reader) -> Any:
    """A known tag's value, which has to fill its size (R-K-2 ‡, other: reading goes on after the value)."""
    if reader.rules.tag_size == "ignored":
        read_unsigned_varint(reader, "tag size")
        reader.steps[-1] = field.name
        return _read(field.node, reader)
    start = reader.pos
    size = _read_size(reader)
    reader.steps[-1] = field.name
    window = reader.window(size)
    value = _read(field.node, window)
    window.demand_end(Reason.LENGTH_MISMATCH, "the tag's value", start)
    return value


def _unknown_tags(
    writer: Writer, value: Any, known: Container[int], path: str, highest: int = MAX_TAG
) -> dict[int, bytes]:
    """`_tags`, checked: pairs in ascending order, no tag twice (R-K-1w), none of them known. Under R-K-1's reading map
    they are sorted, and the last of equal tags counts."""
    is_map = writer.rules.tag_order == "map"
    if value is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, "a tag buffer has no null", path)
    if not isinstance(value, (list, tuple)):
        raise EncodeError(Reason.OUT_OF_RANGE, f"tags are a list of pairs, not a {type(value).__name__}", path)
    tags: dict[int, bytes] = {}
    previous = -1
    for entry in value:
        match entry:
            case (int(tag), bytes() | bytearray() | memoryview() as data) if not isinstance(tag, bool):
                pass
            case _:
                raise EncodeError(Reason.OUT_OF_RANGE, "a tag is a pair of an integer and bytes", path)
        if not 0 <= tag <= highest:
            raise EncodeError(Reason.OUT_OF_RANGE, f"tag {shown(tag)} is outside 0 to {highest}", path)
        if tag in known:
            raise EncodeError(Reason.KNOWN_TAG, f"tag {tag} in _tags is a field of this structure", path)
        if tag in tags and not is_map:
            raise EncodeError(Reason.TAG_DUPLICATE, f"tag {tag} is given twice", path)
        if tag < previous and not is_map:
            raise EncodeError(Reason.TAG_ORDER, f"tag {tag} is given after tag {previous}; tags ascend", path)
        if tag >= 2**31 - 1 and writer.rules.tag_numbers == "signed":
            raise EncodeError(Reason.OUT_OF_RANGE, f"tag {tag} is beyond a signed 32-bit integer", path)
        tags[tag] = bytes(data)
        previous = tag
    return dict(sorted(tags.items())) if is_map else tags


def _own_unknown_tags(node: Struct, writer: Writer, value: Mapping[str, Any], path: str) -> Mapping[int, bytes]:
    """The unknown tags of a structure, checked; under R-K-3's and R-482-8's other reading none, whatever they are."""
    if writer.rules.unknown_tags == "dropped":
        return {}
    tags = value.get("_tags")
    highest = MAX_OPTIONAL if node.optional else MAX_TAG
    unknown = _unknown_tags(writer, [] if tags is None else tags, node.tagged, path, highest)
    if node.optional:
        buffered(unknown, path)
    return unknown


def _known_tags(node: Struct, writer: Writer, value: Mapping[str, Any], path: str) -> dict[int, bytes]:
    """Tagged fields that do not equal their default (R-K-8 ‡, other: all; R-K-14 ‡, other: all structures too)."""
    rules = writer.rules
    tags = {}
    for tag, field in node.tagged.items():
        item = _field_value(field, value)
        sent = rules.tag_at_default == "sent" or (rules.tag_at_default != "left-out" and isinstance(field.node, Struct))
        if not sent and _at_default(item, absent(field, rules), rules):
            continue
        inner = writer.inner()
        append(field.node, inner, item, join(path, field.name))
        tags[tag] = bytes(inner.out)
    return tags


def _append_tags(writer: Writer, known: Mapping[int, bytes], unknown: Mapping[int, bytes]) -> None:
    append_unsigned_varint(writer, len(known) + len(unknown))
    for tag, data in sorted({**known, **unknown}.items()):
        append_unsigned_varint(writer, tag)
        append_unsigned_varint(writer, len(data))
        writer.out += data
