"""What every kind of connection offers, and how one is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from conformance.closing import Closing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from conformance.model import Case, Description, Observation


class ImplementationError(ValueError):
    """An implementation that cannot be reached. The text says what was tried, what was found and what to do."""


@dataclass(frozen=True)
class Options:
    """How an implementation is asked.

    `timeout`: seconds that one case may take (a large one a few more). `memory`: MiB that the child may take.
    `in_process`: a Python module runs inside this process, for a debugger, without either limit. `transcript`: the
    conversation is appended to this file, a JSON object a line: `{"t": seconds since the start, "dir": ">" or "<",
    "line": …}`, ">" to the implementation; `line` is the object that was sent, or a string where it was none.
    """

    timeout: float = 5.0
    memory: int = 1024
    in_process: bool = False
    transcript: Path | None = None

    def __post_init__(self) -> None:
        if self.timeout <= 0:
            raise ValueError(f"the time for a case is {self.timeout} seconds: it has to be more than 0")
        if self.memory <= 0:
            raise ValueError(f"the memory of a child is {self.memory} MiB: it has to be more than 0")


class Connection(Closing, Protocol):
    """How an implementation is reached. Drivers know nothing else. Not for two threads at a time."""

    @property
    def description(self) -> Description:
        """What the implementation says of itself."""

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Hand over what the cases of a dialect need. False: the implementation has no `configure`.

        Raises ImplementationError when it fails at it.
        """

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """What the implementation did with each case: exactly one observation each, in the order of the cases."""
