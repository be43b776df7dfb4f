"""Programs that show a finding with nothing but the library itself, for a report to its project.

They lie in `implementations/reproducers/<implementation>/`: a table `reproducers.toml`, and the programs in the
library's own language. In a program `@bytes@` stands for the bytes of the question, and `@twin@` for those of its valid
twin, both as hexadecimal digits.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from wireproof.clone.registry import ROOT
from wireproof.conformance.files import read_text
from wireproof.conformance.questions.positive_control import twin_of
from wireproof.conformance.report.text import safe
from wireproof.conformance.vectors import Vector

FOLDER = ROOT / "implementations" / "reproducers"


class _Program(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`case`: the id of a question. `file`: its program. `run`: the command. `shows`: texts that it prints, in this
    order. `exit`: its exit code, as a shell has it (128 and the signal's number)."""

    case: str
    file: str
    run: str
    shows: list[str]
    exit: int


class _File(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`language`: as Markdown names it. `setup`: commands in an empty folder, with `{version}` for the library's."""

    language: str
    setup: list[str]
    program: list[_Program]


@dataclass(frozen=True, slots=True)
class Reproducer:
    """What a person does in an empty folder: the commands `setup`, the program `text` as `file`, the command `run`.
    `shows`: texts that it prints, in this order; `exit`: its exit code."""

    setup: tuple[str, ...]
    file: str
    text: str
    language: str
    run: str
    shows: tuple[str, ...]
    exit: int


def cases(name: str) -> frozenset[str]:
    """The ids of the questions that an implementation has programs for. Raises click.UsageError for a wrong table."""
    table = _table(name)
    return frozenset() if table is None else frozenset(one.case for one in table.program)


def reproducer(name: str, case: str, vector: Vector, version: str) -> Reproducer | None:
    """The program of this implementation for a question, if it has one. Raises click.UsageError for a wrong table."""
    table = _table(name)
    if table is None:
        return None
    for program in table.program:
        if program.case == case:
            text = _filled(FOLDER / name / program.file, vector)
            setup = tuple(line.replace("{version}", version) for line in table.setup)
            return Reproducer(
                setup, program.file, text, table.language, program.run, tuple(program.shows), program.exit
            )
    return None


def _filled(path: Path, vector: Vector) -> str:
    try:
        text = read_text(path)
    except OSError as error:
        raise click.UsageError(f"{path.name} of {path.parent.name} can't be read: {error.strerror}") from error
    twin = twin_of(vector)
    if "@twin@" in text and twin is None:
        raise click.UsageError(f"{path.name} of {path.parent.name} has @twin@, but {vector.path} has no twin")
    text = text.expandtabs(4).replace("@bytes@", vector.data.hex())  # control characters are not printed
    return text if twin is None else text.replace("@twin@", twin.data.hex())


def _path(name: str) -> Path:
    return FOLDER / name / "reproducers.toml"


def _table(name: str) -> _File | None:
    path = _path(name)
    if not path.is_file():
        return None
    try:
        return msgspec.convert(tomllib.loads(read_text(path)), _File)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise click.UsageError(f"implementations/reproducers/{name}/reproducers.toml: {safe(str(error))}") from error
