"""A connection to the reference, in this process, that remembers its questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wireproof import reference
from wireproof.conformance.connection.base import AtOnce
from wireproof.conformance.model import Case, Description, Observation, Op, Status
from wireproof.conformance.oracle.ask import ask

#: The ops that a type can be asked in by its bytes or values.
TYPED = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE})
EVERYTHING = frozenset(Op)


class Recorder(AtOnce):
    """`settings`: whether it has a `configure`; `description`: members of its description beside the name."""

    def __init__(self, *, settings: bool = True, **description: Any) -> None:
        self.description = Description("recorder", **{"ops": EVERYTHING, "dialects": reference.dialects} | description)
        self.asked: list[list[Case]] = []
        self.configured: list[str] = []
        self.closed = 0
        self._settings = settings
        self._own = reference.Reference()

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        self.configured.append(dialect)
        self._own.configure(settings, dialect=dialect)
        return self._settings

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        self.asked.append(list(cases))
        return [self.observe(case) for case in cases]

    def observe(self, case: Case) -> Observation:
        """What becomes of one case: for a class below to change."""
        return ask(self._own, case)

    def close(self) -> None:
        self.closed += 1

    @property
    def ids(self) -> list[str]:
        return [case.id for block in self.asked for case in block]


class Refuser(Recorder):
    """Refuses whatever it is asked."""

    def observe(self, case: Case) -> Observation:
        return Observation(case, Status.REJECT)


class RecodesMessages(Recorder):
    """Offers all ops of all types, and answers `unsupported` to decode and encode of those with versions."""

    def observe(self, case: Case) -> Observation:
        if case.version is not None and case.op in (Op.DECODE, Op.ENCODE):
            return Observation(case, Status.UNSUPPORTED, detail="messages are recoded only")
        return super().observe(case)
