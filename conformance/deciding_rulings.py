"""Which rulings decide that bytes are refused.

The bytes are read again under each other reading of each contested ruling. A ruling decides when the refusal then goes
away, or moves; one that changes nothing has no say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import reference
from conformance.model import Case
from conformance.reference_codec import reference_codec
from conformance.vectors import Vector
from reference.cursor import Span
from reference.errors import DecodeError, Reason

#: Of more bytes it is not found out which rulings have a say: they are read once more for each contested one.
LARGEST = 256 << 10


def rests_on(vector: Vector, case: Case) -> tuple[str, ...]:
    """The ids of the rulings that an expectation rests on, the deciding one first: the rulings that the vector names,
    and that on lengths and counts when one is larger than the input; for a refusal without named rulings, those that
    decide how the reference refuses it."""
    contested = [ruling for also in vector.also for ruling in also.rulings if ruling in vector.rulings]
    return tuple(dict.fromkeys((*contested, *_of_refusal(vector, case), *vector.rulings)))


def _of_refusal(vector: Vector, case: Case) -> tuple[str, ...]:
    if vector.reject is None or case.type is None:
        return ()
    reason = vector.reject.reason
    if vector.rulings and reason is not Reason.TRUNCATED:
        return ()
    data = case.args.get("data")
    if not isinstance(data, bytes):
        return _of_reason(case.type, case.dialect, reason)
    found = reference_codec().explain(case.type, data, dialect=case.dialect, version=case.version)
    if found.error is None:
        return ()
    if case.derived or vector.rulings:  # of derived ones there are tens of thousands, and none of them is contested
        announced = _is_bomb(found.error, found.spans)
        ruling = reference.dialect_named(case.dialect).refusal_ruling(case.type, found.error, announced=announced)
        return () if ruling is None else (ruling,)
    return deciding_rulings(case.type, data, case.dialect, case.version, found.error, found.spans)


def _of_reason(type_name: str, dialect: str, reason: Reason) -> tuple[str, ...]:
    """The ruling on a refusal to write, of which there are no bytes."""
    error = DecodeError(reason, "", None)
    ruling = reference.dialect_named(dialect).refusal_ruling(type_name, error, announced=False)
    return () if ruling is None else (ruling,)


def deciding_rulings(
    type_name: str, data: bytes, dialect: str, version: int | None, error: DecodeError, spans: Sequence[Span]
) -> tuple[str, ...]:
    """The ids of the rulings that decide the refusal `error` of `data` by the reference; mostly there is none. Data
    larger than LARGEST is not looked at.

    A contested ruling decides when its other reading changes this refusal. One that refuses earlier, or reads an
    earlier byte differently, is about something else. `spans` are those of the bytes that were read.
    """
    if error.offset is None or len(data) > LARGEST:
        return ()
    rulings = [
        ruling.id
        for ruling in reference.rulings(dialect).values()
        if any(
            _fares_otherwise({ruling.id: reading}, type_name, data, dialect, version, error, spans)
            for reading in ruling.others
        )
    ]
    announced = _is_bomb(error, spans)
    ruling = reference.dialect_named(dialect).refusal_ruling(type_name, error, announced=announced)
    if ruling is not None and (announced or not rulings):
        rulings.append(ruling)
    return tuple(rulings)


def _fares_otherwise(
    readings: Mapping[str, str],
    type_name: str,
    data: bytes,
    dialect: str,
    version: int | None,
    error: DecodeError,
    spans: Sequence[Span],
) -> bool:
    other_reading = reference_codec().under(reference.rules_with(reference.rulings(dialect).values(), readings))
    found = other_reading.explain(type_name, data, dialect=dialect, version=version)
    if _before(found.spans, error) != _before(spans, error):
        return False
    other = found.error
    if other is None:
        return True
    if other.offset is None or error.offset is None or other.offset < error.offset:
        return False
    return (other.reason, other.offset) != (error.reason, error.offset)


def _before(spans: Sequence[Span], error: DecodeError) -> list[tuple[int, int, str]]:
    """What was read before the fault, and as what."""
    assert error.offset is not None
    return [(span.start, span.end, repr(span.value)) for span in spans if span.end <= error.offset]


def _is_bomb(error: DecodeError, spans: Sequence[Span]) -> bool:
    """Whether a length or count was read that is larger than what follows it. A frame's size is not such a length: a
    connection goes on after it."""
    whole = bool(spans) and spans[-1].start == error.offset
    return error.reason is Reason.TRUNCATED and whole and error.path != "size"
