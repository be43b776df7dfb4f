"""Every claim of a proposal's page, and the vectors that test it.

`docs/claims/<dialect>.toml` lists the claims. Each names vectors that fail an
implementation which breaks it, or says why there can be none:

    sections = ["Common fields", "comments"]        # all of the page that claim something, in its order

    [[claim]]
    section = "Common fields"
    says = "the size does not count its own four bytes"
    rulings = ["R-WF-13"]                           # which decide how the words are read; may be left out
    vectors = ["framing/produce", "framing/frame-*"]

    [[claim]]
    section = "comments"
    says = "an error when the time is over"
    beyond = "no op lets time pass: tests/test_wire_format_waiting.py"

A name of `vectors` is `<area>/<id>`, or such names with `*` in them.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from conformance.vectors import Vector
from reference.rules import Ruling


class ClaimsError(ValueError):
    """A file of claims that does not keep to the format; the text names the file."""


class Claim(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One thing that the page says. Either `vectors` ask it, or `beyond` says why nothing does."""

    section: str
    says: str
    rulings: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    beyond: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    sections: tuple[str, ...]
    claim: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """A page's sections that claim something, and their claims, both in its order."""

    sections: tuple[str, ...]
    claims: tuple[Claim, ...]

    def of(self, section: str) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim.section == section)


def load(path: Path) -> Claims:
    """Raises ClaimsError."""
    try:
        found = msgspec.convert(tomllib.loads(path.read_text("utf-8")), _File)
    except (msgspec.ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClaimsError(f"{path.name}: {error}") from None
    return Claims(found.sections, found.claim)


def problems(claims: Claims, rulings: Mapping[str, Ruling], vectors: Iterable[Vector]) -> Iterator[str]:
    """What is wrong with a dialect's claims, a line each: a claim without vectors or reason, a name that does not
    exist, a ruling that none of the claim's vectors rests on, a section or ruling without a claim."""
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
        found = [vector for path, vector in known.items() if fnmatchcase(path, name)]
        if not found:
            yield f"there is no vector {name!r}"
        rest.update(ruling for vector in found for ruling in vector.rulings)
    for ruling in claim.rulings:
        if ruling not in rulings:
            yield f"there is no ruling {ruling!r}"
        elif claim.vectors and ruling not in rest:
            yield f"none of its vectors rests on {ruling}"
