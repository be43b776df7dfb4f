"""What a user brings from another fuzzer: files of inputs, and a dictionary in libFuzzer's format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from wireproof.conformance.files import read_bytes
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.inputs import Forms, split

#: An entry, `"\x00text"` or `name="text"`; a comment; or nothing.
_ENTRY = re.compile(rb'[^"#]*"(?:[^\\\x00-\x08\x0e-\x1f\x7f-\xff]|\\(?:\\|"|x[0-9A-Fa-f]{2}))+"\s*|\s*(?:#.*)?')


def files_of(folder: Path) -> list[Path]:
    """The files in a folder and below it, sorted. Raises FuzzError if there are none."""
    try:
        found = sorted(path for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        raise FuzzError(f"{error.filename or folder}: {error.strerror or error}") from None
    if not found:
        raise FuzzError(f"{folder}: there are no files in it, so no inputs")
    return found


def inputs(path: Path, forms: Forms, *, raw: bool) -> Iterator[bytes]:
    """The inputs that a file stands for: it is one, or, if its first line names none of the forms, its bytes are asked
    in each of them. `raw`: the user said what such bytes are. Raises FuzzError for a file that cannot be read, or is
    raw without leave."""
    try:
        content = read_bytes(path)
    except OSError as error:
        raise FuzzError(f"{path}: {error.strerror or error}") from None
    if split(content)[0] in forms:
        yield content
    elif raw:
        yield from (form.input(content) for form in forms.values() if not form.value)
    else:
        raise FuzzError(
            f"{path}: its first line names no type and version that this target asks about. If the file has the bytes "
            "alone, say what they are with --type."
        )


def dictionary(path: Path) -> bytes:
    """A dictionary, as libFuzzer and AFL read it. Raises FuzzError."""
    try:
        content = read_bytes(path)
    except OSError as error:
        raise FuzzError(f"{path}: {error.strerror or error}") from None
    for number, line in enumerate(content.splitlines(), 1):
        if not _ENTRY.fullmatch(line):
            raise FuzzError(
                f'{path}, line {number}: this is no entry of a dictionary. Write "text" or name="\\x00text": printed '
                'ASCII, and \\xAB for other bytes, \\\\ and \\" for those two.'
            )
    return content
