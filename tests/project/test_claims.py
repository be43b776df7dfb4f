"""What the proposals' pages claim: each claim has vectors, or a reason why it has none."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import claims
from pages.claims import Claim, Claims
from pages.proposals import every_vector
from support.paths import ROOT

from wireproof import reference
from wireproof.conformance import vectors

FOLDER = ROOT / "docs" / "claims"
PROPOSALS = [dialect for dialect in reference.dialects if dialect != "kafka"]
DIALECT = "wire-format"
RULINGS = {name: reference.rulings(DIALECT)[name] for name in ("R-WF-2", "R-WF-8")}
VECTORS = vectors.load([DIALECT])


def test_every_proposal_has_claims() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == {*PROPOSALS}


@pytest.mark.parametrize("dialect", PROPOSALS)
def test_no_claim_is_without_vectors_or_a_reason(dialect: str) -> None:
    found = claims.load(FOLDER / f"{dialect}.toml")
    assert len(found.claims) > 20
    assert list(claims.problems(found, reference.rulings(dialect), every_vector(dialect))) == []


# --- What is wrong with claims ----------------------------------------------------------------------------------------


def said(**changed: object) -> Claim:
    found = {"section": "Notation", "says": "counts are int16", "rulings": ("R-WF-2",)}
    return Claim(**(found | {"vectors": ("messages/produce",)} | changed))  # type: ignore[arg-type]


BOTH = (said(), said(section="Response", says="error is last", rulings=("R-WF-8",), vectors=("messages/produced-e*",)))
SECTIONS = ("Notation", "Response")


def problems(*found: Claim, sections: tuple[str, ...] = SECTIONS) -> list[str]:
    return list(claims.problems(Claims(sections, found), RULINGS, VECTORS))


def test_claims_that_are_well() -> None:
    assert problems(*BOTH) == []
    assert problems(*BOTH, said(says="soon", rulings=(), vectors=(), beyond="no op knows the time")) == []


@pytest.mark.parametrize(
    ("claim", "problem"),
    [
        (said(vectors=()), "'counts are int16': it needs either vectors, or in `beyond` the reason"),
        (said(beyond="no op asks it"), "'counts are int16': it needs either vectors, or in `beyond` the reason"),
        (said(vectors=("messages/produce", "messages/none")), "there is no vector 'messages/none'"),
        (said(vectors=("produce", "messages/produce")), "there is no vector 'produce'"),
        (said(vectors=("nowhere/*", "messages/produce")), "there is no vector 'nowhere/*'"),
        (said(rulings=("R-WF-2", "R-WF-99")), "there is no ruling 'R-WF-99'"),
        (said(vectors=("messages/produced",)), "none of its vectors rests on R-WF-2"),
        (said(section="Elsewhere"), "its section 'Elsewhere' is none of the page's"),
    ],
)
def test_a_claim_with_a_fault(claim: Claim, problem: str) -> None:
    found = problems(claim, BOTH[1], said(says="another", section="Notation"))
    assert len(found) == 1
    assert problem in found[0]


def test_what_has_no_claim() -> None:
    assert problems(BOTH[0]) == ["the section 'Response' has no claim", "no claim names the ruling R-WF-8"]
    assert problems(*BOTH, sections=(*SECTIONS, "FetchRequest")) == ["the section 'FetchRequest' has no claim"]
    assert problems(*BOTH, BOTH[0]) == ["'counts are int16' stands 2 times"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sections = [", "odd.toml: "),
        ("claim = []", "odd.toml: Object missing required field `sections`"),
        ("sections = []\n[[claim]]\nsection = ''\nsays = ''\nwhy = ''", "unknown field `why` - at `$.claim[0]`"),
    ],
)
def test_files_that_do_not_keep_to_the_format(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "odd.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(claims.ClaimsError) as caught:
        claims.load(path)
    assert told in str(caught.value)
