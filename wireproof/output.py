"""How commands show things: in colour on a terminal, plain elsewhere."""

from __future__ import annotations

import os
import shutil
import sys

import click
from rich.console import RenderableType

from conformance.report.text import to_string

#: Lines are not drawn out beyond this, however wide the terminal is.
WIDEST = 120


def width() -> int:
    """The columns there are: the terminal's, 100 where there is none."""
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, WIDEST))


def colored() -> bool:
    """Whether to write colour: on a terminal, unless NO_COLOR is set; always under FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def show(renderable: RenderableType) -> None:
    """Write a renderable to standard output."""
    click.echo(to_string(renderable, width=width(), color=colored()), color=True)
