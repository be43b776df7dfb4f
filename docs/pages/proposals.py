"""The tables of claims in the pages of proposals, in docs/explanation/."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import click

from pages import claims
from pages.markdown import DOCS, Lines, between, cell, code, table
from wireproof import reference
from wireproof.conformance import ledger, vectors
from wireproof.conformance.questions import conversations
from wireproof.conformance.vectors import Vector

_CLAIMS_BEGIN = "<!-- claims: written by `python docs/generate.py` from docs/claims/{}.toml -->"
_CLAIMS_END = "<!-- end of claims -->"


def every_vector(dialect: str) -> list[Vector]:
    """All that a claim of this proposal can name: vectors, conversations, cases of the ledger."""
    of_ledger = ledger.every_vector(dialect) if ledger.names(dialect) else ()
    return [*vectors.load([dialect]), *conversations.every_vector(dialect), *of_ledger]


def claims_table(dialect: str) -> Lines:
    """Each claim of a proposal's page, with its rulings, and its vectors or the reason why there are none. Raises
    ClickException for problems in the claims."""
    try:
        file = claims.load(DOCS / "claims" / f"{dialect}.toml")
    except claims.ClaimsError as error:
        raise click.ClickException(f"docs/claims/{error}") from None
    wrong = list(claims.problems(file, reference.rulings(dialect), every_vector(dialect)))
    if wrong:
        raise click.ClickException("\n".join(f"docs/claims/{dialect}.toml: {problem}" for problem in wrong))
    for section in file.sections:
        yield from (f"**{cell(section)}**", "")
        yield from table(("the page says", "rulings", "asked by"), map(_claim_row, file.of(section)))


def _claim_row(claim: claims.Claim) -> tuple[str, ...]:
    rulings = ", ".join(f"[{ruling}](../rulings.md#{ruling.lower()})" for ruling in claim.rulings)
    asked = ", ".join(map(code, claim.vectors)) if claim.vectors else f"*beyond*: {cell(claim.beyond)}"
    return cell(claim.says), rulings, asked


def page(dialect: str) -> Lines:
    """The proposal's page with a new table of claims. Raises ClickException if the page has no place for it."""
    name = f"docs/explanation/{dialect}.md"
    text = (DOCS / "explanation" / f"{dialect}.md").read_text("utf-8")
    begin = _CLAIMS_BEGIN.format(dialect)
    yield from between(text, begin, _CLAIMS_END, claims_table(dialect), name)


def pages() -> Mapping[str, Callable[[], Lines]]:
    """The pages of proposals that have claims, by their path in docs/."""
    return {
        f"explanation/{path.stem}.md": functools.partial(page, path.stem)
        for path in sorted((DOCS / "claims").glob("*.toml"))
    }
