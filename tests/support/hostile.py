"""A text that must never reach a terminal, XML or a page unescaped, and the check of output for it."""

from __future__ import annotations

from xml.etree import ElementTree

#: Colours, a cleared screen (in C0 and in C1), a changed title, a bell, NUL, backspace, another reading direction, a
#: line separator, a tag character that nobody sees; and what markup would be.
TEXT = "\x1b[31m\x1b[2J\x9b2J\x1b]0;title\x07\x00\x08\x7f\u202e\u2066\u2028\U000e0041<b>&amp;]]>[red]"
#: The same without what JSON and paths cannot hold.
IN_A_PATH = TEXT.replace("\x00", "").replace("/", "")
#: More than this is a flood, wherever it comes out. The texts that are sent have ten times as many characters.
FLOOD = 1_000_000


def clean(text: str, limit: int = FLOOD) -> None:
    """Nothing in it acts on a terminal, and it is no flood."""
    bad = {char for char in text if not char.isprintable() and char != "\n"}
    assert not bad, f"{sorted(bad)} in {_around(text, bad)!r}"
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
