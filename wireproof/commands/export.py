"""`wireproof export`: the vectors as plain data, for test runners in other languages."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import IO

import click

from wireproof.cli_options import overwrite_option
from wireproof.conformance import writing
from wireproof.console import say
from wireproof.export import plain_data
from wireproof.export.package import LANGUAGES, Export, ExportError, archive, for_language, write
from wireproof.export.package import export as make
from wireproof.export.parquet import as_table

#: The first bytes of a gzipped file.
_GZIP = b"\x1f\x8b"
#: Vectors that are left out, and named.
_MOST_NAMED = 10


@click.command(epilog="Exit codes: 0 it is written, 2 a usage error.")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "parquet", *LANGUAGES]),
    default="json",
    show_default=True,
    help="json, parquet: data alone. Others: with the test files of a language.",
)
@click.option("--dialect", "dialects", multiple=True, metavar="D", help="Only this dialect (repeatable).")
@click.option("--area", "areas", multiple=True, metavar="A", help="Only this area (repeatable).")
@click.option("--type", "types", multiple=True, metavar="T", help="Only this type (repeatable).")
@click.option(
    "--largest",
    type=click.IntRange(min=1024),
    default=plain_data.LARGEST,
    show_default=True,
    metavar="N",
    help="Leave out vectors whose line has more bytes.",
)
@click.option(
    "--archive",
    "packed",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a .tar.gz, and its checksum beside it, in place of or beside DIR.",
)
@overwrite_option
def export(
    folder: Path | None,
    form: str,
    dialects: tuple[str, ...],
    areas: tuple[str, ...],
    types: tuple[str, ...],
    largest: int,
    packed: Path | None,
    overwrite: bool,
) -> None:
    """Write the vectors as plain data into DIR, for tests in other languages.

    Each line of a file is one vector with everything that a test needs: input, expectation, the valid twin of a
    negative, other readings. The format is described in docs/reference/export-format.md. For a language, test files are
    written beside them: you call your library in one of them, and run that language's own test command. A folder of an
    earlier export is brought up to date; your own file stays, and a file that you changed is an error. The size is told
    before anything is written.

    \b
    Examples:
        wireproof export vectors-json
        wireproof export --dialect kafka --area varints varints
        wireproof export --format=typescript tests/wireproof
        wireproof export --format=c tests/wireproof
        wireproof export --archive vectors.tar.gz
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    if folder is None and packed is None:
        raise click.UsageError("name a folder, or a file with --archive")
    changed: tuple[str, ...] = ()
    try:
        if packed is not None:
            _check_free(packed, overwrite=overwrite)
        made = make(dialects, areas, types, largest)
        if form == "parquet":
            made = as_table(made)
        elif form != "json":
            made = for_language(made, form)
        written = sum(1 for path in made.files if path not in made.own)
        say(f"{written} files, {_size(made)}. Smaller with --area, --type, --dialect, --largest.")
        if folder is not None:
            changed = write(made, folder, overwrite=overwrite)
        if packed is not None:
            _pack(archive(made), packed, overwrite=overwrite)
    except ExportError as error:
        raise click.UsageError(str(error)) from None
    for path in changed:
        say(f"left as it is, because it was changed since an earlier export: {path}")
    for identifier in made.left_out[:_MOST_NAMED]:
        say(f"left out, because its line has more than {largest:,} bytes: {identifier}")
    if len(made.left_out) > _MOST_NAMED:
        say(f"left out too: {len(made.left_out) - _MOST_NAMED} more, which manifest.json names")
    places = " and ".join(str(place) for place in (folder, packed) if place is not None)
    say(f"{made.cases:,} vectors in {written} files: {places}")


def _size(made: Export) -> str:
    """All bytes of an export, and those of its largest file, in MB."""
    sizes = {path: len(content) for path, content in made.files.items()}
    largest = max(sizes, key=lambda path: sizes[path])
    return f"{sum(sizes.values()) / 1e6:.2f} MB, of which {largest} has {sizes[largest] / 1e6:.2f} MB"


def _check_free(path: Path, *, overwrite: bool) -> None:
    """Check that an archive may be written there. Raises ExportError."""
    try:
        writing.check_free(path, _is_archive, overwrite=overwrite)
    except OSError as error:
        raise ExportError(f"{error.filename or path}: {error.strerror or error}") from None


_is_archive = writing.marked(_GZIP)


def _pack(content: bytes, path: Path, *, overwrite: bool) -> None:
    checksum = path.with_name(f"{path.name}.sha256")
    line = f"{hashlib.sha256(content).hexdigest()}  {path.name}\n".encode()
    try:
        writing.write_whole(path, content, _is_archive, overwrite=overwrite)
        writing.write_whole(checksum, line, _is_checksum, overwrite=overwrite)
    except OSError as error:
        raise ExportError(f"{error.filename or path}: {error.strerror or error}") from None


def _is_checksum(file: IO[bytes]) -> bool:
    return re.match(rb"[0-9a-f]{64}  ", file.read(66)) is not None
