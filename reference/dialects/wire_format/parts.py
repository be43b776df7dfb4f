"""The building blocks of the proposals' layouts: each part reads, writes and completes its values.

[x]         => count:INT16 *x               ; R-WF-2: negative is malformed
string      => length:INT16 UTF-8           ; R-WF-9 ‡: no null; other: −1 is null
message_set => set_size:INT32 message_set   ; R-WF-3
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from wireproof.reference.codec import Codec
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.wire_format import values
from wireproof.reference.dialects.wire_format.messages import append_message_set, read_message_set
from wireproof.reference.errors import EncodeError, Reason, join
from wireproof.reference.peers import framing
from wireproof.reference.primitives import (
    TEXT,
    Primitive,
    append_int16,
    append_int32,
    read_classic_length,
    read_int16,
    read_int32,
)
from wireproof.reference.records.fields import check_keys, sequence
from wireproof.reference.rules import Rules
from wireproof.reference.schema import shapes

MAX_COUNT = 2**15 - 1
_TWICE = "this name was there before"


class Part(Protocol):
    """One kind of value. The cursor knows its path."""

    def read(self, reader: Reader) -> Any:
        """Raises DecodeError."""
        ...

    def append(self, writer: Writer, value: Any) -> None:
        """Raises EncodeError."""
        ...

    def complete(self, value: Any) -> Any:
        """The value with every missing key at its default."""
        ...

    @property
    def default(self) -> Any:
        """What a missing key stands for."""
        ...

    @property
    def shape(self) -> shapes.Shape:
        """The values of the part, for generated cases."""
        ...


@dataclass(frozen=True, slots=True)
class Scalar:
    """A primitive of fixed width."""

    primitive: Primitive

    def read(self, reader: Reader) -> Any:
        return self.primitive.read(reader)

    def append(self, writer: Writer, value: Any) -> None:
        self.primitive.append(writer, value)

    def complete(self, value: Any) -> Any:
        return value

    @property
    def default(self) -> Any:
        return self.primitive.default

    @property
    def shape(self) -> shapes.Shape:
        return shapes.signed(int(self.primitive.name.removeprefix("INT")))


@dataclass(frozen=True, slots=True)
class Fixed:
    """An INT16 that is always one number; any other is refused with this reason."""

    number: int
    reason: Reason
    what: str

    def read(self, reader: Reader) -> int:
        start = reader.pos
        value = read_int16(reader)
        if value != self.number:
            raise reader.error(self.reason, self._detail(value), start)
        return value

    def append(self, writer: Writer, value: Any) -> None:
        append_int16(writer, value)
        if value != self.number:
            raise EncodeError(self.reason, self._detail(value), writer.path)

    def _detail(self, value: int) -> str:
        return f"{self.what} {value}; {self.number} is expected"

    def complete(self, value: Any) -> Any:
        return value

    @property
    def default(self) -> int:
        return self.number

    @property
    def shape(self) -> shapes.Shape:
        return shapes.Constant(self.number)


@dataclass(frozen=True, slots=True)
class StringPart:
    """A string, whose length is never negative (R-WF-9 ‡, other: any negative length is null)."""

    def read(self, reader: Reader) -> str | None:
        text: str | None = TEXT.read(reader)
        return text

    def append(self, writer: Writer, value: Any) -> None:
        TEXT.append(writer, value)

    def complete(self, value: Any) -> Any:
        return value

    @property
    def default(self) -> str:
        return ""

    @property
    def shape(self) -> shapes.Shape:
        return shapes.Text()


@dataclass(frozen=True, slots=True)
class Several:
    """A count, and as many elements. `beside`: another array, which has the same number of elements. `named_by`: the
    field that names an element; "": the element itself is the name (R-WF-21 ‡)."""

    element: Part
    beside: str | None = None
    named_by: str | None = None

    def read(self, reader: Reader, expected: int | None = None) -> list[Any]:
        start = reader.pos
        count = read_classic_length(reader, read_int16, "count", False) or 0
        if expected not in (None, count):
            detail = f"count {count}, but there are {expected} {self.beside}"
            raise reader.error(Reason.COUNT_MISMATCH, detail, start)
        value: list[Any] = []
        names: set[Any] = set()
        reader.steps.append(0)
        for index in range(count):
            reader.steps[-1] = index
            at = reader.pos
            value.append(self.element.read(reader))
            if self._named_before(value[-1], names, reader.rules):
                raise reader.error(Reason.KEY_DUPLICATE, _TWICE, at)
        reader.steps.pop()
        return value

    def _named_before(self, element: Any, names: set[Any], rules: Rules) -> bool:
        """Whether `names` has the element's name, which is added, and that counts."""
        if self.named_by is None or rules.named_twice == "taken":
            return False
        name = element[self.named_by] if self.named_by else element
        there = name in names
        names.add(name)
        return there

    def append(self, writer: Writer, value: Any) -> None:
        path = writer.path
        elements = sequence(value, path)
        if len(elements) > MAX_COUNT:
            raise EncodeError(Reason.OUT_OF_RANGE, f"{len(elements)} elements; a count is at most {MAX_COUNT}", path)
        append_int16(writer, len(elements))
        names: set[Any] = set()
        for index, element in enumerate(elements):
            writer.path = f"{path}[{index}]"
            self.element.append(writer, element)
            if self._named_before(self.element.complete(element), names, writer.rules):
                raise EncodeError(Reason.KEY_DUPLICATE, _TWICE, f"{path}[{index}]")

    def complete(self, value: Any) -> Any:
        return [self.element.complete(item) for item in value] if isinstance(value, (list, tuple)) else value

    @property
    def default(self) -> list[Any]:
        return []

    @property
    def shape(self) -> shapes.Shape:
        return shapes.Items(self.element.shape)


@dataclass(frozen=True, slots=True)
class MessageSet:
    """A message set. `sized`: its size stands before it; else it goes on to the reader's end. `produced`: it is part of
    a ProduceRequest (R-WF-19 ‡)."""

    sized: bool = True
    produced: bool = False

    def read(self, reader: Reader) -> list[dict[str, Any]]:
        if not self.sized:
            return read_message_set(reader)
        start = reader.pos
        size = read_int32(reader, "set size")
        if size < 0:
            raise reader.error(Reason.NEGATIVE_LENGTH, f"set size {size} is negative", start)
        if size > reader.remaining:
            raise reader.error(Reason.TRUNCATED, f"set size {size}, but {reader.remaining} bytes are left", start)
        checked = reader.rules.message_crc == "read"
        return read_message_set(reader.window(size), whole=self._whole(reader.rules), checked=checked)

    def _whole(self, rules: Rules) -> bool:
        return self.produced and rules.partial_message == "refused-produced"

    def append(self, writer: Writer, value: Any) -> None:
        if not self.sized:
            append_message_set(writer, value, writer.path)
            return
        inner = writer.inner()
        append_message_set(inner, value, writer.path, whole=self._whole(writer.rules))
        append_int32(writer, len(inner.out))
        writer.out += inner.out

    def complete(self, value: Any) -> Any:
        """The value itself: keys of messages have no defaults."""
        return value

    @property
    def default(self) -> list[Any]:
        return []

    @property
    def shape(self) -> shapes.Shape:
        return values.MESSAGE_SET


@dataclass(frozen=True, slots=True)
class NamedParts:
    """Named parts, one after the other."""

    parts: Mapping[str, Part]

    def read(self, reader: Reader) -> dict[str, Any]:
        return self.read_in(reader, tuple(self.parts))

    def read_in(self, reader: Reader, order: tuple[str, ...]) -> dict[str, Any]:
        """Reads the fields in this order."""
        value: dict[str, Any] = {}
        steps = reader.steps
        steps.append("")
        for name in order:
            steps[-1] = name
            part = self.parts[name]
            if isinstance(part, Several) and part.beside is not None:
                value[name] = part.read(reader, len(value[part.beside]))
            else:
                value[name] = part.read(reader)
        steps.pop()
        return {name: value[name] for name in self.parts}

    def append(self, writer: Writer, value: Any) -> None:
        self.append_in(writer, value, tuple(self.parts))

    def append_in(self, writer: Writer, value: Any, order: tuple[str, ...]) -> None:
        """Appends the fields in this order."""
        path = writer.path
        check_keys(value, self.parts, path)
        for name in order:
            part = self.parts[name]
            item = value.get(name, part.default)
            writer.path = join(path, name)
            if isinstance(part, Several) and part.beside is not None:
                beside = sequence(value.get(part.beside, []), join(path, part.beside))
                if len(sequence(item, writer.path)) != len(beside):
                    detail = f"{len(item)} {name}, but {len(beside)} {part.beside}"
                    raise EncodeError(Reason.COUNT_MISMATCH, detail, writer.path)
            part.append(writer, item)
        writer.path = path

    def complete(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        filled = {name: part.complete(value.get(name, part.default)) for name, part in self.parts.items()}
        return filled | {key: item for key, item in value.items() if key not in filled}

    @property
    def default(self) -> dict[str, Any]:
        return {name: part.default for name, part in self.parts.items()}

    @property
    def shape(self) -> shapes.Shape:
        """Arrays of equal length are drawn as one array of tuples."""
        rows: dict[str, dict[str, shapes.Shape]] = {}
        several = {name: part for name, part in self.parts.items() if isinstance(part, Several)}
        for name, part in several.items():
            if part.beside is not None:
                first = several[part.beside].element.shape
                rows.setdefault(part.beside, {part.beside: first})[name] = part.element.shape
        columns = {name for row in rows.values() for name in row}
        drawn = {name: part.shape for name, part in self.parts.items() if name not in columns}
        together = {name: shapes.Items(shapes.Fields(row)) for name, row in rows.items()}
        return shapes.Made(shapes.Fields(drawn | together), functools.partial(_apart, rows))


def _apart(rows: Mapping[str, Iterable[str]], drawn: dict[str, Any]) -> dict[str, Any]:
    """Splits each array of rows into one array per column."""
    columns = {column: [row[column] for row in drawn[name]] for name, row in rows.items() for column in row}
    return drawn | columns


@dataclass(frozen=True, slots=True)
class FramePart:
    """A size, which does not count itself, and fields. `section`: the fields' order in the page's section on this
    message, where it differs (R-WF-1 ‡)."""

    fields: NamedParts
    section: tuple[str, ...] | None = None

    def read(self, reader: Reader) -> dict[str, Any]:
        order = self._order(reader.rules)
        return framing.read_frame(reader, lambda inside: self._inside(inside, order))

    def _inside(self, reader: Reader, order: tuple[str, ...]) -> dict[str, Any]:
        reader.path = ""
        return self.fields.read_in(reader, order)

    def append(self, writer: Writer, value: Any) -> None:
        framing.append_frame(writer, lambda inside: self.fields.append_in(inside, value, self._order(writer.rules)))

    def _order(self, rules: Rules) -> tuple[str, ...]:
        if self.section is not None and rules.fetch_request_order == "section":
            return self.section
        return tuple(self.fields.parts)

    def complete(self, value: Any) -> Any:
        return self.fields.complete(value)

    @property
    def default(self) -> dict[str, Any]:
        return self.fields.default

    @property
    def shape(self) -> shapes.Shape:
        return self.fields.shape


@dataclass(frozen=True, slots=True)
class PartCodec(Codec):
    """A part alone, as a type of the dialect."""

    part: Part

    def read(self, reader: Reader) -> Any:
        return self.part.read(reader)

    def append(self, writer: Writer, value: Any) -> None:
        self.part.append(writer, value)

    def complete(self, value: Any) -> Any:
        return self.part.complete(value)

    @property
    def shape(self) -> shapes.Shape:
        return self.part.shape
