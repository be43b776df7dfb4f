"""Inputs: what the fuzzer changes, what stands in a corpus. A line says what is asked about, the rest is its bytes.

    MetadataResponse/12 LF <bytes>        a type with a version
    VARINT/- LF <bytes>                   a type without
    serve LF <bytes>                      an op without a type

So a corpus stays right when types come or go, and a person can read what a file is about.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from conformance.model import Case, Description, Op
from conformance.reference_codec import reference_codec
from fuzz.errors import FuzzError

#: Array types that stand for all, where a dialect has arrays.
ARRAYS = ("ARRAY<INT32>", "NULLABLE_ARRAY<STRING>", "COMPACT_ARRAY<COMPACT_STRING>", "COMPACT_NULLABLE_ARRAY<INT16>")
#: The longest input, in bytes.
LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Form:
    """What an input is about: a type, its version, and the ops that it is asked in. `type` is None for ops without one,
    of which there is one alone then."""

    dialect: str
    type: str | None
    version: int | None
    ops: frozenset[Op]

    @property
    def head(self) -> bytes:
        """The line before the bytes, without its line feed."""
        if self.type is None:
            return "".join(self.ops).encode()
        return f"{self.type}/{'-' if self.version is None else self.version}".encode()

    def identifier(self, op: Op, data: bytes) -> str:
        """The id of the case of these bytes, from which it can be made again."""
        version = "-" if self.version is None else self.version
        return f"gen/{self.dialect}/{self.type or '-'}/{version}/x{data.hex()}#{op}"

    def input(self, data: bytes) -> bytes:
        """The input of these bytes."""
        return self.head + b"\n" + data


Forms = Mapping[bytes, Form]


def split(raw: bytes) -> tuple[bytes, bytes]:
    """The head and the bytes of an input. Without a line feed all is head."""
    head, _, data = raw.partition(b"\n")
    return head, data


def typed(described: Description, dialect: str, ops: Iterable[Op], only: str | None = None) -> Forms:
    """The forms of all types and versions that an implementation offers, of those that the reference has, with those of
    `ops` that it offers of each; `only`: of one type. Raises FuzzError where there are none."""
    found = {}
    for name, version in _of_reference(dialect):
        if only in (None, name):
            cases = (Case("", op, dialect, name, version) for op in ops)
            offered = frozenset(case.op for case in cases if described.offers(case))
            if offered:
                form = Form(dialect, name, version, offered)
                found[form.head] = form
    if not found and only is not None:
        raise FuzzError(_no_such_type(described, dialect, only))
    return found


def untyped(described: Description, dialect: str, ops: Iterable[Op]) -> Forms:
    """The forms of ops without a type that an implementation offers."""
    offered = (op for op in ops if described.offers(Case("", op, dialect)))
    forms = (Form(dialect, None, None, frozenset({op})) for op in offered)
    return {form.head: form for form in forms}


def _of_reference(dialect: str) -> Iterator[tuple[str, int | None]]:
    for name, span in reference_codec().dialect(dialect).types.items():
        if name == "*":  # the messages of schemas: they have no names here
            continue
        if name == "ARRAY":
            yield from ((array, None) for array in ARRAYS)
        elif span is None:
            yield name, None
        else:
            yield from ((name, version) for version in range(span[0], span[1] + 1))


def _no_such_type(described: Description, dialect: str, only: str) -> str:
    names = sorted({name for name, _ in _of_reference(dialect)})
    if only in names:
        return f"{described.name} does not offer the type {only} of {dialect} to this target"
    near = difflib.get_close_matches(only, names)
    meant = f" Did you mean {' or '.join(near)}?" if near else f" Its types are {', '.join(names)}."
    return f"the dialect {dialect} has no type {only!r}.{meant}"
