"""The source of one generated function, and the exceptions that it may raise; both generators use it.

Only source that this package makes from a validated plan is executed: names are literals through repr, everything else
is fixed text and numbers.
"""

from __future__ import annotations

import itertools
import struct
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from wireproof.reference.primitives import Primitive
from wireproof.reference.schema.plan import Array, Node, Struct

#: Numbers and booleans: their letter in the struct module, and their width in bytes.
FIXED = {
    "BOOLEAN": ("?", 1),
    "INT8": ("b", 1),
    "INT16": ("h", 2),
    "INT32": ("i", 4),
    "INT64": ("q", 8),
    "UINT16": ("H", 2),
    "UINT32": ("I", 4),
    "FLOAT64": ("d", 8),
}
#: Lengths below this have a cached struct each. As varints they have one byte.
SHORT = 128


class NotPlain(Exception):  # noqa: N818 (no error: the readable codec takes over)
    """This is not the common case, though perhaps legal: `message.py` decides."""


class Fault(Exception):  # noqa: N818 (`message.py` raises the error)
    """This is refused under the demanded readings: `message.py` finds the reason and the offset."""


#: The exceptions of generated source for bytes or values that are not the common case.
GIVES_UP = (NotPlain, Fault, IndexError, KeyError, AttributeError, TypeError, ValueError, OverflowError, struct.error)


class Source:
    """Lines of one generated function, and the names that it may use."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        """`names`: objects that the source may use."""
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "Fault": Fault,
            "NotPlain": NotPlain,
            "UUID": uuid.UUID,
            **names,
        }
        self._depth = 1
        self._numbers = itertools.count()

    def line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The lines inside are indented under `head`."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def fresh(self) -> str:
        """A new name."""
        return f"x{next(self._numbers)}"

    def constant(self, value: Any) -> str:
        """A name for a value that source can't hold."""
        name = self.fresh()
        self.names[name] = value
        return name

    def function(self, head: str) -> Callable[..., Any]:
        """The function, compiled."""
        source = "\n".join([head, *self.lines])
        # The source is this module's own text, numbers and reprs of a validated schema's names.
        exec(compile(source, "<generated from a plan>", "exec"), self.names)  # noqa: S102
        made: Callable[..., Any] = self.names["generated"]
        return made

    def literal(self, value: Any) -> str:
        """Source for a fresh copy of a default."""
        match value:
            case None | bool() | int() | str() | bytes():
                return repr(value)
            case list():
                assert not value  # an array's default is empty
                return "[]"
            case dict():
                return "{" + ", ".join(f"{key!r}: {self.literal(item)}" for key, item in value.items()) + "}"
        return self.constant(value)


#: A UUID refuses to be changed, but its slots do not.
_set_int, _set_is_safe = (vars(uuid.UUID)[slot].__set__ for slot in ("int", "is_safe"))
_new, _from_bytes, _UNKNOWN = object.__new__, int.from_bytes, uuid.SafeUUID.unknown


def make_uuid(data: bytes) -> uuid.UUID:
    """UUID(bytes=data) for 16 bytes, but faster: UUID would check five other arguments."""
    made = _new(uuid.UUID)
    _set_int(made, _from_bytes(data))
    _set_is_safe(made, _UNKNOWN)
    return made


def letter(node: Node) -> str:
    """The struct format of a primitive of a fixed width."""
    assert isinstance(node, Primitive)
    return "16s" if node.name == "UUID" else FIXED[node.name][0]


def is_fixed(node: Node) -> bool:
    """Whether it is a primitive of a fixed width."""
    return isinstance(node, Primitive) and (node.name in FIXED or node.name == "UUID")


def is_number(node: Node) -> bool:
    """Whether the struct module can unpack any number of it at once."""
    return isinstance(node, Primitive) and node.name in FIXED


def lead_letter(node: Node) -> str:
    """The struct letter of a node's length, count or marker (of a varint, its first byte); empty without one."""
    match node:
        case Array(compact=compact):
            return "B" if compact else "i"
        case Struct(marker=marker):
            return "" if marker == "none" else "B"
        case Primitive(name=name) if not is_fixed(node):
            return "B" if name.startswith("COMPACT") else "h" if name.endswith("STRING") else "i"
    return ""


def is_nullable(node: Node) -> bool:
    """Whether a node that begins with a length may be null."""
    return node.nullable if isinstance(node, Array) else isinstance(node, Primitive) and "NULLABLE" in node.name


def made(node: Node, unpacked: str) -> str:
    """Source for the value of a fixed-width primitive, from the object that the struct module returns."""
    return f"uuid({unpacked})" if isinstance(node, Primitive) and node.name == "UUID" else unpacked
