"""The claims of a proposal's page, and the vectors that test them.

`docs/claims/<dialect>.toml` lists the claims. Each claim names vectors that fail if an implementation breaks it, or the
reason why there can be none:

    sections = ["Common fields", "comments"]        # all sections of the page with claims, in its order

    [[claim]]
    section = "Common fields"
    says = "the size does not count its own four bytes"
    rulings = ["R-WF-13"]                           # optional: rulings on the meaning of the words
    vectors = ["framing/produce", "framing/frame-*"]

    [[claim]]
    section = "comments"
    says = "an error when the time is over"
    beyond = "no op lets time pass: tests/dialects/wire_format/test_wire_format_waiting.py"

A name in `vectors` is `<area>/<id>`, or a pattern for such names with `*`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from wireproof.conformance.vectors import Vector
from wireproof.errors import WireproofError
from wireproof.reference.rules import Ruling


class ClaimsError(WireproofError):
    """A file of claims in a wrong format. The text names the file."""


class Claim(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A claim of the page. Either `vectors` test it, or `beyond` gives the reason why no vector does."""

    section: str
    says: str
    rulings: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    beyond: str = ""


class _ClaimsFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    sections: tuple[str, ...]
    claim: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """The sections of a page with claims, and their claims, both in the order of the page."""

    sections: tuple[str, ...]
    claims: tuple[Claim, ...]

    def of(self, section: str) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim.section == section)


def load(path: Path) -> Claims:
    """Raises ClaimsError."""
    try:
        file = msgspec.convert(tomllib.loads(path.read_text("utf-8")), _ClaimsFile)
    except (msgspec.ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClaimsError(f"{path.name}: {error}") from None
    return Claims(file.sections, file.claim)


def problems(claims: Claims, rulings: Mapping[str, Ruling], vectors: Iterable[Vector]) -> Iterator[str]:
    """The problems in a dialect's claims, one line for each: a claim without vectors or reason, an unknown name, a
    ruling on which none of the claim's vectors rests, a section or ruling without a claim."""
    known = {f"{vector.area}/{vector.id}": vector for vector in vectors}
    for text, times in Counter(claim.says for claim in claims.claims).items():
        if times > 1:
            yield f"{text!r} stands {times} times"
    for section in claims.sections:
        if not claims.of(section):
            yield f"the section {section!r} has no claim"
    for claim in claims.claims:
        yield from (f"{claim.says!r}: {problem}" for problem in _problems(claim, claims.sections, rulings, known))
    named = {ruling for claim in claims.claims for ruling in claim.rulings}
    yield from (f"no claim names the ruling {ruling}" for ruling in rulings if ruling not in named)


def _problems(
    claim: Claim, sections: Iterable[str], rulings: Mapping[str, Ruling], known: Mapping[str, Vector]
) -> Iterator[str]:
    if claim.section not in sections:
        yield f"its section {claim.section!r} is none of the page's"
    if bool(claim.vectors) == bool(claim.beyond):
        yield "it needs either vectors, or in `beyond` the reason why there are none"
    rest: set[str] = set()
    for name in claim.vectors:
        vectors = [vector for path, vector in known.items() if fnmatchcase(path, name)]
        if not vectors:
            yield f"there is no vector {name!r}"
        rest.update(ruling for vector in vectors for ruling in vector.rulings)
    for ruling in claim.rulings:
        if ruling not in rulings:
            yield f"there is no ruling {ruling!r}"
        elif claim.vectors and ruling not in rest:
            yield f"none of its vectors rests on {ruling}"
