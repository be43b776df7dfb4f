"""JSON with comments, as Kafka's own generator reads it."""

from __future__ import annotations

import json
import re
from typing import Any

from wireproof.reference.errors import SchemaError

#: A string, or a comment: // to the end of the line, or /* … */.
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def load_json(text: str | bytes) -> Any:
    """Parses JSON with comments. Raises SchemaError."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise SchemaError(f"the file is not UTF-8: {error}") from None
    try:
        return json.loads(_STRING_OR_COMMENT.sub(_without_comment, text))
    except ValueError as error:  # of the text, or an integer of thousands of digits
        raise SchemaError(f"not JSON: {error}") from None
    except RecursionError:
        raise SchemaError("the JSON is nested too deeply") from None


def _without_comment(match: re.Match[str]) -> str:
    """A string unchanged; a comment's line ends, so that errors name the right line."""
    return match[1] or " " + "\n" * match[0].count("\n")
