"""Both pages: accessible, narrow, dark, and whole whatever text came into them.

pytest tests/browser/everywhere.py
"""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from support.page_reports import ATTACKS, hostile, report, small

from browser.conftest import NewTab, Tab, made, overflow

#: axe-core's rules for which a page is checked.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
TEN_MIB = 10 << 20


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A matrix, and bytes that are refused."""
    folder = tmp_path_factory.mktemp("pages")
    made("report", report(folder / "a.jsonl", small()), "--html", folder / "matrix.html")
    made("explain", "TAG_BUFFER", "02000161010561", "--html", folder / "explain.html", code=1)
    return {"matrix": folder / "matrix.html", "explain": folder / "explain.html"}


def opened(page: Page) -> None:
    """Open all that a matrix can show of one case."""
    if page.locator(".matrix").count():
        page.get_by_role("button", name="mine 1.0, all areas:").click()
        page.locator(".findings .row").first.click()
        page.locator(".cases .row").first.click()
        expect(page.locator(".case")).to_have_count(1)


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {one['help']}: {[node['html'] for node in one['nodes']][:3]}" for one in found]


@pytest.mark.parametrize("name", ["matrix", "explain"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(name: str, width: int, dark: bool, pages: dict[str, Path], new_tab: NewTab) -> None:
    tab = new_tab(width=width, dark=dark)
    page = tab.open(pages[name])
    assert violations(page) == []
    opened(page)
    assert violations(page) == []
    tab.quiet()


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("document.querySelector('main').style.color = '#ddd'", "color-contrast"),
        ("for (const label of document.querySelectorAll('label')) label.replaceWith(label.lastChild)", "select-name"),
        ("document.documentElement.removeAttribute('lang')", "html-has-lang"),
    ],
)
def test_axe_would_find_a_fault(fault: str, rule: str, pages: dict[str, Path], tab: Tab) -> None:
    page = tab.open(pages["matrix"])
    page.evaluate(f"() => {{ {fault} }}")
    assert rule in {found.split(":")[0] for found in violations(page)}


@pytest.mark.parametrize("name", ["matrix", "explain"])
@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_is_wider_than_the_window(name: str, width: int, pages: dict[str, Path], new_tab: NewTab) -> None:
    tab = new_tab(width=width)
    page = tab.open(pages[name])
    assert overflow(page) <= 0
    opened(page)
    assert overflow(page) <= 0
    tab.quiet()


@pytest.mark.parametrize("name", ["matrix", "explain"])
def test_dark_is_dark(name: str, pages: dict[str, Path], new_tab: NewTab) -> None:
    def back(*, dark: bool) -> int:
        shade = new_tab(dark=dark).open(pages[name]).evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in shade.removeprefix("rgb(").removesuffix(")").split(","))

    assert back(dark=True) < 150 < 600 < back(dark=False)


class TestHostileText:
    def test_in_reports(self, tab: Tab, tmp_path: Path) -> None:
        out = tmp_path / "out.html"
        files = [report(tmp_path / f"{at}.jsonl", hostile(), name=text) for at, text in enumerate(ATTACKS)]
        made("report", *files, "--html", out)
        page = tab.open(out)
        heads = page.get_by_role("rowheader").all_inner_texts()
        assert heads[0].startswith("<script>window.hit = 1</script>")
        assert page.locator("img, main script, b b").count() == 0
        for at in range(len(ATTACKS)):
            cells = page.locator(f".matrix tbody tr:not(.panel) >> nth={at}").locator("button.cell")
            cells.last.click()
            for row in range(min(page.locator(".findings > li").count(), 4)):
                page.locator(".findings > li > .row").nth(row).click()
                if page.locator(".cases .row").count():
                    page.locator(".cases .row").first.click()
                    expect(page.locator(".case")).to_have_count(1)
            cells.last.click()
        assert page.locator("img, main script").count() == 0
        assert "\x1b" not in page.content()

    def test_ten_mib_of_detail(self, tab: Tab, tmp_path: Path) -> None:
        out = tmp_path / "out.html"
        made("report", report(tmp_path / "r.jsonl", hostile(TEN_MIB)), "--html", out)
        assert out.stat().st_size < 1 << 20
        page = tab.open(out)
        page.get_by_role("button", name="mine 1.0, varints:").click()
        expect(page.locator(".findings")).to_contain_text("crash")
        assert overflow(page) <= 0

    @pytest.mark.parametrize("text", ATTACKS[:4])
    def test_in_explained_bytes(self, text: str, tab: Tab, tmp_path: Path) -> None:
        out = tmp_path / "out.html"
        raw = text.encode()
        made("explain", "STRING", (len(raw).to_bytes(2, "big") + raw).hex(), "--html", out)
        page = tab.open(out)
        expect(page.locator("#fields")).to_contain_text(text)
        assert page.locator("img, main script").count() == 0


def test_a_page_without_escaping_would_be_noticed(new_tab: NewTab, pages: dict[str, Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    whole = pages["matrix"].read_text("utf-8")
    policy = '<meta http-equiv="Content-Security-Policy"'
    assert policy in whole
    broken.write_text(whole.replace(policy, "<meta name=x").replace("<main", f"{ATTACKS[0]}<main", 1))
    tab = new_tab()
    tab.open(broken)
    with pytest.raises(AssertionError):
        tab.quiet()


def test_the_policy_stops_what_is_not_ours(new_tab: NewTab, pages: dict[str, Path], tmp_path: Path) -> None:
    changed = tmp_path / "changed.html"
    changed.write_text(pages["matrix"].read_text("utf-8").replace("<main", f"{ATTACKS[0]}<main", 1))
    tab = new_tab()
    page = tab.open(changed)
    assert page.evaluate("window.hit === undefined")
    assert any("Content Security Policy" in said for said in tab.errors)
