"""The output of commands: in colour on a terminal, plain elsewhere.

Everything that a command prints goes through here; control characters become escapes.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any

import click
from rich.console import RenderableType

from wireproof.conformance.report.text import json_text, middle, safe, to_string

#: The maximum width of lines, on wider terminals too.
WIDEST = 120
#: `say` cuts longer lines in the middle.
_LONGEST_LINE = 2000


def width() -> int:
    """The number of columns: the terminal's, or 100 without one."""
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, WIDEST))


def colored() -> bool:
    """Whether to write colour: on a terminal, unless NO_COLOR is set; always under FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def show(renderable: RenderableType) -> None:
    """Write a renderable to standard output."""
    click.echo(to_string(renderable, width=width(), color=colored()), color=True)


def say(line: str, *, err: bool = False) -> None:
    """Write a line, made safe, to standard output; `err`: to standard error."""
    click.echo(safe(middle(line, _LONGEST_LINE)), err=err)


def progress(line: str) -> None:
    """Write one line over the last one on a terminal, on standard error; an empty line ends them."""
    if line:
        click.echo(f"\r{safe(line)[: width()]:<{width()}}", err=True, nl=False)
    else:
        click.echo(err=True)


class ProgressLine:
    """What a long command does now, on standard error: on a terminal a line that is written over, elsewhere a new line
    from time to time. Both numbers are the seconds between two lines."""

    def __init__(self, *, on_terminal: float = 0.0, elsewhere: float = 10.0) -> None:
        self._terminal = sys.stderr.isatty()
        self._pause = on_terminal if self._terminal else elsewhere
        self._next = 0.0
        self._open = False

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._pause
        if self._terminal:
            progress(line)
            self._open = True
        else:
            say(line, err=True)

    def end(self) -> None:
        """Leave the line that is written over."""
        if self._open:
            progress("")
            self._open = False


def say_json(value: Any, indent: int | None = None) -> None:
    """Write JSON to standard output."""
    click.echo(json_text(value, indent))
