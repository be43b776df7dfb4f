"""A page of text: blocks, each with its name in the left margin."""

from __future__ import annotations

from rich.text import Text

from wireproof.conformance.report.text import safe, wrap

#: The width of the margin.
MARGIN = 10


class Page:
    """Collects lines. A str is escaped and wrapped; a Text is added as it is."""

    def __init__(self, width: int) -> None:
        self.width = max(width, 60)
        self._out = Text()

    @property
    def room(self) -> int:
        """Columns beside the margin."""
        return self.width - MARGIN

    def line(self, text: str, style: str = "") -> None:
        """Text over the whole width."""
        for line in wrap(safe(text), self.width):
            self._out.append(f"{line}\n", style)

    def gap(self) -> None:
        """An empty line, unless there is one already."""
        if self._out.plain and not self._out.plain.endswith("\n\n"):
            self._out.append("\n")

    def block(self, name: str, content: Text | str, style: str = "") -> None:
        """`content` beside the margin, with `name` in the margin. An empty block is left out."""
        if isinstance(content, str):
            content = Text("\n".join(wrap(safe(content), self.room)), style)
        if not content.plain.strip():
            return
        for number, line in enumerate(content.split("\n")):
            self._out.append(f"{name if number == 0 else '':<{MARGIN}}", "bold")
            line.rstrip()
            self._out.append_text(line).append("\n")

    def command(self, name: str, text: str) -> None:
        """A command to be copied: it is never wrapped."""
        self._out.append(f"{name:<{MARGIN}}", "bold").append(f"{safe(text)}\n", "bold cyan")

    def text(self) -> Text:
        """The whole page, without a line feed at the end."""
        out = self._out.copy()
        out.rstrip()
        return out
