"""Safe text: text from outside is escaped and shortened before it reaches a terminal or a file.

Nothing in it acts on a terminal, or on a CI service that reads the log: GitHub obeys a line that begins with `::`, and
`##[` anywhere, Azure `##vso[`. One character of such a command becomes an escape, where lines are wrapped too.

`safe` is for a word or a line, `paragraph` for a text of several lines, `json_text` for JSON, `to_string` for a page.
"""

from __future__ import annotations

import io
import json
import re
import textwrap
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.text import Text

from wireproof.conformance.values.show import show

#: The number of elements, bytes and characters shown at each end of a long array, long data and long text.
_ITEMS, _BYTES, _CHARACTERS = 4, 12, 40
#: The maximum depth of a nested value.
_DEPTH = 8
#: The maximum number of lines of a paragraph, and of characters in a line.
LINES, LINE = 40, 600
#: Characters that JSON text may hold unescaped, and that may not be printable.
_BEYOND_ASCII = re.compile("[^\n\x20-\x7e]")
#: The beginning of a command: `::` that begins a line, perhaps after blanks, and the `##` of `##[` and `##vso[`.
#: Colours may stand between. Its last character becomes an escape.
_COLORS = r"(?:\x1b\[[\d;]*m)*"
_COMMAND = re.compile(rf"(^(?:\x1b\[[\d;]*m| )*:{_COLORS}):|(#{_COLORS})#(?={_COLORS}\w*{_COLORS}\[)", re.MULTILINE)


def safe(text: str) -> str:
    """`text` on one line, with escapes for control characters and all others that are not printable, and for commands
    of CI services."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else _escape(char) for char in text)
    return _inert(text) if "::" in text or "##" in text else text


def _inert(text: str) -> str:
    """Lines in which nothing is a command of a CI service."""
    return _COMMAND.sub(lambda found: f"{found[1]}\\x3a" if found[1] else f"{found[2]}\\x23", text)


def _escape(char: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    if named:
        return named
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def safe_lines(text: str, limit: int, longest: int | None = None) -> list[str]:
    """`text` as at most `limit` lines, each one safe, with spaces for tabs. If there are more, the middle ones are left
    out: a third of the limit is for the beginning, the rest for the end. Lines of more than `longest` characters are
    cut in their middle.
    """
    lines = text.replace("\r\n", "\n").rstrip().split("\n") if text.strip() else []
    between = len(lines) - limit + 1
    if between > 1:
        head = limit // 3
        return [
            *_safe_lines(lines[:head], longest),
            f"… {between} lines …",
            *_safe_lines(lines[head + between :], longest),
        ]
    return _safe_lines(lines, longest)


def _safe_lines(lines: Sequence[str], longest: int | None) -> list[str]:
    if longest is None:
        return [safe(line.expandtabs(4).rstrip()) for line in lines]
    # Cut before escaping, which is slow, and again after it, because it makes the line longer.
    return [middle(safe(middle(line, longest).expandtabs(4).rstrip()), longest) for line in lines]


#: ASCII for the characters with which tables and pages are drawn, and for those of quoted texts.
_DRAWN = str.maketrans(
    {"─": "-", "━": "=", "│": "|", "·": ".", "…": "...", "→": "->", "‡": "*", "“": '"', "”": '"', "‘": "'", "’": "'"}
    | {"−": "-", "–": "-", "—": "-", "×": "x", "≤": "<=", "≥": ">=", "≠": "!="}
)


def encodable(text: str, encoding: str | None) -> str:
    """The text as a stream of this encoding can show it (`LC_ALL=C`). Of a text with one character that it cannot show,
    pytest would make one line of escapes."""
    encoding = encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_DRAWN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def paragraph(text: str, *, lines: int = LINES, line: int = LINE) -> str:
    """A text of several lines, made safe for a terminal or a file. At most `lines` lines of `line` characters are kept,
    from its beginning and its end."""
    return "\n".join(safe_lines(text, lines, line))


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON for a terminal, with escapes for characters that are not printable. Letters of all scripts stay."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    text = text if text.isascii() and "\x7f" not in text else _BEYOND_ASCII.sub(_json_escape, text)
    return text.replace("##", "#\\u0023")


def safe_json(line: bytes) -> bytes:
    """A line of JSON, with escapes for characters that are not printable."""
    line = line if line.isascii() and b"\x7f" not in line else _BEYOND_ASCII.sub(_json_escape, line.decode()).encode()
    return line.replace(b"##", b"#\\u0023")


def _json_escape(match: re.Match[str]) -> str:
    char = match[0]
    return char if char.isprintable() else json.dumps(char)[1:-1] if char != "\x7f" else "\\u007f"


def middle(text: str, limit: int) -> str:
    """`text`, cut in its middle to at most `limit` characters."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def brief(value: Any, limit: int = 200) -> str:
    """A value for a person, on one line of at most `limit` characters; long parts are cut, with their length."""
    return middle(safe(_brief(value, _DEPTH)), limit)


def _brief(value: Any, depth: int) -> str:
    match value:
        case bytes() | bytearray() | memoryview():
            return _brief_bytes(bytes(value))
        case str():
            return _brief_text(value)
        case Mapping():
            if depth == 0:
                return "{…}"
            return "{" + ", ".join(f"{key}: {_brief(item, depth - 1)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[…]" if depth == 0 else f"[{_brief_items(value, depth - 1)}]"
        case None | bool() | int() | float() | uuid.UUID():
            return show(value)
    try:
        return f"{value!r} (a {type(value).__name__}: not a protocol value)"
    except Exception:  # the repr of an implementation's class
        return f"a {type(value).__name__} (not a protocol value) that cannot be shown"


def _brief_bytes(data: bytes) -> str:
    if len(data) <= 2 * _BYTES + 4:
        return show(data)
    return f"0x{data[:_BYTES].hex()}…{data[-_BYTES:].hex()} ({len(data)} bytes)"


def _brief_text(text: str) -> str:
    if len(text) <= 2 * _CHARACTERS:
        return show(text)
    return f"{text[:_CHARACTERS]!r}…{text[-_CHARACTERS // 2 :]!r} ({len(text)} characters)"


def _brief_items(items: Sequence[Any], depth: int) -> str:
    if len(items) <= 2 * _ITEMS + 2:
        return ", ".join(_brief(item, depth) for item in items)
    head = ", ".join(_brief(item, depth) for item in items[:_ITEMS])
    return f"{head}, … {len(items) - _ITEMS - 1} more …, {_brief(items[-1], depth)}"


def wrap(text: str, width: int) -> list[str]:
    """Text on lines of `width`; an empty text has no lines."""
    return textwrap.wrap(text, max(width, 10), break_on_hyphens=False)


def to_string(renderable: RenderableType, *, width: int, color: bool) -> str:
    """A renderable as text, with or without ANSI colours, without trailing spaces. Characters that are not printable
    become escapes."""
    if isinstance(renderable, Text) and not color:  # it needs no layout, and a console is slow
        return "\n".join(safe(line.rstrip()) for line in renderable.plain.split("\n"))
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    options = console.options
    if isinstance(renderable, Text):
        options = options.update(no_wrap=True, overflow="ignore")
        renderable = renderable.copy()
        renderable.end = ""
    segments = Segments([_safe_segment(segment) for segment in console.render(renderable, options)])
    console.print(segments, soft_wrap=True, end="")
    return _inert("\n".join(line.rstrip() for line in stream.getvalue().split("\n")))


def _safe_segment(segment: Segment) -> Segment:
    text = segment.text.replace("\n", "")
    if segment.control or text.isprintable():
        return segment
    return Segment("\n".join(map(safe, segment.text.split("\n"))), segment.style)
