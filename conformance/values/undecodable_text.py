"""Text that is not UTF-8: libraries show it with different numbers of replacement characters.

An implementation that replaces such text, or keeps its bytes, shows it with U+FFFD. Python writes one U+FFFD for each
maximal part of a character, others write one for each byte. A Python module may return surrogates (`surrogateescape`),
or, for the key of a header, the bytes. All of these are the same answer. Source: the contract, Values; R-K-11, R-D-2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REPLACEMENT = "\ufffd"
#: One or more characters that stand for bytes that are not UTF-8.
_STANDS_FOR_BYTES = re.compile("[\ufffd\udc80-\udcff]+")


def as_expected(expected: Any, answer: Any) -> Any:
    """The answer, with the expected text instead of each text that shows the same bytes in a different way."""
    match expected, answer:
        case str(), str() | bytes() | bytearray() | memoryview():
            same = _shows_bytes(expected) and _folded(expected) == _folded(answer)
            return expected if same else answer
        case Mapping(), Mapping():
            return {key: as_expected(expected.get(key), item) for key, item in answer.items()}
        case (list() | tuple(), list() | tuple()) if len(expected) == len(answer):
            return [as_expected(left, right) for left, right in zip(expected, answer, strict=True)]
    return answer


def _shows_bytes(text: str) -> bool:
    return _STANDS_FOR_BYTES.search(text) is not None


def _folded(text: str | bytes | bytearray | memoryview) -> str:
    plain = text if isinstance(text, str) else bytes(text).decode(errors="replace")
    return _STANDS_FOR_BYTES.sub(REPLACEMENT, plain)
