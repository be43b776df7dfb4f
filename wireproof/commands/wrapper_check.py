"""`wireproof wrapper check`: checks that a program follows the line protocol, and the conventions on values."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence

import click
from rich.text import Text

from wireproof.cli_options import memory_option, timeout_option
from wireproof.conformance.asking.conventions import conventions
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.connection.protocol.check import Check, Inspection, Result
from wireproof.conformance.report.text import LINE, LINES, middle, safe, safe_lines, wrap
from wireproof.console import show, width

_SIGNS = {Result.GOOD: ("✓", "green"), Result.BAD: ("✗", "bold red"), Result.NOT_RUN: ("–", "dim")}
_INDENT = " " * 4


@click.group()
def wrapper() -> None:
    """Check a wrapper: the program or module that connects a codec to the kit."""


@wrapper.command(epilog="Exit codes: 0 nothing to mend, 1 something to mend, 2 a usage error.")
@click.argument("spec", metavar="exec:COMMAND")
@timeout_option
@memory_option
def check(spec: str, timeout: float, memory: int) -> None:
    """Check that a program follows the line protocol.

    It does not check whether answers are right, only that they are complete, in time and for the right question, and
    that values have the form that the kit expects: names of fields, records inside messages. If a program passes,
    failures of `pytest --impl` are about the codec, not about the wrapper. Of a program that listens as a broker, it
    checks that it does, and that it ends.

    \b
    Examples:
        wireproof wrapper check "exec:./wrapper"
        wireproof wrapper check "exec:python3 wrapper.py --strict"
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    if not spec.startswith("exec:"):
        raise click.UsageError(
            f'{spec!r} is no program: write exec:COMMAND, such as "exec:python3 wrapper.py". '
            "A Python module needs no check: the kit itself keeps to the protocol for it."
        )
    options = Options(timeout=timeout, memory=memory)
    try:
        inspection = Inspection(spec, options)
    except ImplementationError as error:
        raise click.UsageError(str(error)) from None
    checks: list[Check] = []
    for done in itertools.chain(inspection.run(), _conventions(spec, options, checks)):
        checks.append(done)
        show(_row(done))
    show(_summary(checks))
    sys.exit(1 if any(done.result is Result.BAD for done in checks) else 0)


def _conventions(spec: str, options: Options, before: Sequence[Check]) -> Iterator[Check]:
    """The checks of conventions, of a program that is no broker and passed all `before`."""
    if any(done.result is Result.BAD for done in before):
        return
    with open_connection(spec, options) as connection:
        if connection.description.apis is None:
            yield from conventions(connection)


def _row(done: Check) -> Text:
    """A check in one line; a bad one with details and advice."""
    sign, style = _SIGNS[done.result]
    text = Text().append(f"{sign} ", style).append(f"{done.name:<38}")
    if done.result is not Result.BAD:
        room = max(width() - len(text) - 2, 10)
        first_line = safe(done.detail.partition("\n")[0])
        return text.append(f"  {middle(first_line, min(room, LINE))}", "dim")
    for line in safe_lines(done.detail, LINES, LINE):
        for piece in wrap(line, width() - len(_INDENT)):
            text.append(f"\n{_INDENT}{piece}")
    for piece in wrap(f"→ {done.advice}", width() - len(_INDENT)):
        text.append(f"\n{_INDENT}{piece}", "bold")
    return text


def _summary(checks: Sequence[Check]) -> Text:
    count = {result: sum(done.result is result for done in checks) for result in Result}
    text = f"\n{count[Result.GOOD]} good, {count[Result.BAD]} bad, {count[Result.NOT_RUN]} not run"
    return Text(text, "bold red" if count[Result.BAD] else "bold green")
