"""Chromium for the tests of pages. Each test gets a tab that has seen no error and sent no request when it ends."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from wireproof.cli import group

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
#: Milliseconds for any state to be reached: only a page that never reaches it waits so long.
_PATIENCE = 60_000
expect.set_options(timeout=_PATIENCE)


def chromium() -> str | None:
    """The program, if there is one."""
    return os.environ.get("WIREPROOF_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; under CI=true a missing one is a failure."""
    program = chromium()
    if program is None:
        said = "there is no Chromium: run tests/browser/install, or name one in WIREPROOF_CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
    with sync_playwright() as driver:
        # Chromium's own sandbox cannot be used by root, nor in most containers.
        opened = driver.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=_PATIENCE)
        yield opened
        opened.close()


@dataclass
class Tab:
    """A page in the browser, with what it said and asked for."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, path: Path, fragment: str = "") -> Page:
        """Open a file. Its script is a part of it, and has run when it is loaded."""
        self.page.goto(f"{path.as_uri()}{fragment}")
        self.page.bring_to_front()
        return self.page

    def quiet(self) -> None:
        """It showed no error, ran nothing strange, and asked for nothing but its own file."""
        assert self.errors == []
        assert [url for url in self.requests if not url.startswith("file:")] == []
        assert self.page.evaluate("window.hit === undefined")


NewTab = Callable[..., Tab]


@pytest.fixture
def new_tab(browser: Browser) -> Iterator[NewTab]:
    """Makes tabs: `new_tab(width=390, dark=True)`. They have no network."""
    made = []

    def make(*, width: int = 1280, height: int = 800, dark: bool = False) -> Tab:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", offline=True
        )
        context.set_default_timeout(_PATIENCE)
        tab = Tab(context.new_page())
        tab.page.on("console", lambda said: tab.errors.append(said.text) if said.type in ("error", "warning") else None)
        tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.page.on("request", lambda request: tab.requests.append(request.url))
        made.append(context)
        return tab

    yield make
    for context in made:
        context.close()


@pytest.fixture
def tab(new_tab: NewTab) -> Iterator[Tab]:
    """A tab that has to end quietly."""
    one = new_tab()
    yield one
    one.quiet()


def made(*arguments: str | Path, code: int = 0) -> None:
    """Run a command of Wireproof."""
    done = CliRunner().invoke(group, [*map(str, arguments)])
    assert done.exit_code == code, done.output


def overflow(page: Page) -> int:
    """The pixels by which the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def wait_until(page: Page, holds: Callable[[], bool], said: str) -> None:
    """Wait until something is so.

    Playwright's `wait_for_function` is of no use here: it evaluates text inside of the page, which the page's policy
    forbids from the second time on.
    """
    until = time.monotonic() + _PATIENCE / 1000
    while not holds():
        if time.monotonic() > until:
            active = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
            pytest.fail(f"{said}; the focus is on {active}, at {page.url}")
        page.wait_for_timeout(20)


def wait_for_focus(element: Locator) -> None:
    """Wait until it is what the keyboard acts on; it may be drawn anew meanwhile.

    `to_be_focused` also demands that the window is the active one, which is a matter of the browser, not of the page.
    """
    active = "element => document.activeElement === element"
    wait_until(element.page, lambda: bool(element.evaluate(active)), f"{element} does not have the focus")
