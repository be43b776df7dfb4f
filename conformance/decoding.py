"""Decodes JSON and TOML that others wrote. Whatever is wrong with it (bytes that are no UTF-8, nesting without end,
another form) is one error, DecodingError, whose text says what is wrong and where."""

from __future__ import annotations

import re
import tomllib
from typing import Any, TypeVar

import msgspec

from wireproof.errors import WireproofError

_T = TypeVar("_T")
#: The most words of a key in TOML, as a.b.c: Python's reader takes a time that grows with their square.
_MOST_WORDS = 16
_LONG_KEY = re.compile(
    rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_MOST_WORDS}}}""", re.ASCII
)


class DecodingError(WireproofError):
    """Content that is not in the expected form."""


class NotUtf8Error(DecodingError):
    """Content with a byte that is no part of UTF-8."""


def decode_json(decoder: msgspec.json.Decoder[_T], content: bytes | str | msgspec.Raw) -> _T:
    """What a decoder makes of JSON. Raises DecodingError."""
    try:
        return decoder.decode(content)
    except UnicodeDecodeError as error:
        raise NotUtf8Error(_wrong_byte(bytes(content)) if not isinstance(content, str) else str(error)) from None
    except RecursionError:
        raise DecodingError("it is nested too deeply") from None
    except msgspec.MsgspecError as error:
        raise DecodingError(str(error)) from None


def decode_toml(content: bytes) -> dict[str, Any]:
    """The tables of TOML. Raises DecodingError."""
    toml = decode_text(content)
    if key := _LONG_KEY.search(toml):
        line = toml.count("\n", 0, key.start()) + 1
        raise DecodingError(f"line {line}: more than {_MOST_WORDS} words with dots between them")
    try:
        return tomllib.loads(toml)
    except RecursionError:
        raise DecodingError("it is nested too deeply") from None
    except ValueError as error:  # a TOMLDecodeError, or a number or a date beyond Python's
        raise DecodingError(str(error)) from None


def decode_text(content: bytes) -> str:
    """Content as text. Raises DecodingError for bytes that are no UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise NotUtf8Error(_wrong_byte(content)) from None


def _wrong_byte(content: bytes) -> str:
    """Where the first byte is that is no UTF-8: lines are counted from 1, bytes of a line from 0."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = f"line {before.count(10) + 1}, " if b"\n" in content.rstrip(b"\n") else ""
        place = error.start - (before.rfind(b"\n") + 1)
        return f"it is no UTF-8: {line}byte {place} is 0x{content[error.start]:02x}"
    return "it is no UTF-8"
