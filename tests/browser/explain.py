"""The page of explained bytes in a browser: bytes and fields find each other, frames, addresses, keyboard.

pytest tests/browser/explain.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import NewTab, Tab, made, wait_for_focus, wait_until

#: An ApiVersionsRequest 3 in its frame.
REQUEST = "00000010 0012 0003 00000007 ffff 00 0261 0231 00".replace(" ", "")
#: A string that is longer than what is there.
REFUSED = "0002610361"


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("explain") / "frames.html"
    made("explain", REQUEST * 2, "--html", out)
    return out


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("explain") / "refused.html"
    made("explain", "TAG_BUFFER", "02000161010561", "--html", out, code=1)
    return out


def byte(page: Page, at: int) -> Locator:
    return page.locator(f'#grid [data-at="{at}"]')


def chosen(page: Page, *digits: str) -> None:
    """These bytes are marked, and no others."""
    expect(page.locator("#grid .chosen")).to_have_text(list(digits))


def test_a_byte_shows_its_field(tab: Tab, frames: Path) -> None:
    page = tab.open(frames)
    byte(page, 9).hover()
    expect(page.locator("#fields tr.chosen")).to_contain_text("CorrelationId")
    expect(page.locator("#detail")).to_contain_text("this is byte 2 of 4")
    expect(page.locator("#detail")).to_contain_text("INT32")
    chosen(page, "00", "00", "00", "07")


def test_a_field_shows_its_bytes(tab: Tab, frames: Path) -> None:
    page = tab.open(frames)
    page.locator("#fields tr", has_text="RequestApiVersion").hover()
    chosen(page, "00", "03")


def test_what_is_clicked_stays_and_is_in_the_address(tab: Tab, new_tab: NewTab, frames: Path) -> None:
    page = tab.open(frames)
    byte(page, 5).click()
    page.locator("h1").hover()
    chosen(page, "00", "12")
    expect(page).to_have_url(re.compile("byte=5"))
    again = new_tab()
    page = again.open(frames, page.evaluate("location.hash"))
    chosen(page, "00", "12")
    again.quiet()


def test_the_second_frame(tab: Tab, frames: Path) -> None:
    page = tab.open(frames)
    page.get_by_label("Frame").select_option(index=1)
    expect(byte(page, 20)).to_have_text("00")
    expect(byte(page, 0)).to_have_count(0)
    page.go_back()
    expect(byte(page, 0)).to_have_count(1)


def test_a_refusal_is_marked_where_it_is(tab: Tab, refused: Path) -> None:
    page = tab.open(refused)
    expect(page.locator("#result")).to_contain_text("refused")
    assert page.locator("#grid .refused").evaluate_all("cells => cells.map(cell => cell.dataset.at)") == ["5"]
    expect(page.locator("#fields tr.mark")).to_contain_text("refused here, byte 5: truncated")
    expect(page.locator("#detail")).to_contain_text("refused here: truncated")  # it is chosen at first


def test_arrow_keys_walk_through_the_bytes(tab: Tab, frames: Path) -> None:
    page = tab.open(frames)
    byte(page, 0).focus()
    for key, at in (("ArrowRight", 1), ("ArrowDown", 17), ("ArrowUp", 1), ("End", 15), ("Home", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        wait_for_focus(byte(page, at))


def test_keys_that_are_faster_than_the_address_keep_the_focus(tab: Tab, frames: Path) -> None:
    page = tab.open(frames)
    page.evaluate("""() => {
      window.changes = 0;
      addEventListener("hashchange", () => { window.changes += 1; });
      document.querySelector('#grid [data-at="0"]').focus();
      for (const key of ["ArrowRight", "ArrowRight"]) {
        const now = performance.now();
        while (performance.now() < now + 150); // the page is too busy to hear of its addresses, but changes them
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      }
      window.last = document.activeElement;
    }""")
    heard = "the page has not heard of every address"
    wait_until(page, lambda: bool(page.evaluate("window.changes === 3")), heard)
    wait_for_focus(byte(page, 2))
    assert page.evaluate("window.last === document.activeElement")  # and drew nothing anew


def test_a_key_that_is_held_changes_the_address_seldom(tab: Tab, frames: Path) -> None:
    """Chromium lets a page change it 200 times in ten seconds. (Playwright takes that limit away.)"""
    page = tab.open(frames)
    page.evaluate("""() => {
      window.changes = 0;
      addEventListener("hashchange", () => { window.changes += 1; });
      document.querySelector('#grid [data-at="0"]').focus();
      for (const key of [...Array(300).fill(["ArrowRight", "ArrowLeft"]).flat(), "End"]) {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      }
    }""")
    wait_for_focus(byte(page, 15))
    expect(page).to_have_url(re.compile("byte=15"))
    # One in a tenth of a second, for as long as the machine needs for all of this.
    assert page.evaluate("window.changes <= performance.now() / 100 + 1")


def test_going_back_keeps_the_focus_in_the_bytes(tab: Tab, frames: Path) -> None:
    page = tab.open(frames, "#frame=1&byte=5")
    page.get_by_label("Frame").select_option(index=1)
    byte(page, 25).focus()
    page.go_back()
    wait_for_focus(byte(page, 5))
    expect(page).to_have_url(re.compile("byte=5$"))


@pytest.mark.parametrize("address", ["#frame=99&byte=1", "#byte=x", "#byte=999999999", "#%zz"])
def test_an_address_that_leads_nowhere(address: str, tab: Tab, frames: Path) -> None:
    page = tab.open(frames, address)
    expect(page.locator("#result")).to_contain_text("api key 18 is ApiVersions")


def test_a_megabyte_is_shown_in_windows(tab: Tab, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    count = (1 << 18) - 1
    raw.write_bytes(count.to_bytes(4, "big") + bytes(4 * count))
    made("explain", "ARRAY<INT32>", f"@{raw}", "--html", tmp_path / "out.html")
    page = tab.open(tmp_path / "out.html")
    assert page.evaluate("document.querySelectorAll('*').length") < 4000
    page.locator("#grid").get_by_role("button", name="Later").press("Enter")
    expect(page.locator("#grid")).to_contain_text("lines 49 to 96 of 65,536")
    wait_for_focus(page.locator("#grid").get_by_role("button", name="Later"))
    page.locator("#grid").get_by_role("button", name="Earlier").press("Enter")
    wait_for_focus(page.locator("#grid").get_by_role("button", name="Later"))  # there is nothing earlier
    expect(page).to_have_url(re.compile(r"\.html$"))  # nothing was chosen
    expect(page.locator("#fields")).to_contain_text("rows 1 to 200 of")
