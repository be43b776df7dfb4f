"""The coverage of an input as numbers that are the same in each process and on each machine.

`wireproof pipeline corpus` compares them over many processes. A feature is a step from one line to another, named by a
digest of the code that the lines are in, or the head of an input.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from dataclasses import dataclass
from types import CodeType

from wireproof.fuzz.corpus.minimise import reached
from wireproof.fuzz.targets.session import Session
from wireproof.fuzz.targets.session_start import session_of


@dataclass(frozen=True, slots=True)
class Features:
    """Runs inputs, asking one implementation. `packages`: the packages whose lines count, beside those of the
    reference. `in_child`: whether the implementation is asked in a child."""

    spec: str
    packages: frozenset[str]
    in_child: bool

    def __call__(self, target: str, dialect: str, raw: bytes) -> frozenset[int]:
        """The features of an input; none if the target does not take it. Raises FuzzError, ImplementationError."""
        codes: dict[int, CodeType] = {}
        session = _session(self.spec, target, dialect, self.in_child)
        session.execute(raw)  # the first time may run code that is run once in a process
        session.finish()
        steps = reached(session, raw, self.packages | {"wireproof.reference"}, codes)
        return frozenset(
            _number(repr((_digest(codes[step[0]]), *step[1:]) if len(step) > 1 else step).encode()) for step in steps
        )


@functools.lru_cache(64)
def _session(spec: str, target: str, dialect: str, in_child: bool) -> Session:
    """The session of a target, kept until the process ends."""
    return _KEPT.enter_context(session_of(spec, target, dialect, in_child=in_child))


_KEPT = contextlib.ExitStack()


@functools.lru_cache(1 << 14)
def _digest(code: CodeType) -> str:
    """A digest of a code object: its names, its instructions, its constants. Not of its file, whose path varies."""
    constants = [constant for constant in code.co_consts if not isinstance(constant, CodeType | frozenset)]
    parts = (code.co_qualname, code.co_firstlineno, code.co_code, code.co_names, constants)
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def _number(text: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
