"""The options of commands that put questions to an implementation, and how it is reached."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from conformance import vectors
from conformance.asking import Examiner
from conformance.connection import ImplementationError, Options, open_connection
from conformance.connection.base import LONGEST, MOST_MEMORY
from conformance.vectors import VectorError


class _Seconds(click.FloatRange):
    """A time that passes: no nan, which no comparison finds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """As every range does."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number of seconds", param, ctx)
        return number


#: What `--timeout` and `--memory` take, of every command.
SECONDS = _Seconds(min=0, min_open=True, max=LONGEST)
MEMORY = click.IntRange(min=1, max=MOST_MEMORY)

_Command = TypeVar("_Command", bound=Callable[..., Any])


def implementation_options(command: _Command) -> _Command:
    """`--impl` and how it is asked: the decorated function takes `spec` and `options` for `open_examiner`."""
    for option in reversed(
        (
            click.option(
                "--impl",
                "spec",
                required=True,
                metavar="SPEC",
                help="The implementation: package.module[:attribute], or 'exec:./program --flag'.",
            ),
            click.option(
                "--timeout",
                type=SECONDS,
                default=5.0,
                show_default=True,
                metavar="SECONDS",
                help="Time limit of one question.",
            ),
            click.option(
                "--memory",
                type=MEMORY,
                default=1024,
                show_default=True,
                metavar="MIB",
                help="Memory limit of the child process.",
            ),
            click.option(
                "--in-process",
                is_flag=True,
                help="Run a Python module inside this process, for a debugger: no limits, and its crash is ours.",
            ),
            click.option(
                "--transcript",
                type=click.Path(dir_okay=False, path_type=Path),
                metavar="FILE",
                help="Append the conversation to FILE, a JSON object a line.",
            ),
        )
    ):
        command = option(command)
    return command


@contextlib.contextmanager
def open_examiner(spec: str, options: Options, *, as_declared: bool = True) -> Iterator[Examiner]:
    """Who asks the implementation, without known deviations. `as_declared`: under the readings that it declares.

    Raises click.UsageError when it cannot be reached, or breaks off.
    """
    try:
        with open_connection(spec, options) as connection:
            declared = connection.description if as_declared else replace(connection.description, readings={})
            try:
                examiner = Examiner(connection, description=declared)
            except ValueError as error:  # it declares a reading that there is not
                raise ImplementationError(str(error)) from None
            yield examiner
    except ImplementationError as error:
        raise click.UsageError(f"--impl: {error}") from None


def load_vectors(dialects: tuple[str, ...] | None = None) -> tuple[vectors.Vector, ...]:
    """The vector set. Raises click.ClickException for a file that does not keep to the format."""
    try:
        return vectors.load(dialects)
    except VectorError as error:
        raise click.ClickException(f"the vector set is damaged: {error}") from None
