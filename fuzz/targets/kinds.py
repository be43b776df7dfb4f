"""Targets: the questions about an input, and the selection of the answers to judge.

A target is a generator: it yields the cases of a step, receives their observations, and returns the suspects. So the
same target works for an implementation in this process, one input at a time, and for one in a child, a block at a time.
A suspect is not a verdict: the judge gets the same case and decides.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from wireproof.conformance.connection.module import Module
from wireproof.conformance.generation import expectations, further_ops
from wireproof.conformance.generation.arguments import arguments_of, seed_of
from wireproof.conformance.generation.whole_values import is_whole
from wireproof.conformance.judging.comparison import as_told
from wireproof.conformance.model import TYPED_OPS, Case, Observation, Op, Status
from wireproof.conformance.oracle.ask import ask, refusal
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.produced import same_produced
from wireproof.conformance.values.compare import difference, identical
from wireproof.conformance.values.encoding import ValueFormatError
from wireproof.conformance.vectors import Vector
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.fuzz.targets import fast_comparison
from wireproof.fuzz.targets.inputs import Form
from wireproof.reference import fast
from wireproof.reference.codec import Codec
from wireproof.reference.dialects.base import UnknownType
from wireproof.reference.errors import WireError

#: Two deviations with the same likeness look alike, before they are judged.
Likeness = tuple[Any, ...]
_INDEX = re.compile(r"\[\d+\]")
#: Numbers and quoted names in the text of a refusal; they are left out, because they depend on the case.
_NUMBER = re.compile(r"-?\d+|0x[0-9a-f]+|'[^']*'")
_WORDS = 80


@dataclass(frozen=True, slots=True)
class Suspect:
    """A case with an answer that looks wrong: its id and its likeness."""

    identifier: str
    likeness: Likeness


@dataclass(slots=True)
class TargetResult:
    """The result of a target for an input: its suspects, and the behaviour that decides whether the input is new."""

    suspects: list[Suspect] = field(default_factory=list)
    shown: list[Likeness] = field(default_factory=list)

    def add(self, case: Case, seen: Observation, told: Observation, where: str = "") -> None:
        """Add a suspect. `seen`: the observation of the implementation. `told`: that of the reference."""
        likeness = (case.op, case.type, told.status, told.reason, *_did(seen), where)
        self.suspects.append(Suspect(case.id, likeness))

    def show(self, seen: Observation, told: Observation, size: int) -> None:
        """Note the behaviour, and its place in the input: the first byte, the middle, the last byte, or unknown."""
        case = seen.case
        at = told.offset if told.reason is not None else seen.offset
        part = None if at is None else 0 if at == 0 else 2 if at >= size - 1 else 1
        self.shown.append((case.op, case.type, seen.status, seen.reason, told.reason, part))


Steps = Generator[Sequence[Case], Sequence[Observation], TargetResult]
Target = Callable[[Form, bytes], Steps]


def _did(seen: Observation) -> Likeness:
    """The part of an observation that distinguishes faults."""
    if seen.status is Status.REJECT and seen.reason is None:
        return seen.status, _NUMBER.sub("…", seen.detail[:_WORDS])
    return seen.status, seen.reason, seen.error, seen.frame


def _reading(form: Form) -> Op:
    """The op to read bytes: decode, or recode if decode is not offered."""
    return Op.DECODE if Op.DECODE in form.ops else Op.RECODE


def decode(form: Form, data: bytes) -> Steps:
    """All bytes are read or refused, and nothing else happens."""
    op = _reading(form)
    (seen,) = yield (_named(form, op, data),)
    if _is_by_recode(form, seen):
        (seen,) = yield (_named(form, Op.RECODE, data),)
    result = TargetResult()
    told = _read(form, seen.case)
    result.show(seen, told, len(data))
    if seen.status not in (Status.ANSWER, Status.REJECT, Status.UNSUPPORTED):
        result.add(seen.case, seen, told)
    return result


def _named(form: Form, op: Op, data: bytes) -> Case:
    """A case with its id. A connection to a child needs the id."""
    return Case(form.identifier(op, data), op, form.dialect, form.type, form.version, {"data": data})


def differential(form: Form, data: bytes) -> Steps:
    """The implementation reads and writes the same as the reference, and gives the same answers to the further ops."""
    result = TargetResult()
    expected = _of_value(form, data) if form.value else _of_bytes(form, data)
    if not expected:
        return result
    observed = [*(yield [told.case for told in expected])]
    if expected[0].status is Status.REJECT and _is_by_recode(form, observed[0]):
        by_recode = _named(form, Op.RECODE, data)
        observed += yield (by_recode,)
        expected.append(_read(form, by_recode))
    for seen, quickly_told in zip(observed, expected, strict=True):
        told = _with_reason(form, seen, quickly_told)
        result.show(seen, told, len(data))
        _compare(result, seen, told)
    return result


def _of_bytes(form: Form, data: bytes) -> list[Observation]:
    """The reference's observations of all cases about the bytes of a type. First that of reading them, if that is
    offered; a refusal of it has no reason yet."""
    read = _read_quickly(form, _named(form, Op.DECODE, data))
    expected = [read] if Op.DECODE in form.ops else []
    if Op.RECODE in form.ops and not expected:
        expected.append(_read(form, _named(form, Op.RECODE, data)))
    readable = read.status is Status.ANSWER
    if readable:
        told = _written(form, read.answer)
        expected += [msgspec.structs.replace(told, case=case) for case in _writing(form, data, read.answer)]
    if not further_ops.OPS.isdisjoint(form.ops):
        expected += _further(form, data, read.answer if readable else None)
    return expected


def _further(form: Form, data: bytes, value: Any) -> Iterator[Observation]:
    """The reference's observations of the further ops. `value`: what the bytes mean; None if they mean nothing."""
    assert form.type is not None
    for op, args in further_ops.arguments(form.ops, form.dialect, form.type, data, value):
        name, version = (form.type, form.version) if op in TYPED_OPS else (None, None)
        case = Case(form.identifier(op, seed_of(op, args)), op, form.dialect, name, version, args)
        told = ask(configured_reference(form.dialect), case)
        if told.status is not Status.UNSUPPORTED:
            yield told


def _of_value(form: Form, data: bytes) -> list[Observation]:
    """The reference's observation when it writes a value that is given in JSON; none if that is no whole value."""
    try:
        args = arguments_of(Op.ENCODE, data)
        identifier = form.identifier(Op.ENCODE, seed_of(Op.ENCODE, args), "v")
    except ValueError:
        return []
    if not is_whole(args["value"], form.type or "", dialect=form.dialect, version=form.version):
        return []
    told = _written(form, args["value"])
    return [msgspec.structs.replace(told, case=msgspec.structs.replace(told.case, id=identifier))]


def _is_by_recode(form: Form, seen: Observation) -> bool:
    """Whether it turns out that the type is read by recode alone."""
    unread = seen.case.op is Op.DECODE and seen.status is Status.UNSUPPORTED
    return unread and Op.RECODE in form.ops


def _writing(form: Form, data: bytes, value: Any) -> list[Case]:
    """The cases of encode and recode for bytes that the reference reads as this value. Both expect the same bytes.
    Without decode, recode is how the bytes are read, and is not asked once more."""
    cases = []
    if Op.ENCODE in form.ops:
        encode = form.identifier(Op.ENCODE, data)
        cases.append(Case(encode, Op.ENCODE, form.dialect, form.type, form.version, {"value": value}))
    both = form.ops.issuperset({Op.DECODE, Op.RECODE})
    if both and not expectations.has_partial_tail(form.dialect, form.type or "", data):
        cases.append(_named(form, Op.RECODE, data))
    return cases


def _read(form: Form, case: Case) -> Observation:
    """The reference's observation of a case that reads bytes."""
    if case.op is not Op.DECODE:
        return ask(reference_codec(), case)
    try:
        return Observation(case, Status.ANSWER, fast.decode(_codec(form), case.args["data"], reference_codec().rules))
    except WireError as error:
        return refusal(case, error)
    except UnknownType as error:  # one that is only converted
        return Observation(case, Status.UNSUPPORTED, detail=str(error))


def _read_quickly(form: Form, case: Case) -> Observation:
    """The same for decode, without the reason of a refusal: to find it takes several times as long as to refuse."""
    try:
        read = _quick_reader_of(form.dialect, form.type or "", form.version)
        return Observation(case, Status.ANSWER, read(case.args["data"]))
    except UnknownType as error:  # one that is only converted
        return Observation(case, Status.UNSUPPORTED, detail=str(error))
    except fast.REFUSED:
        return Observation(case, Status.REJECT)


@functools.lru_cache(1 << 13)
def _quick_reader_of(dialect: str, type_name: str, version: int | None) -> Callable[[bytes], Any]:
    return fast.reader(_codec_of(dialect, type_name, version), reference_codec().rules)


def _with_reason(form: Form, seen: Observation, told: Observation) -> Observation:
    """The reference's refusal with its reason, if that is needed: to compare an answer with it, or to know the kind of
    a refusal without a reason."""
    if told.status is not Status.REJECT or told.reason is not None:
        return told
    if seen.status is Status.UNSUPPORTED or (seen.status is Status.REJECT and seen.reason is not None):
        return told
    return _read(form, told.case)


def _written(form: Form, value: Any) -> Observation:
    """The reference's observation when it writes a value."""
    case = Case("", Op.ENCODE, form.dialect, form.type, form.version, {"value": value})
    try:
        return Observation(case, Status.ANSWER, fast.encode(_codec(form), value, reference_codec().rules))
    except WireError as error:
        return refusal(case, error)


def _codec(form: Form) -> Codec:
    """The reference's codec of a form. It is looked up once and kept."""
    return _codec_of(form.dialect, form.type or "", form.version)


@functools.lru_cache(1 << 13)
def _codec_of(dialect: str, type_name: str, version: int | None) -> Codec:
    return reference_codec().dialect(dialect).codec(type_name, version)


def _compare(result: TargetResult, seen: Observation, told: Observation) -> None:
    """Add a suspect if the answer differs from the reference's. Two refusals agree, whatever their reasons are."""
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
            if seen.case.op is Op.PRODUCE and same_produced(told.answer, seen.answer, seen.case.dialect):
                return
            pair = told.answer, seen.answer
            different = _difference(*(as_told(*pair) if seen.case.op is Op.CONSUME else pair))
            if different is None:
                return
            where = different
    result.add(seen.case, seen, told, where)


def _difference(expected: Any, answer: Any) -> str | None:
    """The path of the first difference of two answers, without array indexes; `bytes` if they are different bytes."""
    if isinstance(expected, bytes):
        return None if expected == answer else "bytes"
    try:
        path = difference(expected, answer)
    except ValueFormatError:
        return "form"
    return None if path is None else _INDEX.sub("[]", path) or "whole"


def stability(form: Form, data: bytes) -> Steps:
    """After reading and writing, the bytes give the same value, and writing that gives the same bytes. This check does
    not need the reference."""
    first, written = yield (_named(form, Op.DECODE, data), _named(form, Op.RECODE, data))
    result = TargetResult()
    result.show(first, _read(form, first.case), len(data))
    if first.status is not Status.ANSWER or expectations.has_partial_tail(form.dialect, form.type or "", data):
        return result
    if written.status is not Status.ANSWER:
        if written.status is not Status.UNSUPPORTED:
            _all(result, form, data, written, first, "not written")
        return result
    again = written.answer
    read, rewritten = yield (_named(form, Op.DECODE, again), _named(form, Op.RECODE, again))
    if read.status is not Status.ANSWER or difference(first.answer, read.answer) is not None:
        _all(result, form, data, read, first, "reads otherwise")
        _all(result, form, again, read, first, "reads otherwise, as written")
    elif rewritten.status is not Status.ANSWER or rewritten.answer != again:
        _all(result, form, data, rewritten, first, "no fixed point")
        _all(result, form, again, rewritten, first, "no fixed point, as written")
    return result


def _all(result: TargetResult, form: Form, data: bytes, seen: Observation, told: Observation, where: str) -> None:
    """Add a suspect for each op, because it is not known whether reading or writing is wrong."""
    for op in (Op.DECODE, Op.ENCODE, Op.RECODE):
        if op in form.ops:
            result.add(_named(form, op, data), seen, told, f"{where} {op}")


def values(form: Form, data: bytes) -> Steps:
    """The properties of `--properties` hold for the examples that hypothesis draws from the bytes."""
    from wireproof.fuzz.targets.from_bytes import draw  # hypothesis loads slowly, and no other target needs it

    asked = draw(form, data)
    result = TargetResult()
    if not asked:
        return result
    cases = [case if case.op is Op.ENCODE else _named(form, case.op, vector.data) for vector, case in asked]
    for seen, (vector, case) in zip((yield cases), asked, strict=True):
        told = _expected(vector, case)
        result.show(seen, told, len(vector.data))
        _compare(result, seen, told)
    return result


def _expected(vector: Vector, case: Case) -> Observation:
    if vector.reject is not None:
        return Observation(case, Status.REJECT, reason=vector.reject.reason, offset=vector.reject.offset)
    return Observation(case, Status.ANSWER, vector.value if case.op is Op.DECODE else vector.canonical_data)


def answers(form: Form, data: bytes) -> Steps:
    """An op without a type gives the same answer as the reference. The bytes are the seed of its arguments."""
    (op,) = form.ops
    result = TargetResult()
    try:
        args = arguments_of(op, data)
    except ValueError:
        return result
    case = Case(form.identifier(op, data), op, form.dialect, args=args)
    told = ask(configured_reference(form.dialect), case)
    if told.status is Status.UNSUPPORTED:
        return result
    (seen,) = yield (case,)
    result.show(seen, told, len(data))
    if op is Op.EVOLVE and (seen.status, told.status) == (Status.ANSWER, Status.ANSWER):
        if bool(seen.answer) is not bool(told.answer):
            result.add(case, seen, told)
    else:
        _compare(result, seen, told)
    return result


def _look(form: Form, module: Module) -> fast_comparison.Look:
    return fast_comparison.answers(configured_reference(form.dialect), form, module)


@dataclass(frozen=True, slots=True)
class Kind:
    """A target with the ops that it asks. `look`: makes its quick look, for implementations in this process. `needs`:
    ops that a type must offer. `draws`: the bytes of an input are not the protocol's; values are drawn from them.
    `values`: it also has inputs that are values, see `inputs.of_values`."""

    name: str
    about: str
    steps: Target
    look: fast_comparison.Maker
    ops: tuple[Op, ...]
    needs: frozenset[Op] = frozenset()
    draws: bool = False
    values: bool = False

    @property
    def typed(self) -> bool:
        """Whether its inputs name types."""
        return not TYPED_OPS.isdisjoint(self.ops)

    def takes(self, form: Form) -> bool:
        """Whether it can ask about a form."""
        return self.needs <= form.ops


_READS_AND_WRITES = (Op.DECODE, Op.ENCODE, Op.RECODE)
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "decode",
            "any bytes are read or refused, and nothing else happens",
            decode,
            fast_comparison.decode,
            (Op.DECODE, Op.RECODE),
        ),
        Kind(
            "stability",
            "what was read and written reads as the same, and is written as the same",
            stability,
            fast_comparison.stability,
            _READS_AND_WRITES,
            frozenset({Op.DECODE, Op.RECODE}),
        ),
        Kind(
            "differential",
            "what is read, written, looked up, converted, delivered and produced is what the reference makes of it",
            differential,
            fast_comparison.differential,
            (*_READS_AND_WRITES, *sorted(further_ops.OPS)),
            values=True,
        ),
        Kind(
            "values",
            "the properties of `--properties` hold for what is drawn",
            values,
            fast_comparison.nowhere,
            _READS_AND_WRITES,
            frozenset({Op.ENCODE}),
            draws=True,
        ),
        Kind(
            "exchange",
            "requests in any chunks are answered, and answers understood, as a broker and a client should",
            answers,
            _look,
            (Op.SERVE, Op.INTERPRET, Op.NEGOTIATE),
        ),
        Kind("schema", "schemas are refused, or compared, as the dialect has it", answers, _look, (Op.EVOLVE,)),
    )
}
