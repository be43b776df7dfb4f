"""A page of text: blocks beside a margin in which each one's name stands."""

from __future__ import annotations

from rich.text import Text

from conformance.report.text import safe, wrap

#: How wide the margin is.
MARGIN = 10


class Page:
    """Collects lines. Everything that is added as a str is escaped and wrapped; a Text is laid out already."""

    def __init__(self, width: int) -> None:
        self.width = max(width, 60)
        self._out = Text()

    @property
    def room(self) -> int:
        """Columns beside the margin."""
        return self.width - MARGIN

    def line(self, text: str, style: str = "") -> None:
        """Prose over the whole width."""
        for line in wrap(safe(text), self.width):
            self._out.append(f"{line}\n", style)

    def gap(self) -> None:
        """An empty line, unless there is one already."""
        if self._out.plain and not self._out.plain.endswith("\n\n"):
            self._out.append("\n")

    def block(self, name: str, content: Text | str, style: str = "") -> None:
        """`content` beside the margin, with `name` in it; an empty content is left out."""
        if isinstance(content, str):
            content = Text("\n".join(wrap(safe(content), self.room)), style)
        if not content.plain.strip():
            return
        for number, line in enumerate(content.split("\n")):
            self._out.append(f"{name if number == 0 else '':<{MARGIN}}", "bold")
            line.rstrip()
            self._out.append_text(line).append("\n")

    def command(self, name: str, text: str) -> None:
        """A line that is to be copied: never wrapped."""
        self._out.append(f"{name:<{MARGIN}}", "bold").append(f"{safe(text)}\n", "bold cyan")

    def text(self) -> Text:
        """All of it, without an end of line behind the last."""
        out = self._out.copy()
        out.rstrip()
        return out
