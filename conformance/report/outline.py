"""A structure's spans as an outline: one row for each field, under headings for its structures and array elements.

`hexview.span_rows` gives each span its own row, which is good for a vector of a few bytes. Here spans that belong
together share a row: a text and its length, an array of numbers and its count, an unknown tag, its number and its size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from wireproof.conformance.report.hexview import Row, rest_label
from wireproof.conformance.report.text import brief, safe
from wireproof.reference.cursor import Span

#: The maximum width of the column of names.
_WIDEST_NAME = 34
#: The maximum length of a value in a row, in characters.
_VALUE = 72
_TAGS = "_tags"
#: The name of the length of an optional field (kip-482-v1).
_LENGTH = "FieldLength"
#: Stands for a missing value: the bytes were refused.
_UNKNOWN = object()


@dataclass(slots=True)
class _Node:
    """A field, an element, a structure, a tag buffer or a tag: its own spans, and its children in byte order."""

    path: str
    label: str
    kind: Literal["field", "tags", "tag"] = "field"
    spans: list[Span] = field(default_factory=list)
    children: list[_Node] = field(default_factory=list)


def is_structure(spans: Sequence[Span]) -> bool:
    """Whether the spans are those of named fields, and not of a simple type."""
    return any(span.path and not span.path.startswith(("[", _TAGS)) for span in spans)


def outline_rows(
    spans: Sequence[Span],
    data: bytes,
    *,
    start: int = 0,
    value: Any = _UNKNOWN,
    notes: Mapping[str, str] | None = None,
) -> list[Row]:
    """Rows for the bytes from `start` to the end of `data`; `spans` (offsets into `data`) name the bytes.

    `value`: the decoded value, from which fields without a sent tag are shown; leave it out for refused bytes.
    `notes`: path → text beside its heading. Bytes after the last span get a last row.
    """
    rows: list[Row] = []
    _Writer(data, rows, notes or {}).inside(_tree(spans), 0, value)
    covered = max((span.end for span in spans), default=start)
    if covered < len(data):
        rows.append(Row(covered, data[covered:], rest_label(spans)))
    return rows


def _tree(spans: Sequence[Span]) -> _Node:
    """The spans as a tree. A known tag's field belongs to its tag; an unknown tag's bytes are the tag's own."""
    nodes = {"": _Node("", "")}
    latest_tag: dict[str, _Node] = {}  # structure → its last tag so far

    def at(path: str) -> _Node:
        node = nodes.get(path)
        if node is None:
            above = path[: path.rindex("[")] if path.endswith("]") else path.rpartition(".")[0]
            node = nodes[path] = _Node(path, path[len(above) :].removeprefix("."))
            if node.label == _TAGS:
                node.kind = "tags"
            parent = latest_tag.get(above)
            (at(above) if parent is None else parent).children.append(node)
        return node

    for span in spans:
        node = at(span.path)
        if node.kind == "tags" and span.what != "tag count":
            owner = span.path.removesuffix(_TAGS).removesuffix(".")
            if span.what == _LENGTH and span.value == 0:  # the end of an optional-field buffer
                latest_tag.pop(owner, None)
                node.children.append(_Node(span.path, "end", "tag", [span]))
                continue
            if span.what == _LENGTH:  # of an optional field, before its tag
                latest_tag[owner] = _Node(span.path, "tag", "tag")
                node.children.append(latest_tag[owner])
            elif span.what == "tag" and owner in latest_tag and _is_length(latest_tag[owner].spans):
                latest_tag[owner].label = f"tag {span.value}"
            elif span.what == "tag":
                latest_tag[owner] = _Node(span.path, f"tag {span.value}", "tag")
                node.children.append(latest_tag[owner])
            node = latest_tag[owner]
        node.spans.append(span)
    return nodes[""]


@dataclass(slots=True)
class _Writer:
    data: bytes
    rows: list[Row]
    notes: Mapping[str, str]

    def inside(self, node: _Node, depth: int, value: Any) -> None:
        """The rows of a node's content; `value` is the node's, or that of the structure to which a tag belongs."""
        names = [len(child.label) for child in node.children if child.spans]
        column = max((length for length in names if length <= _WIDEST_NAME), default=_WIDEST_NAME)
        for child in node.children:
            inner = value if child.kind != "field" else _part(value, child.label)
            if self._row(child, depth, column):
                self.inside(child, depth + 1, inner)
            if child.kind == "tags" and isinstance(inner, Mapping):
                self._absent(node, child, inner, depth, column)

    def _row(self, node: _Node, depth: int, column: int) -> bool:
        """Add the node's row or heading. Returns whether its children need rows too."""
        if not node.spans:
            label = node.path.removeprefix("body.").removeprefix("header.")
            self.rows.append(Row(None, b"", safe(label), what=self.notes.get(node.path, ""), depth=depth))
            return True
        plain = _is_plain_array(node)
        value, what = _plain_array(node) if plain else _said(node)
        start, end = node.spans[0].start, (node.children[-1] if plain else node).spans[-1].end
        row = Row(start, self.data[start:end], safe(node.label), what, value, depth, safe(node.path), column)
        self.rows.append(row)
        return not plain

    def _absent(self, owner: _Node, tags: _Node, value: Mapping[str, Any], depth: int, column: int) -> None:
        """Add a row for the tagged fields that were not sent: they have their defaults."""
        sent = {field.label for field in owner.children}
        sent |= {field.label for tag in tags.children for field in tag.children}
        absent = [f"{name}: {brief(item, _VALUE)}" for name, item in value.items() if name not in sent]
        if absent:
            self.rows.append(
                Row(None, b"", "(not sent)", "default", ", ".join(absent), depth, safe(owner.path), column)
            )


def _part(value: Any, label: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(label, _UNKNOWN)
    if isinstance(value, (list, tuple)) and label.startswith("["):
        return value[int(label[1:-1])]
    return _UNKNOWN


def _is_plain_array(node: _Node) -> bool:
    """Whether this is an array with one span for each element, such as an array of numbers."""
    return bool(node.children) and all(
        child.label.startswith("[") and len(child.spans) == 1 and not child.children and not _is_prefix(child.spans[0])
        for child in node.children
    )


def _is_prefix(span: Span) -> bool:
    return span.what.startswith(("length", "count", "marker"))


def _plain_array(node: _Node) -> tuple[str, str]:
    prefix, elements = node.spans[0], node.children
    count = _count(prefix) or 0
    read = f"{len(elements)}" if len(elements) == count else f"{len(elements)} of {count}"
    shown = brief([child.spans[0].value for child in elements], _VALUE)
    return shown, f"{read} × {elements[0].spans[0].what}, {prefix.what}: {prefix.value}"


def _count(prefix: Span) -> int | None:
    """The number that a length or count means; None is null."""
    number = int(prefix.value) - (1 if prefix.what.endswith("+ 1") else 0)
    return None if number < 0 else number


def _said(node: _Node) -> tuple[str, str]:
    """The value of a node, and the kind of its bytes."""
    first, last = node.spans[0], node.spans[-1]
    if node.kind == "tags":
        return ("none", "") if first.value == 0 else (str(first.value), first.what)
    if node.kind == "tag":
        return _tag_said(node)
    if not _is_prefix(first):
        return (str(last.value) if isinstance(last.value, UUID) else brief(last.value, _VALUE)), safe(last.what)
    what = f"{first.what}: {first.value}"
    if first.what == "marker":
        return ("present" if first.value == 1 else "null"), what
    count = _count(first)
    if count is None:
        return "null", what
    if first.what.startswith("count"):
        return f"{count} {'element' if count == 1 else 'elements'}", what
    return (brief(last.value, _VALUE) if last is not first else "empty" if count == 0 else ""), what


def _is_length(spans: Sequence[Span]) -> bool:
    """Whether the spans so far are only an optional field's length, without its tag."""
    return len(spans) == 1 and spans[0].what == _LENGTH


def _tag_said(node: _Node) -> tuple[str, str]:
    length = next((span for span in node.spans if span.what == _LENGTH), None)
    if length is not None:
        said = f"{length.what}: {length.value}"
        if len(node.spans) < 3:
            return "", said
        return brief(node.spans[2].value, _VALUE), f"{said}, {node.spans[2].what}"
    if len(node.spans) == 1:  # the reading ended before its size
        return "", ""
    size = f"{node.spans[1].what}: {node.spans[1].value}"
    if node.children:
        return "", size
    if len(node.spans) > 2:
        return brief(node.spans[2].value, _VALUE), f"{size}, unknown"
    return ("empty", f"{size}, unknown") if node.spans[1].value == 0 else ("", size)
