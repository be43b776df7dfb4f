"""Finds the rulings that decide a refusal of bytes.

The bytes are read again with each other reading of each contested ruling. A ruling decides if the refusal then
disappears or moves."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from wireproof import reference
from wireproof.conformance.model import Case, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors import Vector
from wireproof.reference.cursor import Span
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.rules import DEMANDED, Rules

#: Larger input is not searched for deciding rulings, because it is read again for each contested ruling.
LARGEST = 256 << 10
#: The number of cached results, and the maximum size of their inputs: the same vector is refused wrongly in several
#: ops, and by several implementations.
_KEPT, _SMALL = 4096, 1024


def rests_on(vector: Vector, case: Case) -> tuple[str, ...]:
    """The ids of the rulings that an expectation rests on, the deciding one first: the rulings that the vector names,
    and the ruling on lengths and counts if one of these is larger than the input. For a refusal without named rulings:
    the rulings that decide how the reference refuses it."""
    contested = [ruling for also in vector.also for ruling in also.rulings if ruling in vector.rulings]
    return tuple(dict.fromkeys((*contested, *_of_refusal(vector, case), *vector.rulings)))


def ground(vector: Vector, case: Case, rules: Rules = DEMANDED) -> str | None:
    """The ruling that tells deviations with one place apart. For bytes that are cut off it is that on lengths which
    announce too much, if they do, wherever the case comes from. `rules`: those under which it has to be refused."""
    data = case.args.get("data")
    cut = vector.reject is not None and vector.reject.reason is Reason.TRUNCATED
    if cut and isinstance(data, bytes) and case.type is not None and case.op is not Op.CONVERT:
        explained = reference_codec().under(rules).explain(case.type, data, dialect=case.dialect, version=case.version)
        found = _uncontested(case.type, case.dialect, explained)
    else:
        found = rests_on(vector, case)
    return found[0] if found else None


def _of_refusal(vector: Vector, case: Case) -> tuple[str, ...]:
    if vector.reject is None or case.type is None:
        return ()
    reason = vector.reject.reason
    if vector.rulings and reason is not Reason.TRUNCATED:
        return ()
    data = case.args.get("data")
    if not isinstance(data, bytes):
        return _of_reason(case.type, case.dialect, reason)
    if case.type not in reference.dialect_named(case.dialect).types and case.op is Op.CONVERT:
        return ()  # its dialect converts the type, and does not read it
    find = _of_bytes if len(data) > _SMALL else _of_few_bytes
    # There are tens of thousands of derived cases, and none of them is contested.
    return find(case.type, data, case.dialect, case.version, contested=not (case.derived or vector.rulings))


def _of_bytes(type_name: str, data: bytes, dialect: str, version: int | None, *, contested: bool) -> tuple[str, ...]:
    """The rulings that decide how the reference refuses `data`; `contested`: also those with other readings."""
    explained = reference_codec().explain(type_name, data, dialect=dialect, version=version)
    if contested and explained.error is not None:
        return deciding_rulings(type_name, data, dialect, version, explained.error, explained.spans)
    return _uncontested(type_name, dialect, explained)


def _uncontested(type_name: str, dialect: str, explained: reference.Explanation) -> tuple[str, ...]:
    """The ruling that says why bytes are refused, if there is one."""
    if explained.error is None:
        return ()
    announced = _is_bomb(explained.error, explained.spans)
    ruling = reference.dialect_named(dialect).refusal_ruling(type_name, explained.error, announced=announced)
    return () if ruling is None else (ruling,)


_of_few_bytes = functools.lru_cache(_KEPT)(_of_bytes)


def _of_reason(type_name: str, dialect: str, reason: Reason) -> tuple[str, ...]:
    """The ruling on a refusal to write a value. Such a case has no bytes."""
    error = DecodeError(reason, "", None)
    ruling = reference.dialect_named(dialect).refusal_ruling(type_name, error, announced=False)
    return () if ruling is None else (ruling,)


def deciding_rulings(
    type_name: str, data: bytes, dialect: str, version: int | None, error: DecodeError, spans: Sequence[Span]
) -> tuple[str, ...]:
    """The ids of the rulings that decide the refusal `error` of `data` by the reference; mostly there are none. Data
    larger than LARGEST is not searched.

    A contested ruling decides when its other reading changes this refusal. One that refuses earlier, or reads an
    earlier byte differently, is about something else. `spans` are those of the bytes that were read.
    """
    if error.offset is None or len(data) > LARGEST:
        return ()
    rulings = [
        ruling.id
        for ruling in reference.rulings(dialect).values()
        if any(
            _fares_otherwise(_rules(dialect, ruling.id, reading), type_name, data, dialect, version, error, spans)
            for reading in ruling.others
        )
    ]
    announced = _is_bomb(error, spans)
    ruling = reference.dialect_named(dialect).refusal_ruling(type_name, error, announced=announced)
    if ruling is not None and (announced or not rulings):
        rulings.append(ruling)
    return tuple(rulings)


@functools.cache
def _rules(dialect: str, ruling: str, reading: str) -> reference.Rules:
    return reference.rules_with(reference.rulings(dialect).values(), {ruling: reading})


def _fares_otherwise(
    rules: reference.Rules,
    type_name: str,
    data: bytes,
    dialect: str,
    version: int | None,
    error: DecodeError,
    spans: Sequence[Span],
) -> bool:
    explanation = reference_codec().under(rules).explain(type_name, data, dialect=dialect, version=version)
    if _before(explanation.spans, error) != _before(spans, error):
        return False
    other = explanation.error
    if other is None:
        return True
    if other.offset is None or error.offset is None or other.offset < error.offset:
        return False
    return (other.reason, other.offset) != (error.reason, error.offset)


def _before(spans: Sequence[Span], error: DecodeError) -> list[tuple[int, int, str]]:
    """The bytes read before the fault, and their meaning."""
    assert error.offset is not None
    return [(span.start, span.end, repr(span.value)) for span in spans if span.end <= error.offset]


def _is_bomb(error: DecodeError, spans: Sequence[Span]) -> bool:
    """Whether a length or count is larger than the bytes that follow it. The size of a frame does not count: more bytes
    may come on the connection."""
    whole = bool(spans) and spans[-1].start == error.offset
    return error.reason is Reason.TRUNCATED and whole and error.path != "size"
