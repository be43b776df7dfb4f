"""Text of an implementation is escaped and shortened before it is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Group
from rich.table import Table
from rich.text import Text
from support.hostile import clean

from wireproof.conformance.report.text import brief, json_text, middle, paragraph, safe, safe_lines, to_string, wrap


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode ‡", "plain ünïcode ‡"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("[bold]markup[/bold]", "[bold]markup[/bold]"),
    ],
)
def test_safe(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(st.text())
def test_safe_text_is_printable(text: str) -> None:
    assert safe(text).isprintable()


@given(st.text(), st.integers(min_value=4, max_value=30))
def test_safe_lines_are_bounded(text: str, limit: int) -> None:
    lines = safe_lines(text, limit)
    assert len(lines) <= limit
    assert all(line.isprintable() for line in lines)


def test_safe_lines_keep_the_beginning_and_the_end() -> None:
    assert safe_lines("\n".join(str(number) for number in range(20)), 6) == ["0", "1", "… 15 lines …", "17", "18", "19"]


@given(st.text(), st.integers(min_value=5, max_value=40))
def test_middle(text: str, limit: int) -> None:
    shown = middle(text, limit)
    assert len(shown) <= limit
    assert shown == text or "…" in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (b"", 'b""'),
        (b"ab", "0x6162"),
        ("ab", "'ab'"),
        ([(1, b"")], '[[1, b""]]'),
        ({"A": [], "B": {"C": -1}}, "{A: [], B: {C: -1}}"),
        (bytes(100), "0x000000000000000000000000…000000000000000000000000 (100 bytes)"),
        (list(range(1000)), "[0, 1, 2, 3, … 995 more …, 999]"),
        ("a" * 100, f"'{'a' * 40}'…'{'a' * 20}' (100 characters)"),
        ("it's\x1b[2J", '"it\'s\\x1b[2J"'),
        ({"k\n": 1}, "{k\\n: 1}"),
        (Unshowable(), "a Unshowable (not a protocol value) that cannot be shown"),
        ({1, 2}, "{1, 2} (a set: not a protocol value)"),
    ],
)
def test_brief(value: Any, shown: str) -> None:
    assert brief(value) == shown


def test_brief_is_bounded_whatever_comes() -> None:
    deep: list[Any] = []
    for _ in range(50):
        deep = [deep]
    assert brief(deep) == "[" * 8 + "[…]" + "]" * 8
    assert len(brief({f"field{number}": "x" * 50 for number in range(500)}, 120)) == 120


#: Texts of which many hold commands for the log of a CI service.
CHATTER = st.lists(
    st.sampled_from(["::error::a", "::", ":", "#", "##[group]", "##vso[x]", " ", "\n", "word", "\x1b[1m"])
)


@given(CHATTER.map("".join), CHATTER.map("".join), st.integers(10, 60), st.booleans())
def test_no_text_is_a_command_for_a_ci_service(one: str, other: str, width: int, color: bool) -> None:
    clean(safe(one))
    clean(paragraph(f"{one}\n{other}", lines=9, line=width))
    clean(json_text([one, {other: one}], 2))
    table = Table("a", "b")
    table.add_row(Text(safe(one)), Text(safe(other)))
    styled = Text(one, "red").append(other, "bold")
    wrapped = Text("\n").join(Text(line) for line in wrap(safe(f"{one} {other}"), width))
    for shown in (table, styled, wrapped, Group(styled, wrapped)):
        text = to_string(shown, width=width, color=color)
        clean(re.sub(r"\x1b\[[\d;]*m", "", text))
        if not color:
            clean(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ":\\x3aerror::x"),
        ("  ::error", "  :\\x3aerror"),
        ("std::bad_alloc ##", "std::bad_alloc ##"),
        ("a ##[error]b", "a #\\x23[error]b"),
        ("##vso[task]", "#\\x23vso[task]"),
    ],
)
def test_one_character_of_a_command_becomes_an_escape(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_wrap_leaves_nothing_for_nothing() -> None:
    assert wrap("", 40) == []
    assert wrap("one-two three", 20) == ["one-two three"]


def test_to_string_is_plain_or_coloured() -> None:
    text = Text("a", "red").append(" [b]  ")
    assert to_string(text, width=40, color=False) == "a [b]"
    assert to_string(text, width=40, color=True).startswith("\x1b[31m")


def test_to_string_wraps_nothing_that_is_laid_out() -> None:
    assert to_string(Text("x" * 100), width=40, color=False) == "x" * 100
