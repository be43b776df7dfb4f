"""What pages are made of: lines, cells and tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

Lines = Iterator[str]

NOTE = "<!-- Written by `python docs/generate.py`: change its sources, not this page. -->"

#: The folder of the pages, and that of the project.
DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent


def cell(text: str) -> str:
    """Text as the content of a cell, with Markdown's characters escaped."""
    for character in "\\*_|":
        text = text.replace(character, f"\\{character}")
    return text.replace("<", "&lt;").replace("\n", " ")


def code(text: str) -> str:
    """Text as code in a cell."""
    return "`" + text.replace("|", "\\|") + "`"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Lines:
    """A table; its cells are Markdown already."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def count_or_dash(number: int) -> str:
    """A number with separators; a dash for 0."""
    return f"{number:,}" if number else "–"


def between(text: str, begin: str, end: str, lines: Lines, name: str) -> Lines:
    """A page with new lines between two marks. Raises ClickException if the marks are missing."""
    before, opened, rest = text.partition(f"{begin}\n")
    _, closed, behind = rest.partition(f"{end}\n")
    if not opened or not closed:
        raise click.ClickException(f"{name}: what is generated stands between lines {begin} and {end}")
    yield from (before + begin, "", *lines)
    yield end + "\n" + behind
