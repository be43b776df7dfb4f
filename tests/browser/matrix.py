"""The matrix page in a browser: opening, filters, addresses, keyboard.

pytest tests/browser/matrix.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.page_reports import BIT_33, TAG_1, large, line, report, small

from browser.conftest import Tab, made, wait_for_focus


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix")
    out = folder / "out.html"
    other = [row for row in small() if row["verdict"] == "pass"]
    made("report", report(folder / "a.jsonl", small()), report(folder / "b.jsonl", other, name="other"), "--html", out)
    return out


def cell(page: Page, area: str) -> str:
    """The text of the first implementation's cell."""
    return str(page.locator(f'.matrix tbody tr:first-child [data-area="{area}"]').inner_text())


def open_varints(page: Page) -> None:
    page.get_by_role("button", name="mine 1.0, varints:").click()


class TestBrokers:
    def test_they_have_a_table_of_their_own(self, tab: Tab, tmp_path: Path) -> None:
        held = [line("kafka/conversations/two-connections#serve", "fail", op="serve", area="conversations")]
        files = report(tmp_path / "a.jsonl", small()), report(tmp_path / "b.jsonl", held, name="broker")
        made("report", *files, "--html", tmp_path / "out.html")
        page = tab.open(tmp_path / "out.html")
        expect(page.get_by_role("heading", name="Brokers")).to_be_visible()
        codecs, brokers = page.locator("table.matrix").all()
        heads = [table.get_by_role("columnheader").all_inner_texts() for table in (codecs, brokers)]
        assert heads[0] == ["implementation", "varints", "tag-ordering", "framing", "all areas"]
        assert heads[1] == ["implementation", "conversations", "all areas"]
        page.get_by_role("button", name="broker 1.0, conversations:").click()
        expect(page.get_by_role("heading", name="broker 1.0 · conversations: 1 finding")).to_be_visible()

    def test_alone_they_need_no_heading(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        expect(page.get_by_role("heading", name="Brokers")).to_have_count(0)
        expect(page.locator("table.matrix")).to_have_count(1)


class TestOpening:
    def test_cells_count_and_their_passes_are_not_listed(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        assert "✗ 3" in cell(page, "varints")
        assert "2 new" in cell(page, "varints")
        assert "✓ 1" in cell(page, "varints")
        expect(page.locator("#summary")).to_contain_text("2 runs, 8 verdicts")
        expect(page.locator(".findings, .case")).to_have_count(0)
        expect(page.get_by_role("rowheader", name="other 1.0")).to_be_visible()
        expect(page.get_by_role("button", name="other 1.0")).to_have_count(0)  # passes alone open nothing

    def test_a_cell_opens_findings_a_finding_cases_and_a_case_its_bytes(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        button = page.get_by_role("button", name="mine 1.0, varints:")
        expect(button).to_have_attribute("aria-expanded", "false")
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        finding = page.locator(".findings .row", has_text="varint-overflow is demanded")
        expect(finding).to_contain_text("1 known")
        finding.click()
        expect(page.locator(".cases > li")).to_have_count(2)
        page.locator(".cases .row", has_text="bit-33").click()
        shown = page.locator(".case")
        expect(shown.locator(".hit")).to_have_text("80")
        for said in (
            "to be refused here",
            "accepted as 5",
            "R-K-6",
            "Protocol",
            f"wireproof repro '{BIT_33}' --impl=mine",
        ):
            expect(shown).to_contain_text(said, ignore_case=True)
        button.click()
        expect(page.locator(".findings")).to_have_count(0)

    def test_written_bytes_stand_beside_the_demanded_ones(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        page.get_by_role("button", name="mine 1.0, tag-ordering:").click()
        page.locator(".findings .row").click()
        page.locator(".cases .row", has_text=TAG_1).click()
        assert page.locator(".case .differs").all_inner_texts() == ["02", "--"]

    def test_all_areas(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        page.get_by_role("button", name="mine 1.0, all areas:").click()
        expect(page.locator(".findings > li")).to_have_count(5)


class TestFilters:
    def test_a_dialect(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        page.get_by_label("Dialect").select_option("wire-format")
        assert "✗ 1" in cell(page, "varints")
        assert "✗" not in cell(page, "tag-ordering")
        open_varints(page)
        expect(page.locator(".findings > li")).to_have_count(1)
        page.get_by_role("button", name="Reset").click()
        assert "✗ 3" in cell(page, "varints")

    def test_a_verdict(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        crash = page.get_by_role("group", name="Verdicts").get_by_role("button", name="crash")
        crash.click()
        expect(crash).to_have_attribute("aria-pressed", "false")
        assert "✗ 2" in cell(page, "varints")
        crash.click()
        assert "✗ 3" in cell(page, "varints")

    def test_what_is_known(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        page.locator("#known").select_option("known")
        assert "✗ 1" in cell(page, "varints")
        open_varints(page)
        page.locator(".findings .row").first.click()
        assert "bit-32" in page.locator(".cases").inner_text()
        assert "bit-33" not in page.locator(".cases").inner_text()

    @pytest.mark.parametrize(
        ("text", "left"), [("bit-33", 1), ("BIT-3", 2), ("IndexError", 1), ("tag size", 1), ("nothing of it", 0)]
    )
    def test_a_text(self, text: str, left: int, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        page.get_by_label("Text").fill(text)
        wanted = f"The filter leaves {left} deviation{'' if left == 1 else 's'}."
        expect(page.get_by_role("status")).to_have_text(wanted)
        assert "✓" not in cell(page, "varints")

    def test_a_text_stays_whatever_is_clicked_meanwhile(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        page.evaluate("""() => {
          const text = document.getElementById("text");
          text.value = "bit-33";
          text.dispatchEvent(new Event("input"));
          document.querySelector("#verdicts button").click();
        }""")
        expect(page.get_by_label("Text")).to_have_value("bit-33")
        expect(page).to_have_url(re.compile("text=bit-33"))


class TestAddresses:
    def test_what_is_open_is_in_the_address(self, tab: Tab, new_tab: object, matrix: Path) -> None:
        page = tab.open(matrix)
        open_varints(page)
        page.locator(".findings .row", has_text="varint-overflow").click()
        page.locator(".cases .row", has_text="bit-33").click()
        page.get_by_label("Text").fill("33")
        expect(page).to_have_url(re.compile("text=33"))
        address = page.evaluate("location.hash")
        again = new_tab()  # type: ignore[operator]
        page = again.open(matrix, address)
        expect(page.locator(".case")).to_contain_text(BIT_33)
        expect(page.get_by_label("Text")).to_have_value("33")
        expect(page.locator(".case")).to_be_in_viewport()
        again.quiet()

    def test_going_back_closes(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        open_varints(page)
        page.locator(".findings .row").first.click()
        expect(page.locator(".cases")).to_have_count(1)
        page.go_back()
        expect(page.locator(".cases")).to_have_count(0)
        page.go_back()
        expect(page.locator(".findings")).to_have_count(0)
        page.go_forward()
        expect(page.locator(".findings")).to_have_count(1)

    @pytest.mark.parametrize(
        "address", ["#impl=nobody&area=varints", "#impl=mine+1.0&area=x&case=y", "#%zz&a", "#hide=pass,x"]
    )
    def test_an_address_that_leads_nowhere(self, address: str, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix, address)
        expect(page.get_by_role("table")).to_be_visible()


class TestKeyboard:
    def test_everything_is_reached_without_a_mouse(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        page.keyboard.press("Tab")
        wait_for_focus(page.get_by_role("link", name="Skip to the content"))
        page.keyboard.press("Enter")
        wait_for_focus(page.locator("main"))
        _tab_to(page, "cell mine 1.0 varints")
        page.keyboard.press("Enter")
        wait_for_focus(page.locator(".matrix [aria-expanded=true]"))  # it keeps the focus
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        _tab_to(page, "finding ")
        page.keyboard.press("Space")
        wait_for_focus(page.locator(".findings [aria-expanded=true]"))
        _tab_to(page, "case ")
        page.keyboard.press("Enter")
        expect(page.locator(".case")).to_have_count(1)
        _tab_to(page, "copy")
        for left in (".cases", ".findings", ".matrix"):
            page.keyboard.press("Escape")
            expect(page.locator(left)).to_have_count(1)
        expect(page.locator(".findings")).to_have_count(0)
        wait_for_focus(page.get_by_role("button", name="mine 1.0, varints:"))

    def test_what_is_closed_gives_the_focus_to_what_opened_it(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        open_varints(page)
        page.get_by_role("button", name="Close").press("Enter")
        wait_for_focus(page.get_by_role("button", name="mine 1.0, varints:"))
        open_varints(page)
        page.locator(".findings .row", has_text="varint-overflow").press("Enter")
        page.locator(".cases .row", has_text="bit-33").press("Enter")
        page.get_by_role("button", name="Copy").focus()
        page.go_back()
        wait_for_focus(page.locator(".cases .row", has_text="bit-33"))
        page.go_back()
        wait_for_focus(page.locator(".findings .row", has_text="varint-overflow"))

    def test_the_theme_is_switched(self, tab: Tab, matrix: Path) -> None:
        page = tab.open(matrix)
        button = page.get_by_role("button", name="Theme")
        shades = []
        for theme in ("light", "dark", "system"):
            button.press("Enter")
            expect(button).to_have_text(f"Theme: {theme}")
            shades.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert shades[0] == shades[2] != shades[1]


def _tab_to(page: Page, key: str) -> None:
    """Press Tab until something with this key has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if str(page.evaluate("document.activeElement.dataset.key || ''")).startswith(key):
            return
    pytest.fail(f"Tab does not lead to {key}")


def test_a_hundred_thousand_verdicts(tab: Tab, tmp_path: Path, record_property: object) -> None:
    out = tmp_path / "large.html"
    made("report", report(tmp_path / "large.jsonl", large()), "--html", out)
    page = tab.open(out)
    expect(page.locator("#summary")).to_contain_text("100,000 verdicts")
    spent = page.evaluate("Math.round(performance.now())")
    record_property("milliseconds", spent)  # type: ignore[operator]
    sys.stdout.write(f"\n100,000 verdicts, {out.stat().st_size:,} bytes: opened in {spent} ms\n")
    page.get_by_role("button", name="mine 1.0, framing:").click()
    page.locator(".findings .row").first.click()
    expect(page.locator(".cases > li")).to_have_count(30)
    assert page.evaluate("document.querySelectorAll('*').length") < 1500
    page.get_by_role("button", name="Show more").last.click()
    expect(page.locator(".cases > li")).to_have_count(60)
    page.get_by_label("Text").fill("made-up-99999#")
    expect(page.get_by_role("status")).to_have_text("The filter leaves 1 deviation.")


def test_more_is_shown_and_the_focus_stays(tab: Tab, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    made("report", report(tmp_path / "r.jsonl", large(9_000)), "--html", out)  # 75 cases in each finding
    page = tab.open(out)
    page.get_by_role("button", name="mine 1.0, framing:").click()
    page.locator(".findings .row").first.click()
    more = page.get_by_role("button", name=re.compile("Show more.* cases? left"))
    more.press("Enter")
    expect(page.locator(".cases > li")).to_have_count(60)
    wait_for_focus(more)
    more.press("Enter")
    expect(page.locator(".cases > li")).to_have_count(75)
    wait_for_focus(page.locator(".cases .row").nth(60))  # the first new one: there is nothing more
