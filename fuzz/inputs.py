"""Inputs, as the fuzzer changes them and a corpus stores them. The first line names a type or an op, then follow bytes.

    MetadataResponse/12 LF <bytes>        a type with a version
    VARINT/- LF <bytes>                   a type without versions
    serve LF <bytes>                      an op without a type

So a corpus stays valid when types are added or removed, and people can read which type a file is about.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conformance.all_types import types_of
from conformance.model import Case, Description, Op
from fuzz.errors import FuzzError

#: The longest input, in bytes.
LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Form:
    """The subject of an input: a type, its version, and the ops to ask. If `type` is None, `ops` is a single op without
    a type."""

    dialect: str
    type: str | None
    version: int | None
    ops: frozenset[Op]

    @property
    def head(self) -> bytes:
        """The first line, without its line feed."""
        if self.type is None:
            return "".join(self.ops).encode()
        return f"{self.type}/{'-' if self.version is None else self.version}".encode()

    def identifier(self, op: Op, data: bytes, letter: str = "x") -> str:
        """The id of the case with these bytes. The case can be made again from it. `letter`: as in
        `conformance.generated`."""
        version = "-" if self.version is None else self.version
        return f"gen/{self.dialect}/{self.type or '-'}/{version}/{letter}{data.hex()}#{op}"

    def input(self, data: bytes) -> bytes:
        """The input with these bytes."""
        return self.head + b"\n" + data


Forms = Mapping[bytes, Form]


def split(raw: bytes) -> tuple[bytes, bytes]:
    """The head and the bytes of an input. Without a line feed, all of it is the head."""
    head, _, data = raw.partition(b"\n")
    return head, data


def typed(described: Description, dialect: str, ops: Iterable[Op], only: str | None = None) -> Forms:
    """A form for each type and version that both the implementation and the reference offer, with the offered ones of
    `ops`. `only`: just this type. Raises FuzzError if `only` is given and there are none."""
    forms = {}
    for name, version in types_of(dialect):
        if only in (None, name):
            cases = (Case("", op, dialect, name, version) for op in ops)
            offered = frozenset(case.op for case in cases if described.offers(case))
            if offered:
                form = Form(dialect, name, version, offered)
                forms[form.head] = form
    if not forms and only is not None:
        raise FuzzError(_no_such_type(described, dialect, only))
    return forms


def untyped(described: Description, dialect: str, ops: Iterable[Op]) -> Forms:
    """A form for each op without a type that an implementation offers."""
    offered = (op for op in ops if described.offers(Case("", op, dialect)))
    forms = (Form(dialect, None, None, frozenset({op})) for op in offered)
    return {form.head: form for form in forms}


def _no_such_type(described: Description, dialect: str, only: str) -> str:
    names = sorted({name for name, _ in types_of(dialect)})
    if only in names:
        return f"{described.name} does not offer the type {only} of {dialect} to this target"
    near = difflib.get_close_matches(only, names)
    meant = f" Did you mean {' or '.join(near)}?" if near else f" Its types are {', '.join(names)}."
    return f"the dialect {dialect} has no type {only!r}.{meant}"
