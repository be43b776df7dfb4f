"""Targets: what is asked about an input, and which of the answers have to be judged.

A target is a generator: it yields the cases of a step, is sent what was observed of them, and returns what looks wrong.
So the same target serves an implementation inside the process, input by input, and one in a child, a block at a time.
What looks wrong is no verdict: the judge, asked with the same case, makes that.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import reference
from conformance import generated, vectors
from conformance.arguments import arguments_of
from conformance.model import TYPED_OPS, Case, Observation, Op, Status
from conformance.readings import ask
from conformance.reference_codec import reference_codec
from conformance.values import ValueFormatError, difference, identical
from fuzz.drawing import NOTHING, draw
from fuzz.inputs import Form

#: What makes two deviations look alike before either is judged.
Likeness = tuple[Any, ...]
_INDEX = re.compile(r"\[\d+\]")
#: Words of a refusal, without the numbers of the case at hand.
_NUMBER = re.compile(r"-?\d+|0x[0-9a-f]+|'[^']*'")
_WORDS = 80


@dataclass(frozen=True, slots=True)
class Suspect:
    """A case whose answer looks wrong: its id, and what makes others look like it."""

    identifier: str
    likeness: Likeness


@dataclass(slots=True)
class Looked:
    """What a target saw of an input: what looks wrong, and what the input showed, by which it is novel or not."""

    suspects: list[Suspect] = field(default_factory=list)
    shown: list[Likeness] = field(default_factory=list)

    def add(self, form: Form, op: Op, data: bytes, seen: Observation, told: Observation, where: str = "") -> None:
        """A case looks wrong: what was seen of it, and what the reference does."""
        likeness = (op, form.type, told.status, told.reason, *_did(seen), where)
        self.suspects.append(Suspect(form.identifier(op, data), likeness))

    def show(self, seen: Observation, told: Observation, size: int) -> None:
        """What the implementation did, and in which part of the input: the first byte, the middle, the last, none."""
        case = seen.case
        at = told.offset
        part = None if at is None else 0 if at == 0 else 2 if at >= size - 1 else 1
        self.shown.append((case.op, case.type, seen.status, seen.reason, told.reason, part))


Steps = Generator[Sequence[Case], Sequence[Observation], Looked]
Target = Callable[[Form, bytes], Steps]


def _did(seen: Observation) -> Likeness:
    """What an implementation did, as far as it tells one fault from another."""
    if seen.status is Status.REJECT and seen.reason is None:
        return seen.status, _NUMBER.sub("…", seen.detail[:_WORDS])
    return seen.status, seen.reason, seen.error, seen.frame


def _case(form: Form, op: Op, **arguments: Any) -> Case:
    return Case("", op, form.dialect, form.type, form.version, arguments)


def _reading(form: Form) -> Op:
    """The op in which bytes are read: decode, or recode where that alone is offered."""
    return Op.DECODE if Op.DECODE in form.ops else Op.RECODE


def decode(form: Form, data: bytes) -> Steps:
    """Any bytes are read or refused, and nothing else happens."""
    op = _reading(form)
    (seen,) = yield (_named(form, op, data),)
    looked = Looked()
    told = ask(reference_codec(), seen.case)
    looked.show(seen, told, len(data))
    if seen.status not in (Status.ANSWER, Status.REJECT, Status.UNSUPPORTED):
        looked.add(form, op, data, seen, told)
    return looked


def _named(form: Form, op: Op, data: bytes) -> Case:
    """A case with its id, which the ways to reach an implementation in a child need."""
    return Case(form.identifier(op, data), op, form.dialect, form.type, form.version, {"data": data})


def differential(form: Form, data: bytes) -> Steps:
    """What the implementation reads and writes is what the reference reads and writes."""
    op = _reading(form)
    told = ask(reference_codec(), _case(form, op, data=data))
    (seen,) = yield (_named(form, op, data),)
    looked = Looked()
    looked.show(seen, told, len(data))
    _compare(looked, form, data, seen, told)
    if told.status is Status.ANSWER and op is Op.DECODE:
        yield from _written(looked, form, data, told.answer)
    return looked


def _written(looked: Looked, form: Form, data: bytes, value: Any) -> Generator[Sequence[Case], Sequence[Observation]]:
    """Encode and recode of bytes that the reference reads as this value."""
    expected = ask(reference_codec(), _case(form, Op.ENCODE, value=value))
    cases = []
    if Op.ENCODE in form.ops:
        made = Case(form.identifier(Op.ENCODE, data), Op.ENCODE, form.dialect, form.type, form.version)
        cases.append(_with(made, {"value": value}))
    if Op.RECODE in form.ops and not generated.has_partial_tail(form.dialect, form.type or "", data):
        cases.append(_named(form, Op.RECODE, data))
    if cases:
        for seen in (yield cases):
            looked.show(seen, expected, len(data))
            _compare(looked, form, data, seen, expected)


def _with(case: Case, arguments: Mapping[str, Any]) -> Case:
    return Case(case.id, case.op, case.dialect, case.type, case.version, arguments)


def _compare(looked: Looked, form: Form, data: bytes, seen: Observation, told: Observation) -> None:
    """Note an answer that is not the reference's. Both refused is right, for whatever reason."""
    where = ""
    match seen.status, told.status:
        case Status.UNSUPPORTED, _:
            return
        case Status.REJECT, Status.REJECT:
            if seen.case.op is not Op.RECODE or seen.half != "encode":
                return
        case Status.ANSWER, Status.ANSWER:
            if identical(told.answer, seen.answer):
                return
            found = _difference(told.answer, seen.answer)
            if found is None:
                return
            where = found
    looked.add(form, seen.case.op, data, seen, told, where)


def _difference(expected: Any, answer: Any) -> str | None:
    """Where two answers part, without the places in arrays; of bytes only that they do."""
    if isinstance(expected, bytes):
        return None if expected == answer else "bytes"
    try:
        found = difference(expected, answer)
    except ValueFormatError:
        return "form"
    return None if found is None else _INDEX.sub("[]", found) or "whole"


def stability(form: Form, data: bytes) -> Steps:
    """What was read and written reads as the same, and is written as the same. Needs no reference to be right."""
    first, written = yield (_named(form, Op.DECODE, data), _named(form, Op.RECODE, data))
    looked = Looked()
    looked.show(first, ask(reference_codec(), first.case), len(data))
    if first.status is not Status.ANSWER or generated.has_partial_tail(form.dialect, form.type or "", data):
        return looked
    if written.status is not Status.ANSWER:
        if written.status is not Status.UNSUPPORTED:
            _all(looked, form, data, written, first, "not written")
        return looked
    again = written.answer
    read, rewritten = yield (_named(form, Op.DECODE, again), _named(form, Op.RECODE, again))
    if read.status is not Status.ANSWER or difference(first.answer, read.answer) is not None:
        _all(looked, form, data, read, first, "reads otherwise")
        _all(looked, form, again, read, first, "reads otherwise, as written")
    elif rewritten.status is not Status.ANSWER or rewritten.answer != again:
        _all(looked, form, data, rewritten, first, "no fixed point")
        _all(looked, form, again, rewritten, first, "no fixed point, as written")
    return looked


def _all(looked: Looked, form: Form, data: bytes, seen: Observation, told: Observation, where: str) -> None:
    """One of these has to be wrong: reading, writing, or both."""
    for op in (Op.DECODE, Op.ENCODE, Op.RECODE):
        if op in form.ops:
            looked.add(form, op, data, seen, told, f"{where} {op}")


def values(form: Form, data: bytes) -> Steps:
    """What is drawn from the bytes as hypothesis draws it is written, read and written again as the reference does."""
    value = draw(form.dialect, form.type or "", form.version, data)
    if value is NOTHING:
        return Looked()
    written = reference_codec().encode(form.type or "", value, dialect=form.dialect, version=form.version)
    return (yield from differential(form, written))


@functools.cache
def _configured(dialect: str) -> reference.Reference:
    """The reference with the settings that implementations are given."""
    found = reference.Reference()
    found.configure(vectors.settings(dialect), dialect=dialect)
    return found


def answers(form: Form, data: bytes) -> Steps:
    """An op without a type, of whose arguments the bytes are the seed: the answer is the reference's."""
    (op,) = form.ops
    looked = Looked()
    try:
        args = arguments_of(op, data)
    except ValueError:
        return looked
    case = Case(form.identifier(op, data), op, form.dialect, args=args)
    told = ask(_configured(form.dialect), case)
    if told.status is Status.UNSUPPORTED:
        return looked
    (seen,) = yield (case,)
    looked.show(seen, told, len(data))
    if op is Op.EVOLVE and (seen.status, told.status) == (Status.ANSWER, Status.ANSWER):
        if bool(seen.answer) is not bool(told.answer):
            looked.add(form, op, data, seen, told)
    else:
        _compare(looked, form, data, seen, told)
    return looked


@dataclass(frozen=True, slots=True)
class Kind:
    """A target with the ops that it asks. `needs`: those without which it cannot be asked of a type.
    `draws`: the bytes of an input are no protocol's, values are drawn from them."""

    name: str
    about: str
    steps: Target
    ops: tuple[Op, ...]
    needs: frozenset[Op] = frozenset()
    draws: bool = False

    @property
    def typed(self) -> bool:
        """Whether its inputs are about types."""
        return not TYPED_OPS.isdisjoint(self.ops)

    def takes(self, form: Form) -> bool:
        """Whether this is asked of a form."""
        return self.needs <= form.ops


_READS_AND_WRITES = (Op.DECODE, Op.ENCODE, Op.RECODE)
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("decode", "any bytes are read or refused, and nothing else happens", decode, (Op.DECODE, Op.RECODE)),
        Kind(
            "stability",
            "what was read and written reads as the same, and is written as the same",
            stability,
            _READS_AND_WRITES,
            frozenset({Op.DECODE, Op.RECODE}),
        ),
        Kind(
            "differential",
            "what is read and written is what the reference reads and writes",
            differential,
            _READS_AND_WRITES,
        ),
        Kind(
            "values",
            "values that are drawn are written, read and written again as the reference does",
            values,
            _READS_AND_WRITES,
            frozenset({Op.ENCODE}),
            draws=True,
        ),
        Kind(
            "exchange",
            "requests in any chunks are answered, and answers understood, as a broker and a client should",
            answers,
            (Op.SERVE, Op.INTERPRET, Op.NEGOTIATE),
        ),
        Kind("schema", "schemas are refused, or compared, as the dialect has it", answers, (Op.EVOLVE,)),
    )
}
