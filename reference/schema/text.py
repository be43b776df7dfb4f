"""JSON with comments, as Kafka's own generator reads it."""

from __future__ import annotations

import json
import re
from typing import Any

from wireproof.reference.errors import SchemaError

#: A string, or a comment: // to the end of the line, or /* … */. What has no end goes to the end of the text, so that
#: each character is looked at only once.
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*|/\*(?:.*?\*/|(?P<open>.*))', re.DOTALL)


_DECODER = json.JSONDecoder()


def load_json(text: str | bytes) -> Any:
    """Parses JSON with comments; what follows the value is not read. Raises SchemaError.

    Kafka's own reader does the same (Jackson's `ObjectMapper.readTree`), and some of Kafka's schemas need it: in
    kafka-clients 2.8 a `}` too many follows two of them.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise SchemaError(f"the file is not UTF-8: {error}") from None
    plain = _STRING_OR_COMMENT.sub(_without_comment, text)
    try:
        return _DECODER.raw_decode(plain.lstrip(" \t\r\n"))[0]
    except ValueError as error:  # of the text, or an integer of thousands of digits
        raise SchemaError(f"not JSON: {error}") from None
    except RecursionError:
        raise SchemaError("the JSON is nested too deeply") from None


def _without_comment(match: re.Match[str]) -> str:
    """A string unchanged; a comment's line ends, so that errors name the right line."""
    if match["open"] is not None:
        line = match.string.count("\n", 0, match.start()) + 1
        raise SchemaError(f"not JSON: the comment in line {line} has no end")
    return match[1] or " " + "\n" * match[0].count("\n")
