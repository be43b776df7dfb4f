"""Bytes from the command line: hex digits, a hex dump, or a file. More than 16 MiB are refused at once, so that every
answer comes in seconds."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path

import click

from wireproof.conformance.files import MIB, read_bytes, size_text
from wireproof.conformance.report.text import safe
from wireproof.explain.hexdump import GIVE_WHOLE, DumpError, undump

#: The maximum number of bytes, and of the characters that stand for them: xxd needs five for a byte.
LARGEST = 16 * MIB
_LONGEST_TEXT = 5 * LARGEST
_BETWEEN = {ord(":"): " ", ord(","): " "}
#: A prefix behind no digit; where it stands between the digits of a byte, these are no pair.
_PREFIX = re.compile(r"(?<![0-9a-fA-F])(?:0[xX]|\\x)")
#: A prefix, digits of which none is a prefix's, what may stand between, or one character that has no place here.
_TOKEN = re.compile(r"(0[xX]|\\x)|((?:[0-9a-fA-F](?![xX]))+)|[\s:,]+|(.)", re.DOTALL)


def input_bytes(arguments: tuple[str, ...]) -> bytes:
    """The bytes of the arguments: digits, a dump, `-` or `@FILE`. Raises click.UsageError."""
    if len(arguments) == 1 and arguments[0].startswith("@"):
        path = Path(arguments[0][1:])
        try:
            return read_bytes(path, LARGEST)
        except OSError as error:
            raise click.UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    data = _from_text(_standard_input() if arguments == ("-",) else " ".join(arguments), arguments)
    if len(data) > LARGEST:
        raise click.UsageError(f"HEX are {len(data)} bytes; {size_text(LARGEST)} is the most that is read")
    return data


def _standard_input() -> str:
    if sys.stdin is None:
        raise click.UsageError("standard input is closed: there is nothing to read")
    try:
        text = sys.stdin.read(_LONGEST_TEXT + 1)
    except UnicodeDecodeError:
        raise click.UsageError("standard input is not text: hex is read there; bytes are given as @FILE") from None
    if len(text) > _LONGEST_TEXT:
        raise click.UsageError(
            f"standard input goes on behind {size_text(_LONGEST_TEXT)}; {size_text(LARGEST)} of bytes is the most that "
            "is read"
        )
    return text


def _from_text(text: str, arguments: tuple[str, ...]) -> bytes:
    """The bytes of digits or of a dump."""
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
    """The bytes of hex digits, with the usual separators between them."""
    with contextlib.suppress(ValueError):  # the quick way for most
        return bytes.fromhex(_PREFIX.sub(" ", text.translate(_BETWEEN)))
    pieces: list[str] = []
    count = 0
    for token in _TOKEN.finditer(text):
        prefix, digits, stranger = token.groups()
        if prefix and count % 2:  # inside a byte it is none: 1 0x…
            if prefix[0] == "\\":
                raise _no_digit(text, token.start())
            raise _no_digit(text, token.start() + 1)
        if stranger:
            raise _no_digit(text, token.start())
        if digits:
            pieces.append(digits)
            count += len(digits)
    if count % 2:
        near = "".join(pieces[-5:])[-5:]
        raise click.UsageError(
            f"HEX has {count} digits, an odd number: digit {count}, the last one of …{near}, "
            "stands alone; two digits make a byte"
        )
    return bytes.fromhex("".join(pieces))


def _no_digit(text: str, position: int) -> click.UsageError:
    shown = safe(text[max(0, position - 8) : position + 9])
    return click.UsageError(
        f"character {position + 1} of HEX, '{safe(text[position])}', is no hex digit (near '{shown}'); "
        "blanks, colons and 0x may stand between the digits, a file is given as @FILE"
    )
