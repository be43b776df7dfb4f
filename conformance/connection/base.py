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


#: Seconds that a case may be given at most, and MiB that a child may be.
LONGEST = 24 * 60 * 60.0
MOST_MEMORY = 1 << 20


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
        if not 0 < self.timeout <= LONGEST:
            raise ValueError(f"the time for a case is {self.timeout} seconds: it has to be more than 0, a day at most")
        if not 0 < self.memory <= MOST_MEMORY:
            raise ValueError(f"the memory of a child is {self.memory} MiB: it has to be from 1 to {MOST_MEMORY}")


class Connection(Closing, Protocol):
    """The way to an implementation, and all that drivers know of it. Not for two threads at a time.

    Cases are asked in blocks, one block at a time: `begin` … `finish`, or `ask`, which is both. Beginning a block while
    one is open, or finishing when none is, raises RuntimeError.
    """

    @property
    def description(self) -> Description:
        """What the implementation says of itself."""

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Hand over what the cases of a dialect need. False: the implementation has no `configure`.

        A block that is open is asked to its end first. Raises ImplementationError when it fails at it.
        """

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """What the implementation did with each case: exactly one observation each, in the order of the cases."""

    def begin(self, cases: Sequence[Case]) -> None:
        """Open a block: send what fits, and return at once. The implementation works while the caller does."""

    def poll(self) -> None:
        """Take the answers that have come, and send more questions, without waiting. Call it now and then while a block
        is open.

        A child whose pipe is full has to wait until this is called. That time does not count: a case hangs only when
        the kit listened for the whole limit. Without an open block nothing happens.
        """

    def finish(self) -> list[Observation]:
        """Wait for the rest of the block: what `ask` of its cases gives."""


class AtOnce(Closing):
    """The blocks of a connection that asks a whole block when it is wanted, in `ask`, and nothing before."""

    _block: Sequence[Case] | None = None

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """As of every connection."""
        raise NotImplementedError

    def begin(self, cases: Sequence[Case]) -> None:
        """Open a block."""
        no_block(self._block is not None)
        self._block = cases

    def poll(self) -> None:
        """Nothing comes before the block is wanted."""

    def finish(self) -> list[Observation]:
        """Ask the block."""
        cases, self._block = self._block, None
        if cases is None:
            raise RuntimeError("there is no block to finish: none has been begun")
        return self.ask(cases)


def no_block(opened: bool) -> None:
    """Raises RuntimeError while a block is open."""
    if opened:
        raise RuntimeError("a block of cases is open: finish it before the next one begins")
