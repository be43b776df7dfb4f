"""Opens a session: connects to the implementation, and selects the questions that it offers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import NOTHING_KNOWN, Examiner
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.connection.loading import load
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import Known
from wireproof.conformance.model import Description, Op
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets import inputs
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.inputs import Forms
from wireproof.fuzz.targets.kinds import KINDS, Kind, Likeness
from wireproof.fuzz.targets.session import ChildSession, Listener, ModuleSession, Session, configure


def kind_of(target: str) -> Kind:
    """The target with this name. Raises FuzzError."""
    if target not in KINDS:
        raise FuzzError(f"there is no target {target!r}; the targets are {', '.join(KINDS)}")
    return KINDS[target]


def forms(kind: Kind, described: Description, dialect: str, only: str | None) -> Forms:
    """The forms that a target asks about. Raises FuzzError if there are none."""
    if dialect not in reference.dialects:
        raise FuzzError(f"there is no dialect {dialect!r}; the dialects are {', '.join(reference.dialects)}")
    if dialect not in described.dialects:
        spoken = ", ".join(described.dialects)
        raise FuzzError(f"{described.name} does not offer the dialect {dialect}; it offers {spoken}")
    if not kind.typed and only is not None:
        raise FuzzError(f"the target {kind.name} asks about no type: leave out {only}")
    if kind.typed:
        offered = inputs.typed(described, dialect, kind.ops, only)
        if kind.values:
            offered = {**offered, **inputs.of_values(offered)}
    else:
        offered = inputs.untyped(described, dialect, [op for op in kind.ops if _has(dialect, op)])
    taken = {head: form for head, form in offered.items() if kind.takes(form)}
    if not taken:
        what = f"{dialect}" if only is None else f"the type {only} of {dialect}"
        needed = " and ".join(sorted(kind.needs)) or " or ".join(kind.ops)
        raise FuzzError(f"the target {kind.name} asks {needed}, which {described.name} does not offer for {what}")
    return taken


def _has(dialect: str, op: Op) -> bool:
    """Whether a dialect has vectors for this op."""
    return any(op in vector.ops for vector in vectors.load([dialect]))


def known_of(path: str | None, described: Description) -> Known:
    """The known deviations in a file. Raises KnownError."""
    return NOTHING_KNOWN if path is None else known_deviations.load(Path(path), described.version)


def examiner_of(spec: str, options: Options, known_file: str | None) -> Examiner:
    """Connect to an implementation, to ask it and judge its answers. Raises ImplementationError, KnownError."""
    connection = open_connection(spec, options)
    try:
        return Examiner(connection, known_of(known_file, connection.description))
    except ValueError as error:  # it declares an unknown reading
        connection.close()
        raise ImplementationError(str(error)) from None


class _NoListener:
    """A listener that ignores everything."""

    def found(self, finding: FuzzFinding) -> None:
        pass

    def novel(self, raw: bytes, shown: Likeness) -> None:
        pass


@contextlib.contextmanager
def session_of(spec: str, target: str, dialect: str, *, in_child: bool) -> Iterator[Session]:
    """A session that only runs inputs and reports nothing. Raises FuzzError, ImplementationError."""
    session = open_session(spec, target, dialect, _NoListener(), in_child=in_child)
    try:
        yield session
    finally:
        session.examiner.close()


def open_session(
    spec: str,
    target: str,
    dialect: str,
    listener: Listener,
    *,
    only: str | None = None,
    known: str | None = None,
    in_child: bool = False,
    timeout: float = 5.0,
    memory: int = 1024,
) -> Session:
    """Connect to an implementation, and prepare the questions of a target. `only`: about this type alone. `known`: a
    file of known deviations. `in_child`: ask it in a child, in `timeout` seconds and with `memory` MiB.

    Raises FuzzError, ImplementationError, KnownError.
    """
    kind = kind_of(target)
    examiner = examiner_of(spec, Options(timeout=timeout, memory=memory, in_process=not in_child), known)
    asked = forms(kind, examiner.description, dialect, only)
    configure(examiner.connection, dialect)
    if in_child:
        return ChildSession(kind, asked, examiner, listener)
    module = load(spec)
    module.configure(dialect, vectors.settings(dialect))
    return ModuleSession(kind, asked, examiner, listener, module)
