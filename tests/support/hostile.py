"""A text that must never reach a terminal, XML or a page unescaped, and the check of output for it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

#: Colours, a cleared screen (in C0 and in C1), a changed title, a bell, NUL, backspace, another reading direction, a
#: line separator, a tag character that nobody sees; and what markup would be.
TEXT = "\x1b[31m\x1b[2J\x9b2J\x1b]0;title\x07\x00\x08\x7f\u202e\u2066\u2028\U000e0041<b>&amp;]]>[red]"
#: The same without what JSON and paths cannot hold.
IN_A_PATH = TEXT.replace("\x00", "").replace("/", "")
#: Commands for the log of a CI service: of GitHub where they begin a line, `##[` (and `##vso[` of Azure) anywhere. Each
#: word is one, so that one begins a line wherever lines are wrapped.
COMMANDS = " ::error::a ::add-mask::b ##[error]c ##vso[task.complete]d" * 12
#: Blanks and our own colours may stand before a command.
_COMMAND = re.compile(r"^(\x1b\[[\d;]*m|\s)*::|##\w*\[", re.MULTILINE)
#: More than this is a flood, wherever it comes out. The texts that are sent have ten times as many characters.
FLOOD = 1_000_000


def clean(text: str, limit: int = FLOOD) -> None:
    """Nothing in it acts on a terminal or on a CI service that keeps it as a log, and it is no flood."""
    bad = {char for char in text if not char.isprintable() and char != "\n"}
    assert not bad, f"{sorted(bad)} in {_around(text, bad)!r}"
    command = _COMMAND.search(text)
    assert command is None, text[max(0, command.start() - 80) : command.end() + 80]
    assert len(text) < limit


def clean_xml(content: bytes) -> None:
    """The same of junitxml, in texts and attributes; and it can be read."""
    root = ElementTree.fromstring(content)
    for element in root.iter():
        for text in (element.text, element.tail, *element.attrib.values()):
            clean(text or "")


def _around(text: str, bad: set[str]) -> str:
    at = min(text.index(char) for char in bad)
    return text[max(0, at - 80) : at + 20]
