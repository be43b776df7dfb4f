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
from wireproof.fuzz.campaign.finding import FuzzFinding
from wireproof.fuzz.corpus import inputs
from wireproof.fuzz.corpus.inputs import Forms
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.process.messages import Order
from wireproof.fuzz.process.session import Inside, Listener, Outside, Session, configure
from wireproof.fuzz.process.targets import KINDS, Kind, Likeness


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


class _Deaf:
    """A listener that ignores everything."""

    def found(self, finding: FuzzFinding) -> None:
        pass

    def novel(self, raw: bytes, shown: Likeness) -> None:
        pass


@contextlib.contextmanager
def session_of(spec: str, target: str, dialect: str, *, outside: bool) -> Iterator[Session]:
    """A session that only runs inputs and reports nothing. Raises FuzzError, ImplementationError."""
    order = Order(spec, target, dialect, corpus=(), running="", events=0, outside=outside)
    session = opened(order, _Deaf())
    try:
        yield session
    finally:
        session.examiner.close()


def opened(order: Order, listener: Listener) -> Session:
    """Open the session of an order. Raises FuzzError, ImplementationError, KnownError."""
    kind = kind_of(order.target)
    options = Options(timeout=order.timeout, memory=order.memory, in_process=not order.outside)
    examiner = examiner_of(order.spec, options, order.known)
    asked = forms(kind, examiner.description, order.dialect, order.only)
    configure(examiner.connection, order.dialect)
    if order.outside:
        return Outside(kind, asked, examiner, listener)
    module = load(order.spec)
    module.configure(order.dialect, vectors.settings(order.dialect))
    return Inside(kind, asked, examiner, listener, module)
