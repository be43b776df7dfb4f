"""A protocol value as text for people."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Iterator, Mapping
from typing import Any


def show(value: Any) -> str:
    """A value as readable text: bytes as hex, floats with their bits."""
    return "".join(_pieces(value))


def show_short(value: Any, most: int) -> str:
    """The beginning of `show`, at most so many characters; the last one is "…" if there are more."""
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > most:
            return f"{text[: most - 1]}…"
    return text


def _pieces(value: Any) -> Iterator[str]:
    match value:
        case bytes() | bytearray() | memoryview():
            yield f"0x{value.hex()}" if len(value) else 'b""'
        case float():
            yield f"{value!r} (bits {struct.pack('>d', value).hex()})"
        case uuid.UUID():
            yield f"uuid {value}"
        case list() | tuple():
            yield "["
            for number, item in enumerate(value):
                yield ", " if number else ""
                yield from _pieces(item)
            yield "]"
        case Mapping():
            yield "{"
            for number, (key, item) in enumerate(value.items()):
                yield f"{', ' if number else ''}{key}: "
                yield from _pieces(item)
            yield "}"
        case None:
            yield "null"
        case bool():
            yield "true" if value else "false"
        case _:
            yield repr(value)
