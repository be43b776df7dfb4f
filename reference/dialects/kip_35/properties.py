"""Reads a broker's properties file, for its tags: `key = value` lines in Java's form.

Source: the documentation of java.util.Properties.load.
"""

from __future__ import annotations

import re

from wireproof.errors import WireproofError

_COMMENT = re.compile(r"[ \t\f]*[#!]")
#: The key ends at the first blank, = or : that no backslash precedes.
_KEY = re.compile(r"(?:[^\\ \t\f=:]|\\.)*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NAMED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
#: Half of a character beyond U+FFFF, which Java writes as two.
_SURROGATE = re.compile("[\ud800-\udfff]")


class PropertiesError(WireproofError):
    """A properties file that is refused; the text names the line or the property."""


def load(text: str) -> dict[str, str]:
    """The properties of a file. When a key stands twice, its last value counts. Raises PropertiesError."""
    properties: dict[str, str] = {}
    for number, line in _lines(text):
        key = _KEY.match(line)
        assert key is not None  # it may be empty
        behind = _SEPARATOR.match(line, key.end())
        assert behind is not None
        properties[_unescaped(key[0], number)] = _unescaped(line[behind.end() :], number)
    return properties


def _lines(text: str) -> list[tuple[int, str]]:
    """Each line that is not blank or a comment, with its number; continued lines (backslash) are joined."""
    lines: list[tuple[int, str]] = []
    open_line = False
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        said = line.lstrip(" \t\f")
        if not open_line and (not said or _COMMENT.match(line)):
            continue
        if open_line:
            first, before = lines.pop()
            lines.append((first, before + said))
        else:
            lines.append((number, said))
        first, whole = lines[-1]
        open_line = (len(whole) - len(whole.rstrip("\\"))) % 2 == 1
        if open_line:
            lines[-1] = (first, whole[:-1])
    return lines


def _unescaped(text: str, number: int) -> str:
    def plain(match: re.Match[str]) -> str:
        said = match[1]
        if said == "u":
            raise PropertiesError(f"line {number}: \\u is followed by four hex digits")
        return chr(int(said[1:], 16)) if len(said) == 5 else _NAMED.get(said, said)

    # In Java's characters, of which two may be one: \ud834\udd1e is U+1D11E.
    joined = _ESCAPE.sub(plain, text).encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
    if half := _SURROGATE.search(joined):
        raise PropertiesError(
            f"line {number}: \\u{ord(half[0]):04x} is half a character, and the other half is missing"
        )
    return joined
