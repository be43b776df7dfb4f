"""A field that an implementation does not read, if that explains exactly what it does with bytes.

The reference reads the bytes with the layout of the type without one field, or without the byte that says whether a
nullable structure is there. Its answer, or the reason and the offset
of its refusal, has to be the implementation's. The layouts without another field may explain that too: then the place
names them all, and other cases say which one it is.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.compare import equal
from wireproof.reference.codec import Codec, NodeCodec, decode
from wireproof.reference.errors import DecodeError
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Array, Node, PlannedField, Struct

#: The end of the name of such a place.
NOT_READ = ": not read"
_OR = " or "
#: With more fields that may be it, a place says too little.
_MOST = 3


def unread_field(seen: Observation, rules: Rules) -> str:
    """The place of a field that was not read: the first one in whatever message, or another one by its message and
    name; or the marker of structures; of several that explain the observation, all. Empty if none or too many explain
    it."""
    case = seen.case
    refused = seen.status is Status.REJECT and seen.half != "encode" and None not in (seen.reason, seen.offset)
    read = seen.status is Status.ANSWER and case.op is Op.DECODE
    if case.op not in (Op.DECODE, Op.RECODE) or not (refused or read):
        return ""
    layouts = _layouts(case.dialect, case.type or "", case.version)
    names = [layout.place for layout in layouts if _explains(layout, seen, rules)]
    return _OR.join(names) + NOT_READ if 0 < len(names) <= _MOST else ""


def single_places(place: str | None) -> tuple[str, ...]:
    """The places of the fields that such a place names, if they are several."""
    if place is None or not place.endswith(NOT_READ) or _OR not in place:
        return ()
    return tuple(name + NOT_READ for name in place.removesuffix(NOT_READ).split(_OR))


@dataclass(frozen=True, slots=True)
class _Layout:
    """A layout of a message that lacks what is at this place. `field`: the field that it lacks, if that is one."""

    place: str
    codec: NodeCodec
    field: PlannedField | None = None


@functools.lru_cache(1 << 10)
def _layouts(dialect: str, type_name: str, version: int | None) -> Sequence[_Layout]:
    """The layouts of a message without one of its fields that have no tag, in their order, and without markers. None of
    a version that there is not."""
    try:
        codec = reference_codec().dialect(dialect).codec(type_name, version)
    except DecodeError:
        return ()
    match codec:
        case NodeCodec(Struct() as message):
            names = ["first field", *(f"{type_name}.{field.name}" for field in message.plain[1:])]
            layouts = [
                _Layout(name, NodeCodec(_without(message, field)), field)
                for name, field in zip(names, message.plain, strict=False)
            ]
            unmarked = _without_markers(message)
            return layouts if unmarked is message else [*layouts, _Layout("marker", NodeCodec(unmarked))]
    return ()


def _codec_of(case: Case) -> Codec:
    return reference_codec().dialect(case.dialect).codec(case.type or "", case.version)


def _without(message: Struct, field: PlannedField) -> Struct:
    return dataclasses.replace(
        message,
        fields=tuple(one for one in message.fields if one is not field),
        plain=tuple(one for one in message.plain if one is not field),
    )


@overload
def _without_markers(node: Struct) -> Struct: ...
@overload
def _without_markers(node: Node) -> Node: ...
def _without_markers(node: Node) -> Node:
    """The same node, if it has no nullable structure inside."""
    match node:
        case Array():
            element = _without_markers(node.element)
            return node if element is node.element else dataclasses.replace(node, element=element)
        case Struct():
            nodes = [_without_markers(field.node) for field in node.fields]
            if node.marker == "none" and all(new is field.node for new, field in zip(nodes, node.fields, strict=True)):
                return node
            renewed = {
                id(field): dataclasses.replace(field, node=new) for new, field in zip(nodes, node.fields, strict=True)
            }
            return dataclasses.replace(
                node,
                fields=tuple(renewed.values()),
                plain=tuple(renewed[id(field)] for field in node.plain),
                tagged={tag: renewed[id(field)] for tag, field in node.tagged.items()},
                marker="none",
            )
    return node


def _explains(layout: _Layout, seen: Observation, rules: Rules) -> bool:
    """Whether a reader with this layout does the same. The value may lack the field, or have its default there."""
    try:
        value = decode(layout.codec, seen.case.args["data"], rules)
    except DecodeError as error:
        return seen.status is Status.REJECT and (error.reason, error.offset) == (seen.reason, seen.offset)
    if seen.status is not Status.ANSWER or not isinstance(seen.answer, Mapping):
        return False
    answer: dict[str, Any] = {**seen.answer}
    field = layout.field
    if field is not None and answer.pop(field.name, field.default) != field.default:
        return False
    return equal(value, answer) and not (field is not None and _is_all_that_differs(field.name, value, seen, rules))


def _is_all_that_differs(name: str, without: Any, seen: Observation, rules: Rules) -> bool:
    """Whether a value lacks this field, and has all others right: then the field may have been read as another value,
    and bytes behind the message are ignored."""
    try:
        right = decode(_codec_of(seen.case), seen.case.args["data"], rules)
    except DecodeError:
        return False
    return equal(without, {key: item for key, item in right.items() if key != name})
