"""The other readings that an implementation declares, and whether they explain its answer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from wireproof import reference
from wireproof.conformance.model import Observation, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.compare import equal
from wireproof.conformance.values.undecodable_text import as_expected
from wireproof.reference.codec import accepts_more

#: Ops that take bytes.
_OF_BYTES = frozenset({Op.DECODE, Op.RECODE})


class Readings:
    """Declared readings of one dialect: ruling → the reading's name. Raises ValueError for an unknown reading.

    `configured` returns the reference with the settings of the implementation. It is called when it is first needed."""

    def __init__(
        self,
        dialect: str,
        declared: Mapping[str, str],
        configured: Callable[[], reference.Reference] = reference.Reference,
    ) -> None:
        self.dialect = dialect
        self.declared = dict(sorted(declared.items()))
        self._configured = configured
        self._rules(tuple(self.declared.items()))  # raises early

    def explain(self, observation: Observation) -> tuple[str, ...]:
        """The rulings whose declared readings explain the observation, because the reference does the same with them: a
        single one if that is enough, else all of them. Empty if nothing explains it, or if the reference does the same
        without them."""
        if not self.declared or observation.status not in (Status.ANSWER, Status.REJECT):
            return ()
        demanded = ask(self._under(()), observation.case)
        if _does_the_same(demanded, observation):
            return ()
        everything = tuple(self.declared.items())
        for item in everything:
            if self._explains((item,), observation, demanded):
                return (item[0],)
        several = len(everything) > 1 and self._explains(everything, observation, demanded)
        return tuple(self.declared) if several else ()

    def matches(self, observation: Observation) -> bool:
        """Whether the reference does the same with all declared readings together. It may also do so without them."""
        known = observation.status in (Status.ANSWER, Status.REJECT)
        return known and self._same(tuple(self.declared.items()), observation)

    def _same(self, readings: tuple[tuple[str, str], ...], observation: Observation) -> bool:
        return _does_the_same(ask(self._under(readings), observation.case), observation)

    def _explains(self, readings: tuple[tuple[str, str], ...], observation: Observation, demanded: Observation) -> bool:
        """As `_same`, if the reference does not do the same without them. `demanded`: what it does then. Readings that
        only accept more change nothing where the bytes are accepted anyway, so it is not asked again."""
        accepts = demanded.case.op in _OF_BYTES and demanded.status is Status.ANSWER
        if accepts and accepts_more(self._rules(readings)):
            return False
        return self._same(readings, observation)

    def _rules(self, readings: tuple[tuple[str, str], ...]) -> reference.Rules:
        return reference.rules_with(reference.rulings(self.dialect).values(), dict(readings))

    @functools.cache  # noqa: B019 (one small object in each run)
    def _under(self, readings: tuple[tuple[str, str], ...]) -> reference.Reference:
        return self._configured().under(self._rules(readings))


def _does_the_same(by_reference: Observation, observation: Observation) -> bool:
    """Whether the reference's observation of a case is the implementation's too."""
    if observation.case.op is Op.RECODE and observation.half == "encode":
        return by_reference.half == "encode"  # it read the bytes too, and refused to write them
    if by_reference.status is not observation.status:
        return False
    if by_reference.status is Status.REJECT:
        return observation.half is None or by_reference.half in (None, observation.half)
    expected, answer = _comparable(by_reference.answer, observation)
    return equal(expected, as_expected(expected, answer))


def _comparable(by_reference: Any, observation: Observation) -> tuple[Any, Any]:
    case = observation.case
    if case.op is Op.DECODE and case.type is not None:
        return tuple(
            reference_codec().complete(case.type, answer, dialect=case.dialect, version=case.version)
            for answer in (by_reference, observation.answer)
        )
    if case.op is Op.EVOLVE:  # only whether there is an incompatible change is judged
        return bool(by_reference), bool(observation.answer)
    return by_reference, observation.answer
