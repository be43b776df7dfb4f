"""`wireproof wrapper check`: does a program keep to the line protocol?"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click
from rich.text import Text

from conformance.connection import ImplementationError, Options
from conformance.connection.protocol_check import Check, Inspection, Result
from conformance.report.text import LINE, LINES, middle, safe, safe_lines, wrap
from wireproof.implementation import MEMORY, SECONDS
from wireproof.output import show, width

_SIGNS = {Result.GOOD: ("✓", "green"), Result.BAD: ("✗", "bold red"), Result.NOT_RUN: ("–", "dim")}
_INDENT = " " * 4


@click.group()
def wrapper() -> None:
    """Look after a wrapper: the program or module that connects a codec to the kit."""


@wrapper.command(epilog="Exit codes: 0 nothing to mend, 1 something to mend, 2 a usage error.")
@click.argument("spec", metavar="exec:COMMAND")
@click.option(
    "--timeout",
    type=SECONDS,
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit of the next answer.",
)
@click.option(
    "--memory",
    type=MEMORY,
    default=1024,
    show_default=True,
    metavar="MIB",
    help="Memory limit of the program.",
)
def check(spec: str, timeout: float, memory: int) -> None:
    """Check that a program keeps to the line protocol.

    It does not ask whether answers are right, only whether they are answers: complete, to the right question, in
    time. With a program that passes, what `pytest --impl` finds is about the codec, not about the wrapper.

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
    try:
        inspection = Inspection(spec, Options(timeout=timeout, memory=memory))
    except ImplementationError as error:
        raise click.UsageError(str(error)) from None
    checks = []
    for done in inspection.run():
        checks.append(done)
        show(_row(done))
    show(_summary(checks))
    sys.exit(1 if any(done.result is Result.BAD for done in checks) else 0)


def _row(done: Check) -> Text:
    """A check in one line; a bad one with all that was found and what to do."""
    sign, style = _SIGNS[done.result]
    text = Text().append(f"{sign} ", style).append(f"{done.name:<38}")
    if done.result is not Result.BAD:
        room = max(width() - len(text) - 2, 10)
        first_line = safe(done.found.partition("\n")[0])
        return text.append(f"  {middle(first_line, min(room, LINE))}", "dim")
    for line in safe_lines(done.found, LINES, LINE):
        for piece in wrap(line, width() - len(_INDENT)):
            text.append(f"\n{_INDENT}{piece}")
    for piece in wrap(f"→ {done.advice}", width() - len(_INDENT)):
        text.append(f"\n{_INDENT}{piece}", "bold")
    return text


def _summary(checks: Sequence[Check]) -> Text:
    count = {result: sum(done.result is result for done in checks) for result in Result}
    text = f"\n{count[Result.GOOD]} good, {count[Result.BAD]} bad, {count[Result.NOT_RUN]} not run"
    return Text(text, "bold red" if count[Result.BAD] else "bold green")
