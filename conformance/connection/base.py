"""The interface of connections, and the function that opens one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from wireproof.errors import WireproofError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from wireproof.conformance.model import Case, Description, Observation


class ImplementationError(WireproofError):
    """An implementation that cannot be used. The text says what was tried, what went wrong and what to do."""


#: The largest time limit of a case, in seconds, and the largest memory limit of a child, in MiB.
LONGEST = 24 * 60 * 60.0
MOST_MEMORY = 1 << 20
#: What stands before the user in a login.
SASL_PLAIN = "plain:"
#: The most clients of `load`.
MOST_LOAD = 300


@dataclass(frozen=True)
class Options:
    """The options of a connection.

    `timeout`: the time limit of one case, in seconds (a large case gets a few more). `memory`: the child's memory
    limit, in MiB. `in_process`: a Python module runs inside this process, for a debugger, without both limits.
    `transcript`: the conversation is appended to this file, one JSON object per line: `{"t": seconds since the start,
    "dir": ">" or "<", "line": …}`. ">" goes to the implementation; `line` is the JSON sent, or a string if the line was
    not JSON.

    Of brokers: `dialect` is that of a broker at an address. `silence` is the least time without an answer, in seconds,
    after which a broker is taken to be silent; `timeout` is the most. `allow_remote`: the address may be on another
    machine. `allow_writes`: what is sent to an address may create or change something there. `load`: so many clients
    misbehave beside the questions, and faults are asked of a broker at an address, too; 0: neither.
    `tls_ca`: the certificates that a broker's is checked against, a file in PEM. `sasl`: `plain:USER`, the user as whom
    each connection logs in; of a client: the login that the kit's broker wants.

    Of commands of clients: `prints` says in which form one prints the records that it is given (see `live.printed`).

    Raises WireproofError for a limit out of its range, or none (nan).
    """

    timeout: float = 5.0
    memory: int = 1024
    in_process: bool = False
    transcript: Path | None = None
    dialect: str = "kafka"
    silence: float = 0.3
    allow_remote: bool = False
    allow_writes: bool = False
    load: int = 0
    tls_ca: Path | None = None
    sasl: str | None = None
    prints: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.timeout <= LONGEST:
            raise WireproofError(
                f"the time limit is {self.timeout} seconds: it has to be more than 0 and at most a day"
            )
        if not 0 < self.memory <= MOST_MEMORY:
            raise WireproofError(f"the memory limit is {self.memory} MiB: it has to be from 1 to {MOST_MEMORY}")
        if not 0 < self.silence <= LONGEST:
            raise WireproofError(f"a silence of {self.silence} seconds: it has to be more than 0 and at most a day")
        if not 0 <= self.load <= MOST_LOAD:
            raise WireproofError(f"a load of {self.load} clients: it has to be at most {MOST_LOAD}")
        if self.sasl is not None and not (self.sasl.startswith(SASL_PLAIN) and self.sasl != SASL_PLAIN):
            raise WireproofError(f"the login is {self.sasl!r}: {SASL_PLAIN}USER is expected")


class Connection(AbstractContextManager["Connection", None], Protocol):
    """A connection to an implementation. It is not safe for several threads.

    Cases are asked in blocks, one block at a time: `begin` … `finish`, or `ask`, which does both. To begin a block
    while one is open, or to finish when none is open, raises RuntimeError.

    `repeats`: what the implementation does can depend on the moment, so a deviation counts if it is seen twice.
    """

    repeats: bool = False

    @property
    def description(self) -> Description:
        """The implementation's description of itself."""

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Send the settings that the cases of a dialect need. False: the implementation has no `configure`.

        An open block is asked to its end first. Raises ImplementationError when the implementation's `configure` fails.
        """

    def expect_hangs(self, hangs: Callable[[str], bool]) -> None:
        """Set which cases are known to hang, by their ids: for these a brief wait without an answer is a hang."""

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """One observation for each case, in the order of the cases."""

    def ask_again(self, cases: Sequence[Case]) -> list[Observation]:
        """Ask them once more, with the longest waits. For an implementation that `repeats`."""
        return self.ask(cases)

    def begin(self, cases: Sequence[Case]) -> None:
        """Open a block: send as many questions as fit, and return at once. The implementation works in parallel."""

    def poll(self) -> bool:
        """Read the answers that have arrived, and send more questions, without waiting. Call it now and then while a
        block is open. True if all questions of the block are answered, so that `finish` would not wait.

        A child whose pipe is full waits for this call. That time does not count for the time limit: a case hangs only
        if the kit was listening for the whole limit. Does nothing, and is false, when no block is open.
        """

    def answered(self, seconds: float) -> list[Observation]:
        """Wait for answers, so long at most, or until the block is answered. Returns observations of its next cases,
        those after the ones that were returned before; nothing that comes later changes them. Empty when the first of
        these cases has no answer yet, when no block is open, and for an implementation that `repeats`."""

    def finish(self) -> list[Observation]:
        """Wait for the rest of the block. Returns the observations that `answered` has not returned: without it, the
        same as `ask`."""

    def end(self) -> Observation | None:
        """End the connection. If the implementation ended wrongly after its last answer, an observation of the case
        that it answered last says how: by itself, by a signal, with another exit code than 0, or with more on its
        stdout. None if all is well, or the connection was closed before or in the middle of a block."""

    def close(self) -> None:
        """End the connection, as the end of a `with` block does. Closing twice is harmless."""

    def __exit__(self, *_: object) -> None:
        self.close()


class AtOnce:
    """Blocks for a connection that does all its work in `ask`, and nothing in `begin`."""

    repeats = False
    #: The cases of the open block that have not been asked yet.
    _block: Sequence[Case] | None = None

    def end(self) -> Observation | None:
        """See `Connection.end`. There is no process that could end."""
        self.close()
        return None

    def close(self) -> None:
        """See `Connection.close`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """See `Connection.ask`."""
        raise NotImplementedError

    def ask_again(self, cases: Sequence[Case]) -> list[Observation]:
        """See `Connection.ask_again`."""
        return self.ask(cases)

    def expect_hangs(self, hangs: Callable[[str], bool]) -> None:
        """Does nothing: nothing is waited for."""

    def begin(self, cases: Sequence[Case]) -> None:
        """Open a block."""
        no_block(self._block is not None)
        self._block = cases

    def poll(self) -> bool:
        """Does nothing; the questions are asked in `answered` and `finish`."""
        return self._block is not None and not self._block

    def answered(self, seconds: float) -> list[Observation]:  # noqa: ARG002 (for those below that ask one by one)
        """Ask the whole block."""
        return self._asked(self._block or ())

    def _asked(self, cases: Sequence[Case]) -> list[Observation]:
        """Ask the first cases of the open block."""
        if not cases:
            return []
        block, self._block = self._block or (), None
        asked = self.ask(cases)
        self._block = block[len(cases) :]
        return asked

    def finish(self) -> list[Observation]:
        """Ask the rest of the block."""
        cases, self._block = self._block, None
        if cases is None:
            raise RuntimeError("there is no block to finish: none has been begun")
        return self.ask(cases) if cases else []


def no_block(opened: bool) -> None:
    """Raises RuntimeError while a block is open."""
    if opened:
        raise RuntimeError("a block of cases is open: finish it before the next one begins")
