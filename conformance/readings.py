"""The other readings that an implementation declares, and whether they explain what it did."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import reference
from conformance.model import Case, Observation, Op, Status
from conformance.reference_codec import reference_codec
from conformance.replaced import as_expected
from conformance.values import equal


class Readings:
    """Declared readings of one dialect: ruling → the reading's name. Raises ValueError for one that does not exist.

    `settings` gives what the reference is configured with, when it is first asked."""

    def __init__(
        self, dialect: str, declared: Mapping[str, str], settings: Callable[[], Mapping[str, Any]] = dict
    ) -> None:
        self.dialect = dialect
        self.declared = dict(sorted(declared.items()))
        self._settings = settings
        self._rules(tuple(self.declared.items()))  # raises early

    def explain(self, observation: Observation) -> tuple[str, ...]:
        """The rulings whose declared readings explain the observation, because under them the reference does the same:
        one alone if that is enough, else all of them. Empty when nothing explains it, or when the reference does the
        same anyway."""
        if not self.declared or observation.status not in (Status.ANSWER, Status.REJECT):
            return ()
        if self._same((), observation):
            return ()
        for item in self.declared.items():
            if self._same((item,), observation):
                return (item[0],)
        everything = tuple(self.declared.items())
        return tuple(self.declared) if len(everything) > 1 and self._same(everything, observation) else ()

    def matches(self, observation: Observation) -> bool:
        """Whether the reference does the same under all declared readings together, even if it does so anyway."""
        known = observation.status in (Status.ANSWER, Status.REJECT)
        return known and self._same(tuple(self.declared.items()), observation)

    def _same(self, readings: tuple[tuple[str, str], ...], observation: Observation) -> bool:
        by_reference = ask(self._under(readings), observation.case)
        if by_reference.status is not observation.status:
            return False
        if by_reference.status is Status.REJECT:
            return True
        expected, answer = _comparable(by_reference.answer, observation)
        return equal(expected, as_expected(expected, answer))

    def _rules(self, readings: tuple[tuple[str, str], ...]) -> reference.Rules:
        return reference.rules_with(reference.rulings(self.dialect).values(), dict(readings))

    @functools.cache  # noqa: B019 (one small object a run)
    def _under(self, readings: tuple[tuple[str, str], ...]) -> reference.Reference:
        found = reference.Reference(self._rules(readings))
        found.configure(self._settings(), dialect=self.dialect)
        return found


def _comparable(by_reference: Any, observation: Observation) -> tuple[Any, Any]:
    case = observation.case
    if case.op is Op.DECODE and case.type is not None:
        return tuple(
            reference_codec().complete(case.type, answer, dialect=case.dialect, version=case.version)
            for answer in (by_reference, observation.answer)
        )
    if case.op is Op.EVOLVE:  # whether anything breaks is all that is judged
        return bool(by_reference), bool(observation.answer)
    return by_reference, observation.answer


def ask(implementation: reference.Reference, case: Case) -> Observation:
    """What the reference does with a case."""
    arguments: dict[str, Any] = {**case.args, "dialect": case.dialect}
    if case.type is not None:
        arguments |= {"type": case.type, "version": case.version}
    method = getattr(implementation, case.op, None)
    if method is None:
        return Observation(case, Status.UNSUPPORTED, detail=f"the reference has no {case.op}")
    try:
        return Observation(case, Status.ANSWER, method(**arguments))
    except reference.WireError as error:
        offset = error.offset if isinstance(error, reference.DecodeError) else None
        return Observation(
            case, Status.REJECT, reason=error.reason, offset=offset, half=error.half, detail=error.detail
        )
    except NotImplementedError as error:
        return Observation(case, Status.UNSUPPORTED, detail=str(error))
