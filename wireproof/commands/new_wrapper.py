"""`wireproof new wrapper`: a scaffold that runs."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import click

from wireproof.conformance.writing import Folder
from wireproof.console import say


@dataclass(frozen=True, slots=True)
class _Scaffold:
    """What is made, and what to try first."""

    code: str
    commands: tuple[str, ...]


_SCAFFOLDS = {
    "python": _Scaffold("my_codec.py", ("pytest --impl=my_codec",)),
    "exec": _Scaffold(
        "wrapper.py", ('wireproof wrapper check "exec:./wrapper.py"', 'pytest --impl="exec:./wrapper.py"')
    ),
}


@click.group()
def new() -> None:
    """Write a scaffold that runs, to start from."""


@new.command()
@click.argument("kind", type=click.Choice(list(_SCAFFOLDS)))
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def wrapper(kind: str, folder: Path) -> None:
    """Make a wrapper in DIR that runs at once: call your library in place of its own few lines.

    \b
    python   a module with decode and encode for two types, and a guide to the rest
    exec     a program of some 40 lines behind the line protocol, for codecs in any language

    Nothing is overwritten.

    \b
    Examples:
        wireproof new wrapper python my-wrapper
        wireproof new wrapper exec my-wrapper
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    scaffold = _SCAFFOLDS[kind]
    texts = _texts(kind)
    try:
        Folder(folder).write_all({name: text.encode() for name, text in texts.items()})
    except OSError as error:
        raise click.UsageError(f"{error.filename or folder} cannot be written: {error.strerror}") from None
    say(f"{folder / scaffold.code} runs as it is; {folder / 'README.md'} says how to go on. Try:")
    say("")
    for command in (f"cd {shlex.quote(str(folder))}", *scaffold.commands):
        say(f"    {command}")


def _texts(kind: str) -> dict[str, str]:
    """The scaffold's files by name."""
    folder = resources.files("wireproof") / "templates" / kind
    return {
        file.name: file.read_text(encoding="utf-8")
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.is_file()
    }
