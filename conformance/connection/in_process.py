"""A Python module inside this process, for a debugger. There are no limits of time or memory."""

from __future__ import annotations

import copy
import time
from typing import TYPE_CHECKING, Any

import msgspec

from wireproof.conformance.connection.base import AtOnce, ImplementationError, Options, no_block
from wireproof.conformance.connection.loading import load
from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.connection.protocol.transcript import Transcript
from wireproof.conformance.connection.quarantine import Quarantine
from wireproof.conformance.model import Case, Description, Observation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


#: The members of an observation that are the implementation's text.
_TEXTS = ("reason", "error", "frame", "detail")


class InProcessConnection(AtOnce):
    """A connection to a module of this process."""

    def __init__(self, spec: str, options: Options) -> None:
        """Import it. Raises ImplementationError."""
        self._module = load(spec)
        self._spec = spec
        self._quarantine = Quarantine()
        self._transcript = Transcript(options.transcript)
        self._recording = options.transcript is not None
        self._seq = 0

    @property
    def description(self) -> Description:
        """The module's description of itself."""
        return self._module.description

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Pass the settings that the cases of a dialect need."""
        try:
            return self._module.configure(dialect, copy.deepcopy(settings))
        except ImplementationError as error:
            raise ImplementationError(f"{self._spec} failed at configure for {dialect}: {error}") from error

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """One observation for each case."""
        no_block(self._block is not None)
        observations = []
        for index, case in enumerate(cases):
            observation = self._quarantine.spares(index, case) or self._ask(case)
            self._quarantine.note(index, observation)
            observations.append(observation)
        self._transcript.flush()
        return self._quarantine.settle(observations)

    def answered(self, seconds: float) -> list[Observation]:
        """Ask cases of the open block one by one, for so long, and one at least."""
        deadline = time.monotonic() + seconds
        asked = self._asked((self._block or ())[:1])
        while self._block and time.monotonic() < deadline:
            asked += self._asked(self._block[:1])
        return asked

    def _ask(self, case: Case) -> Observation:
        # A module may change its arguments: it gets a copy, as a child does.
        observed = self._module.call(msgspec.structs.replace(case, args=copy.deepcopy(dict(case.args))))
        observation = msgspec.structs.replace(
            observed, case=case, **{name: lines.cut(text) for name in _TEXTS if (text := getattr(observed, name))}
        )
        if self._recording:
            self._seq += 1
            self._transcript.sent(lines.question(self._seq, case))
            self._transcript.heard(lines.answer(self._seq, observation))
        return observation

    def close(self) -> None:
        """Close the transcript; the module stays imported."""
        self._transcript.close()
