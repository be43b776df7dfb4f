"""The quick look compares an implementation in this process with the reference, without making questions, observations
or verdicts.

This is enough for nearly all inputs. If an answer is wrong or new, the look returns False, and the target takes its
steps. So False is always safe, but True is only allowed if the steps would find nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wireproof.conformance.connection.module import Module
from wireproof.conformance.connection.protocol.shapes import ShapeError, plain, shape
from wireproof.conformance.generation import further_ops
from wireproof.conformance.generation.arguments import arguments_of
from wireproof.conformance.generation.whole_values import is_whole
from wireproof.conformance.model import ARGUMENTS, TYPED_OPS, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.compare import difference, identical
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.reference import Reference, fast
from wireproof.reference.errors import WireError

if TYPE_CHECKING:
    from wireproof.fuzz.targets.inputs import Form

#: Returns True if nothing is wrong or new with these bytes.
Look = Callable[[bytes], bool]
#: Makes a look for a form.
Maker = Callable[["Form", Module], Look]

#: The maximum number of kinds of refusal that are distinguished, because an implementation may use any text for them.
_KINDS = 64


def never(_: bytes) -> bool:
    """The look that always returns False, so that the target takes its steps."""
    return False


def nowhere(_form: Form, _module: Module) -> Look:
    """For a target without a quick look."""
    return never


class _Shown:
    """The kinds of behaviour seen so far. The first input of each kind takes the steps, so it is kept as new."""

    def __init__(self) -> None:
        self._seen: set[tuple[Any, ...]] = set()

    def before(self, *kind: Any) -> bool:
        """True if this kind was seen before, or if `_KINDS` kinds were already seen."""
        if kind in self._seen or len(self._seen) >= _KINDS:
            return True
        self._seen.add(kind)
        return False


def _kind(error: BaseException, size: int) -> tuple[Any, ...]:
    """The kind of a refusal: its class, its reason and its place in the input (the first byte, the middle, the last
    byte, or unknown)."""
    at, reason = getattr(error, "offset", None), getattr(error, "reason", None)
    part = (0 if at == 0 else 2 if at >= size - 1 else 1) if isinstance(at, int) else None
    return type(error), reason if isinstance(reason, str) else None, part


def _same(expected: Any, answer: Any) -> bool:
    """Whether an answer is the expected value."""
    if identical(expected, answer):
        return True
    try:
        return difference(expected, plain(answer)) is None
    except ValueError:  # not a protocol value
        return False


def differential(form: Form, module: Module) -> Look:
    """True if both do the same with the bytes, or with the value."""
    if form.value:
        return _value(form, module)
    beside = form.ops & further_ops.OPS
    plainly = _bytes(replace(form, ops=form.ops - beside), module)
    return _both(plainly, _further(form, module)) if beside and Op.DECODE in form.ops else plainly


def _bytes(form: Form, module: Module) -> Look:
    """True if both refuse the bytes, or both read and write them in the same way."""
    decode, encode, recode = (module.function(op) for op in (Op.DECODE, Op.ENCODE, Op.RECODE))
    if Op.DECODE not in form.ops or decode is None:
        return never
    name, version, dialect = form.type, form.version, form.dialect
    assert name is not None
    reference = reference_codec()
    spoken = reference.dialect(dialect)
    codec, rules, entries = spoken.codec(name, version), reference.rules, spoken.entries.get(name)
    read = fast.reader(codec, rules)
    refusals = module.refusals(Op.DECODE)
    writes, rewrites = Op.ENCODE in form.ops, Op.RECODE in form.ops
    shown = _Shown()

    def refused(data: bytes) -> bool:
        try:
            decode(name, data, dialect=dialect, version=version)
        except (KeyboardInterrupt, MemoryError):
            raise
        except refusals as error:
            return shown.before(*_kind(error, len(data)))
        return False

    def written(value: Any, answer: Any, data: bytes) -> bool:
        expected = fast.encode(codec, value, rules)
        if writes and _other(encode(name, value, dialect=dialect, version=version), expected):  # type: ignore[misc]
            return False
        if not rewrites or (entries is not None and entries.ends_partially(data)):
            return True
        if recode is not None:
            return not _other(recode(name, data, dialect=dialect, version=version), expected)
        assert encode is not None
        return not _other(encode(name, answer, dialect=dialect, version=version), expected)

    def look(data: bytes) -> bool:
        try:
            value = read(data)
        except fast.REFUSED:
            return refused(data)
        answer = decode(name, data, dialect=dialect, version=version)
        return _same(value, answer) and written(value, answer, data) and shown.before("read")

    return _guarded(look)


def _value(form: Form, module: Module) -> Look:
    """True if both write the same for a value, or both refuse it."""
    name, version, dialect = form.type, form.version, form.dialect
    encode = module.function(Op.ENCODE)
    if encode is None or name is None:
        return never
    codec, rules = reference_codec().dialect(dialect).codec(name, version), reference_codec().rules
    refusals = module.refusals(Op.ENCODE)
    shown = _Shown()

    def look(data: bytes) -> bool:
        value = arguments_of(Op.ENCODE, data)["value"]
        if not is_whole(value, name, dialect=dialect, version=version):
            return True  # no question can be made from it
        try:
            expected = fast.encode(codec, value, rules)
        except WireError as error:
            try:
                encode(name, value, dialect=dialect, version=version)
            except (KeyboardInterrupt, MemoryError):
                raise
            except refusals:
                return shown.before(error.reason)
            return False
        return not _other(encode(name, value, dialect=dialect, version=version), expected) and shown.before("written")

    return _guarded(look)


def _both(first: Look, second: Look) -> Look:
    def look(data: bytes) -> bool:
        return first(data) and second(data)

    return look


def _further(form: Form, module: Module) -> Look:
    """True if the further ops give what the reference gives, or both refuse."""
    name, version, dialect = form.type, form.version, form.dialect
    assert name is not None
    ours = configured_reference(dialect)
    read = fast.reader(ours.dialect(dialect).codec(name, version), ours.rules)
    shown = _Shown()

    def answer(function: Any, refusals: tuple[type[BaseException], ...], op: Op, args: dict[str, Any]) -> Any:
        """The answer of one side, in a list; an empty one for a refusal."""
        try:
            if op not in TYPED_OPS:
                return [shape(op, function(**args, dialect=dialect))]
            rest = (args[each] for each in ARGUMENTS[op])
            return [shape(op, function(name, *rest, dialect=dialect, version=version))]
        except refusals:
            return []

    def look(data: bytes) -> bool:
        value = None
        with contextlib.suppress(*fast.REFUSED):
            value = read(data)
        for op, args in further_ops.arguments(form.ops, dialect, name, data, value):
            expected = answer(getattr(ours, op), (WireError,), op, args)
            if not identical(expected, answer(module.function(op), module.refusals(op), op, args)):
                return False
            if not shown.before(op, bool(expected)):
                return False
        return True

    return _guarded(look)


def _other(answer: Any, expected: bytes) -> bool:
    """Whether the written answer differs. True also for types other than `bytes`."""
    return type(answer) is not bytes or answer != expected


def decode(form: Form, module: Module) -> Look:
    """True if the bytes are read as a value, or refused. The reference is not used."""
    function = module.function(Op.DECODE)
    if Op.DECODE not in form.ops or function is None:
        return never
    name, version, dialect = form.type, form.version, form.dialect
    refusals = module.refusals(Op.DECODE)
    shown = _Shown()

    def look(data: bytes) -> bool:
        try:
            plain(function(name, data, dialect=dialect, version=version))
        except (KeyboardInterrupt, MemoryError, ShapeError):
            raise
        except refusals as error:
            return shown.before(*_kind(error, len(data)))
        return shown.before("read")

    return _guarded(look)


def _guarded(look: Look) -> Look:
    """A look that returns False when an exception is raised."""

    def guarded(data: bytes) -> bool:
        try:
            return look(data)
        except KeyboardInterrupt:
            raise
        except BaseException:  # the steps make an observation of any exception
            return False

    return guarded


def stability(form: Form, module: Module) -> Look:
    """True if the bytes are refused, or if they are read, written and read again with the same value."""
    decode, encode, recode = (module.function(op) for op in (Op.DECODE, Op.ENCODE, Op.RECODE))
    if decode is None or (recode is None and encode is None):
        return never
    name, version, dialect = form.type, form.version, form.dialect
    assert name is not None
    entries = reference_codec().dialect(dialect).entries.get(name)
    refusals = module.refusals(Op.DECODE)
    shown = _Shown()

    def rewritten(data: bytes, answer: Any) -> Any:
        if recode is not None:
            return recode(name, data, dialect=dialect, version=version)
        assert encode is not None
        return encode(name, answer, dialect=dialect, version=version)

    def look(data: bytes) -> bool:
        try:
            answer = decode(name, data, dialect=dialect, version=version)
        except (KeyboardInterrupt, MemoryError):
            raise
        except refusals as error:
            return shown.before(*_kind(error, len(data)))
        first = plain(answer)
        if entries is not None and entries.ends_partially(data):
            return False
        written = rewritten(data, answer)
        if type(written) is not bytes:
            return False
        again = decode(name, written, dialect=dialect, version=version)
        return _same(first, again) and not _other(rewritten(written, again), written) and shown.before("read")

    return _guarded(look)


def answers(reference: Reference, form: Form, module: Module) -> Look:
    """True if both give the same answer to an op without a type. `reference`: with the settings of the dialect."""
    (op,) = form.ops
    theirs, ours = module.function(op), getattr(reference, op, None)
    if theirs is None or ours is None:
        return never
    dialect, names = form.dialect, ARGUMENTS[op]

    def look(data: bytes) -> bool:
        try:
            args = arguments_of(op, data)
        except ValueError:
            return True  # no question can be made from it
        arguments = [args[name] for name in names]
        expected = shape(op, ours(*arguments, dialect=dialect))
        return identical(expected, shape(op, theirs(*arguments, dialect=dialect)))

    return _guarded(look)
