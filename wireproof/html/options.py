"""The option `--html` of a command, and its file: nothing is overwritten unless `--overwrite` asks for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wireproof.cli_options import overwrite_option
from wireproof.conformance import writing


def check_free(path: Path, *, overwrite: bool) -> None:
    """Check that a page may be written there, before work is done for it. Raises click.UsageError."""
    with _usable(path):
        writing.check_free(path, overwrite=overwrite)


def write(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a page, whole or not at all. Raises click.UsageError."""
    with _usable(path):
        writing.write_whole(path, text.encode(), overwrite=overwrite)


@contextlib.contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"--html={path}: it cannot be written: {error.strerror}") from None


def html_options(command: Any) -> Any:
    """`--html` and `--overwrite`, as `html` and `overwrite`."""
    command = overwrite_option(command)
    return click.option(
        "--html",
        type=click.Path(path_type=Path),
        metavar="OUT",
        help="Write a page for the browser into this file.",
    )(command)
