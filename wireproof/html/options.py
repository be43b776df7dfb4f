"""The option `--html` of a command, and its file: nothing is overwritten unless `--overwrite` asks for it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click


def check_free(path: Path, *, overwrite: bool) -> None:
    """Check that a page may be written there, before work is done for it. Raises click.UsageError."""
    if path.is_dir():
        raise click.UsageError(f"--html={path}: it is a folder; name a file")
    if path.exists() and not overwrite:
        raise click.UsageError(f"--html={path}: there is such a file already; --overwrite replaces it")


def write(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a page. A file that was not written completely is removed. Raises click.UsageError."""
    check_free(path, overwrite=overwrite)
    fresh = not path.exists()
    try:
        with path.open("wb" if overwrite else "xb") as file:
            file.write(text.encode())
    except OSError as error:
        if fresh:
            with contextlib.suppress(OSError):
                path.unlink()
        raise click.UsageError(f"--html={path}: it cannot be written: {error.strerror or error}") from None


def html_options(command: Any) -> Any:
    """`--html` and `--overwrite`, as `html` and `overwrite`."""
    command = click.option("--overwrite", is_flag=True, help="Replace the file of --html.")(command)
    return click.option(
        "--html",
        type=click.Path(path_type=Path),
        metavar="OUT",
        help="Write a page for the browser into this file.",
    )(command)
