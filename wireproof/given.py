"""Bytes as people give them on the command line: hex digits, a dump, a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.dump import GIVE_WHOLE, DumpError, undump
from conformance.report.text import safe


def read_bytes(arguments: tuple[str, ...]) -> bytes:
    """The bytes that the arguments give: digits, a dump, `-` or `@FILE`. Raises click.UsageError."""
    if len(arguments) == 1 and arguments[0].startswith("@"):
        path = Path(arguments[0][1:])
        try:
            return path.read_bytes()
        except OSError as error:
            raise click.UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    text = sys.stdin.read() if arguments == ("-",) else " ".join(arguments)
    try:
        dumped = undump(text)
    except DumpError as error:
        raise click.UsageError(str(error)) from None
    if dumped is None:
        return _digits(text)
    if len(arguments) > 1:
        raise click.UsageError(f"the columns of a dump are told apart by its blanks: {GIVE_WHOLE}")
    return dumped


def _digits(text: str) -> bytes:
    """Hex digits with anything between them that people write there."""
    found: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        if text[position : position + 2] in ("0x", "0X", "\\x") and len(found) % 2 == 0:
            position += 2
            continue
        if char in "0123456789abcdefABCDEF":
            found.append(char)
        elif not (char.isspace() or char in ":,"):
            shown = safe(text[max(0, position - 8) : position + 9])
            raise click.UsageError(
                f"character {position + 1} of HEX, '{safe(char)}', is no hex digit (near '{shown}'); "
                "blanks, colons and 0x may stand between the digits, a file is given as @FILE"
            )
        position += 1
    if len(found) % 2:
        near = "".join(found[-5:])
        raise click.UsageError(
            f"HEX has {len(found)} digits, an odd number: digit {len(found)}, the last one of …{near}, "
            "stands alone; two digits make a byte"
        )
    return bytes.fromhex("".join(found))
