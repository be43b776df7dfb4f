"""The guard around every command. Bad input ends with a paragraph and exit code 2 (1 where the input is refused). Only
a bug of Wireproof itself shows a traceback, and says how to report it."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

import click

from wireproof.errors import WireproofError

#: The exit codes of wrong use and of a bug of ours.
USAGE, FAULT = 2, 3
_REPORT = (
    "This is a fault of Wireproof's own, whatever the input was. Please report it where you have Wireproof from, with "
    "the command, its input, `wireproof --version` and the lines above."
)


def guarded(command: Callable[[], Any]) -> Any:
    """Run a command, and return its result. Ends the process with an exit code when the command fails."""
    if sys.stdout is None:
        _leave("standard output is closed: there is nowhere to write to")
    try:
        result = _run(command)
    except SystemExit:
        _flush()
        raise
    _flush()
    return result


def _run(command: Callable[[], Any]) -> Any:
    try:
        return command()
    except click.Abort:
        _leave("it was interrupted", code=130)
    except click.ClickException as error:
        _flush()
        _show(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        _turn_away()
        sys.exit(USAGE)
    except OSError as error:
        _leave(_of_system(error))
    except MemoryError:
        _leave("there is not enough memory for this input")
    except Exception as error:
        from wireproof.reference.errors import DecodeError, EncodeError

        # A refusal of bytes or of a value is a result, which commands show; one that none has shown is a bug.
        if not isinstance(error, WireproofError) or isinstance(error, (DecodeError, EncodeError)):
            _fault(error)
        _leave(error.text)


def _show(error: click.ClickException) -> None:
    """As click's, with user input in the text made safe."""
    from wireproof.conformance.report.text import paragraph

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        shown: click.ClickException = error
    elif isinstance(error, click.UsageError):
        shown = click.UsageError(paragraph(error.format_message()), error.ctx)
    else:
        shown = click.ClickException(paragraph(error.format_message()))
    with contextlib.suppress(OSError):
        shown.show()


def _of_system(error: OSError) -> str:
    what = error.strerror or str(error) or type(error).__name__
    return what if error.filename is None else f"{error.filename}: {what}"


def _leave(text: str, code: int = USAGE) -> NoReturn:
    """End with a paragraph."""
    from wireproof.conformance.report.text import paragraph

    _flush(quiet=True)
    with contextlib.suppress(OSError):
        click.echo(f"Error: {paragraph(text)}", err=True)
    sys.exit(code)


def _fault(error: Exception) -> NoReturn:
    from wireproof.conformance.report.text import paragraph

    _flush(quiet=True)
    lines = "".join(traceback.format_exception(error))
    with contextlib.suppress(OSError):
        click.echo(f"{paragraph(lines, lines=60)}\n\n{_REPORT}", err=True)
    sys.exit(FAULT)


def _flush(*, quiet: bool = False) -> None:
    """Flush the output. When that fails, end with a message, because the output is incomplete."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _turn_away()
        if not quiet:
            sys.exit(USAGE)
    except OSError as error:
        _turn_away()
        if not quiet:
            _leave(f"standard output cannot be written: {_of_system(error)}")
    except ValueError:  # it was closed on the way
        pass


def _turn_away() -> None:
    """Discard what stdout still holds: Python would fail on it again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
