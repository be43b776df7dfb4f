"""pytest's `--tb` for failures of the suite: auto, long and native a page each, short two lines, line one.

`line` is printed by pytest itself, from the `reprcrash` that its own failures have too. So are the words behind an id
in pytest's summary, and the message in junitxml.
"""

from __future__ import annotations

from typing import Any

import pytest
from _pytest._code.code import TerminalRepr
from _pytest._io import TerminalWriter

from conformance.model import Verdict
from conformance.report.text import middle, safe

#: Styles in which every failure is shown, those like others before them too: they are short enough.
BRIEF = ("short", "line")
#: So many characters of a detail are shown.
_DETAIL = 300
#: The attributes with which the one line and the words travel from xdist's workers: a failure itself comes as text.
_LINE = "wireproof_line"
_WORDS = "wireproof_words"


class Crash:
    """What pytest shows of a failure in brief: `message` in its summary, and this object's text for `--tb=line`."""

    def __init__(self, line: str, message: str) -> None:
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return self.line


class Styled(TerminalRepr):
    """A failure in the style that was asked for. `page`: what is shown where no other style is."""

    def __init__(self, page: TerminalRepr, verdict: Verdict, nodeid: str, repeat: str, style: str) -> None:
        self.page = page
        self.style = style
        self.head = f"{verdict.kind or verdict.verdict}: {safe(middle(verdict.detail, _DETAIL))}"
        self.repeat = repeat
        self.reprcrash = Crash(f"{nodeid}: {self.head}", self.head)

    def toterminal(self, tw: TerminalWriter) -> None:
        if self.style == "short":
            tw.line(self.head, red=True)
            tw.line(f"repeat    {self.repeat}")
        elif self.style != "line":
            self.page.toterminal(tw)


class Received(TerminalRepr):
    """A failure that came from a worker, as text."""

    def __init__(self, text: str, reprcrash: Crash) -> None:
        self.text = text
        self.reprcrash = reprcrash

    def toterminal(self, tw: TerminalWriter) -> None:
        if self.text:
            tw.line(self.text)


class Styles:
    """A plugin: failures that workers of xdist's send have the same parts as those of this process."""

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
