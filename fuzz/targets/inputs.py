"""Inputs, as the fuzzer changes them and a corpus stores them. The first line names a type or an op, then follow bytes.

    MetadataResponse/12 LF <bytes>        a type with a version
    VARINT/- LF <bytes>                   a type without versions
    MetadataResponse/12 value LF <JSON>   a value of a type, to be written; it need not be a valid one
    serve LF <bytes>                      an op without a type

So a corpus stays valid when types are added or removed, and people can read which type a file is about.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from wireproof.conformance import vectors
from wireproof.conformance.generation import further_ops, random_values
from wireproof.conformance.generation.arguments import seed_of
from wireproof.conformance.generation.whole_values import is_whole
from wireproof.conformance.model import TYPED_OPS, Case, Description, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.values.encoding import ValueFormatError
from wireproof.fuzz.errors import FuzzError
from wireproof.reference.errors import WireError

#: The longest input, in bytes.
LONGEST = 4096
_READS_AND_WRITES = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE})


@dataclass(frozen=True, slots=True)
class Form:
    """The subject of an input: a type, its version, and the ops to ask. If `type` is None, `ops` is a single op without
    a type. `value`: the inputs are values in JSON, and encode alone is asked."""

    dialect: str
    type: str | None
    version: int | None
    ops: frozenset[Op]
    value: bool = False

    @property
    def head(self) -> bytes:
        """The first line, without its line feed."""
        if self.type is None:
            return "".join(self.ops).encode()
        return f"{self.type}/{'-' if self.version is None else self.version}{' value' if self.value else ''}".encode()

    def identifier(self, op: Op, data: bytes, letter: str = "x") -> str:
        """The id of the case with these bytes: a seed as in `conformance.generation.case_ids`, as `letter` is. The case
        can be made again from it."""
        name, version = (self.type, self.version) if op in TYPED_OPS else (None, None)
        return f"gen/{self.dialect}/{name or '-'}/{'-' if version is None else version}/{letter}{data.hex()}#{op}"

    def input(self, data: bytes) -> bytes:
        """The input with these bytes."""
        return self.head + b"\n" + data


Forms = Mapping[bytes, Form]


def simplest(form: Form) -> bytes | None:
    """The bytes of the simplest value of a form's type; None if it has no type, or one without values."""
    if form.type is None:
        return None
    with contextlib.suppress(NotImplementedError, WireError):
        value = random_values.simplest(form.type, dialect=form.dialect, version=form.version)
        return reference_codec().encode(form.type, value, dialect=form.dialect, version=form.version)
    return None


def split(raw: bytes) -> tuple[bytes, bytes]:
    """The head and the bytes of an input. Without a line feed, all of it is the head."""
    head, _, data = raw.partition(b"\n")
    return head, data


def digest(raw: bytes) -> str:
    """The file name of an input in a corpus, the same as libFuzzer gives."""
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()


def typed(described: Description, dialect: str, ops: Iterable[Op], only: str | None = None) -> Forms:
    """A form for each type and version that both the implementation and the reference offer, with the offered ones of
    `ops`. `only`: just this type. Raises FuzzError if `only` is given and there are none."""
    forms = {}
    for name, version, known in _asked(dialect, only):
        offered = frozenset(op for op in ops if op in known and _offers(described, op, dialect, name, version))
        if offered:
            form = Form(dialect, name, version, offered)
            forms[form.head] = form
    if not forms and only is not None:
        raise FuzzError(_no_such_type(described, dialect, only))
    return forms


def _offers(described: Description, op: Op, dialect: str, name: str, version: int | None) -> bool:
    return described.offers_op(op, dialect, *((name, version) if op in TYPED_OPS else (None, None)))


def _asked(dialect: str, only: str | None = None) -> Iterator[tuple[str, int | None, frozenset[Op]]]:
    """Each type and version with the ops that it has. `only`: of just this type."""
    for name, version in types_of(dialect):
        if only in (None, name):
            yield name, version, _READS_AND_WRITES | further_ops.ops_of(dialect, name)
    for name in further_ops.converted_alone(dialect):
        if only in (None, name):
            yield name, None, frozenset({Op.CONVERT})


def of_values(forms: Forms) -> Forms:
    """A form of values for each of these forms whose type vectors ask to write, without bytes that mean the value."""
    dialects = {form.dialect for form in forms.values()}
    heads = {raw.partition(b"\n")[0] for dialect in dialects for raw in values(dialect)}
    writing = (form for form in forms.values() if Op.ENCODE in form.ops)
    written = (replace(form, ops=frozenset({Op.ENCODE}), value=True) for form in writing)
    return {form.head: form for form in written if form.head in heads}


def values(dialect: str) -> Iterator[bytes]:
    """Inputs with the values that vectors ask to write and not to read, if they are whole and short enough. Most of
    them have to be refused."""
    for vector in vectors.load([dialect]):
        if vector.type is None or Op.ENCODE not in vector.ops or {Op.DECODE, Op.RECODE} & {*vector.ops}:
            continue
        # A value of a wrong Python type; no such version, or no such message in another catalogue.
        with contextlib.suppress(ValueFormatError, WireError, NotImplementedError):
            value = reference_codec().complete(vector.type, vector.value, dialect=dialect, version=vector.version)
            if is_whole(value, vector.type, dialect=dialect, version=vector.version):
                form = Form(dialect, vector.type, vector.version, frozenset({Op.ENCODE}), value=True)
                raw = form.input(seed_of(Op.ENCODE, {"value": value}))
                if len(raw) < LONGEST:
                    yield raw


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
