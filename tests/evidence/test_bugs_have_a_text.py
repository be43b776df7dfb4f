"""A deviation is called a bug only where a public text leaves no choice: of what an entry of the class `bug` covers,
some vector rests on no ruling, but on its own source, or on a ruling that quotes a text."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from wireproof import reference
from wireproof.clone import known_issues, registry
from wireproof.clone.registry import Implementation
from wireproof.conformance.evidence import known_deviations
from wireproof.reference.rules import Ruling
from wireproof.reference.texts import LINKS

EVERY = {(dialect, one.id): one for dialect in reference.dialects for one in reference.rulings(dialect).values()}
FILES = known_issues.attested_by_name()
#: A folder with the proposals' pages as text, against which their quotes are compared.
PAGES = os.environ.get("WIREPROOF_PAGES", "")


@pytest.mark.parametrize("implementation", registry.implementations(), ids=lambda one: one.name)
def test_no_bug_rests_on_the_kit_alone(implementation: Implementation) -> None:
    found = known_issues.of_implementation(implementation, FILES.get(implementation.name))
    bugs = [one for one in found if one.cases and any(entry.kind == "bug" for entry in one.entries)]
    assert [one.reason for one in bugs if not one.has_text] == []


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_no_library_has_a_deviation_for_what_content_may_hold(codec: str) -> None:
    case = f"kafka/resource-limits/batch-{codec}-bomb#decode"
    files = [one.known_file for one in registry.implementations() if one.known_file]
    entries = [entry for file in files for entry in known_deviations.load(file, None).deviations]
    assert {entry.kind for entry in entries if entry.matches_id(case)} <= {"unsupported"}


def test_what_is_demanded_has_a_text_or_says_what_the_kit_asks() -> None:
    assert [one.id for one in EVERY.values() if not (one.contested or one.quote or one.kit or one.beyond)] == []


def test_only_these_are_demanded_by_the_kit_alone() -> None:
    alone = {one.id for one in EVERY.values() if not (one.contested or one.quote or one.beyond)}
    assert alone == {"R-K-22e"}


@pytest.mark.parametrize("ruling", [one for one in EVERY.values() if one.quote], ids=lambda one: one.id)
def test_a_quote_has_the_name_the_section_and_the_link_of_its_text(ruling: Ruling) -> None:
    assert ruling.link
    assert any(ruling.source.startswith(name) and len(ruling.source) > len(name) + 2 for name in LINKS)


@pytest.mark.skipif(not PAGES, reason="WIREPROOF_PAGES names no folder with the pages")
def test_quotes_of_proposals_stand_in_their_pages() -> None:
    texts = [re.sub(r"\s+", " ", path.read_text("utf-8")) for path in sorted(Path(PAGES).iterdir())]
    quotes = {one.id: one for (dialect, _), one in EVERY.items() if dialect != "kafka" and one.quote}
    guide = {name for name, one in quotes.items() if one.source.startswith("Kafka protocol guide")}
    missing = [name for name, one in quotes.items() if not any(_stands_in(text, one.quote) for text in texts)]
    assert {*missing} == guide


def _stands_in(text: str, quote: str) -> bool:
    """Whether the pieces of a quote, with … between them, stand in a text in their order."""
    at = 0
    for piece in quote.split(" … "):
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True
