"""Makes the pictures of the pages: `python docs/pictures.py REPORT…`, with the extra `browser` and Chromium.

REPORT: reports of runs, such as those that `wireproof matrix --out DIR` keeps. The pictures lie in docs/pictures.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).resolve().parent
OUT = HERE / "pictures"
#: A response whose second tagged field is cut off.
REFUSED = ("explain", "ApiVersionsResponse", "--version", "3", "0000 02 0012 0000 0004 00 00000000 01 01 08 000000")


def _made(folder: Path, name: str, *arguments: str) -> str:
    """The address of a page that a command of Wireproof makes."""
    command = [sys.executable, "-m", "wireproof", *arguments, "--html", str(folder / name)]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return (folder / name).as_uri()


def _page(browser: Browser, address: str, *, width: int, height: int, dark: bool = False) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
    page.goto(address)
    return page


def _taken(page: Page, name: str) -> None:
    page.screenshot(path=OUT / f"{name}.png")
    page.close()


def _opened(page: Page) -> Page:
    """Open the first implementation's findings, and one case."""
    page.locator("button.cell.b, td.b > button.cell").first.click()
    page.locator(".findings .row").first.click()
    page.locator(".cases .row").first.click()
    page.locator(".panel").first.scroll_into_view_if_needed()
    return page


def main(reports: list[str]) -> int:
    """Make all pictures."""
    if not reports:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        matrix = _made(folder, "matrix.html", "report", *reports)
        explained = _made(folder, "explain.html", *REFUSED)
        _taken(_page(browser, matrix, width=1280, height=860), "matrix")
        _taken(_opened(_page(browser, matrix, width=1280, height=860, dark=True)), "finding-dark")
        _taken(_page(browser, matrix, width=390, height=760), "matrix-phone")
        _taken(_page(browser, explained, width=1280, height=620), "explain")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
