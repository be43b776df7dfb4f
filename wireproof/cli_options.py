"""The common options of commands that ask an implementation, and how they reach it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.connection.base import LONGEST, MOST_LOAD, MOST_MEMORY
from wireproof.conformance.vectors import VectorError

_timeout_option = functools.partial(
    click.option,
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=LONGEST),
    show_default=True,
    metavar="SECONDS",
    help="Time limit of one question.",
)
#: The limits of a child, of every command that starts one.
timeout_option = _timeout_option(default=5.0)
#: The same, with a longer limit, for runs that share the machine and must not differ from one to the next.
patient_timeout_option = _timeout_option(default=10.0)
memory_option = click.option(
    "--memory",
    type=click.IntRange(min=1, max=MOST_MEMORY),
    default=1024,
    show_default=True,
    metavar="MIB",
    help="Memory limit of the child process.",
)

vectors_option = click.option(
    "--vectors",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder of your own vectors, as pytest --impl takes it (repeatable).",
)

overwrite_option = click.option(
    "--overwrite", is_flag=True, help="Replace files that are not of an earlier run, or were changed since."
)

_Command = TypeVar("_Command", bound=Callable[..., Any])


def implementation_options(command: _Command) -> _Command:
    """`--impl` and how it is asked: the decorated function takes `spec`, and the arguments of `Options` for
    `open_examiner`."""
    for option in reversed(
        (
            click.option(
                "--impl",
                "spec",
                required=True,
                metavar="SPEC",
                help="The implementation: package.module[:attribute], 'exec:./program --flag', tcp://HOST:PORT, "
                "'client:COMMAND {bootstrap}', or 'proxy:COMMAND {listen} {upstream}'.",
            ),
            timeout_option,
            memory_option,
            click.option(
                "--in-process",
                is_flag=True,
                help="Run a Python module in this process, for a debugger: no limits, and a crash ends the command.",
            ),
            click.option(
                "--silence",
                type=click.FloatRange(min=0, min_open=True, max=LONGEST),
                default=Options.silence,
                show_default=True,
                metavar="SECONDS",
                help="Of a broker: the least time without an answer that counts as silence.",
            ),
            click.option(
                "--allow-remote",
                is_flag=True,
                help="The broker may be on another machine, whose owner agreed to get broken and hostile bytes.",
            ),
            click.option(
                "--allow-writes",
                is_flag=True,
                help="What is sent to a broker at an address may create or change something there.",
            ),
            click.option(
                "--load",
                type=click.IntRange(min=0, max=MOST_LOAD),
                default=0,
                metavar="N",
                help="Of a broker: N clients beside the question send half a request, send slowly, or do not read.",
            ),
            click.option(
                "--tls-ca",
                type=click.Path(dir_okay=False, path_type=Path),
                metavar="FILE",
                help="Of a broker at tls://: the certificates, in PEM, that its own is checked against.",
            ),
            click.option(
                "--sasl",
                metavar="plain:USER",
                help="Log in to a broker as this user; of a client: the login that the kit's broker wants. The "
                "password is in the environment, WIREPROOF_SASL_PASSWORD.",
            ),
            click.option(
                "--prints",
                metavar="FORM",
                help="Of a client's command: it prints the records that it is given, as `json` (kcat -J) or in a "
                "pattern such as '{offset} {key=NULL} {value=NULL}'.",
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
    """An examiner of the implementation, without known deviations. `as_declared`: with the readings that it declares.

    Raises click.UsageError when the implementation cannot be reached, or stops.
    """
    try:
        with open_connection(spec, options) as connection:
            declared = connection.description if as_declared else replace(connection.description, readings={})
            try:
                examiner = Examiner(connection, description=declared)
            except ValueError as error:  # it declares an unknown reading
                raise ImplementationError(str(error)) from None
            yield examiner
    except ImplementationError as error:
        raise click.UsageError(f"--impl: {error}") from None


def use_vectors(folders: tuple[Path, ...]) -> None:
    """Use the vectors of these folders while the command runs. Raises click.UsageError."""
    click.get_current_context().call_on_close(lambda: vectors.use_folders(()))
    try:
        vectors.use_folders(folders)
    except VectorError as error:
        raise click.UsageError(f"--vectors: {error}") from None


def load_vectors(dialects: tuple[str, ...] | None = None) -> tuple[vectors.Vector, ...]:
    """The vector set. Raises click.ClickException for a file with a wrong format."""
    try:
        return vectors.load(dialects)
    except VectorError as error:
        raise click.ClickException(f"the vector set is damaged: {error}") from None
