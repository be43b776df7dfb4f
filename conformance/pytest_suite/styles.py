"""pytest's `--tb` for failures of the suite: `auto`, `long` and `native` show a page, `short` two lines, `line` one.

pytest itself prints `line`, the words after an id in its summary, and the message in junitxml; it takes all of them
from `reprcrash`, as for its own failures.
"""

from __future__ import annotations

from typing import Any

import pytest
from _pytest._code.code import TerminalRepr
from _pytest._io import TerminalWriter

from wireproof.conformance.model import Verdict
from wireproof.conformance.report.text import middle, safe

#: Styles that show every failure, even further ones of the same finding: they are short enough.
BRIEF = ("short", "line")
#: The maximum length of a detail, in characters.
_DETAIL = 300
#: The attributes that carry the line and the message from xdist's workers, which send the failure itself as text.
_LINE = "wireproof_line"
_WORDS = "wireproof_words"


class Crash:
    """A failure in brief: pytest shows `message` in its summary, and `str` of this object for `--tb=line`."""

    def __init__(self, line: str, message: str) -> None:
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return self.line


class Styled(TerminalRepr):
    """A failure in the style of `--tb`. `page`: the failure in the default style."""

    def __init__(self, page: TerminalRepr, verdict: Verdict, nodeid: str, repeat: str, style: str) -> None:
        self.page = page
        self.style = style
        self.head = f"{verdict.kind or verdict.outcome}: {safe(middle(verdict.detail, _DETAIL))}"
        self.repeat = repeat
        self.reprcrash = Crash(f"{nodeid}: {self.head}", self.head)

    def toterminal(self, tw: TerminalWriter) -> None:
        if self.style == "short":
            tw.line(self.head, red=True)
            tw.line(f"repeat    {self.repeat}")
        elif self.style != "line":
            self.page.toterminal(tw)


class Received(TerminalRepr):
    """A failure from an xdist worker, as text."""

    def __init__(self, text: str, reprcrash: Crash) -> None:
        self.text = text
        self.reprcrash = reprcrash

    def toterminal(self, tw: TerminalWriter) -> None:
        if self.text:
            tw.line(self.text)


class Styles:
    """A plugin: failures from xdist's workers get the same parts as failures of this process."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        report = yield
        if isinstance(report.longrepr, Styled) and hasattr(item.config, "workeroutput"):
            setattr(report, _LINE, report.longrepr.reprcrash.line)
            setattr(report, _WORDS, report.longrepr.reprcrash.message)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if isinstance(report.longrepr, str) and hasattr(report, _LINE):
            crash = Crash(getattr(report, _LINE), getattr(report, _WORDS))
            report.longrepr = Received(report.longrepr, crash)
