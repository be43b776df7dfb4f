"""How the expectations were decided against which more groups of implementations dissent than agree.

`vectors/attested/decisions.toml` has the decisions, each for the expectations of one point. People made them, from
Kafka's source and the specification; a test holds that every such expectation has one.
"""

from __future__ import annotations

import fnmatch
import functools
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Literal

import msgspec

from wireproof.conformance.evidence.attestation import FOLDER
from wireproof.conformance.evidence.consensus import Opinion
from wireproof.conformance.vectors import VectorError

NAME = "decisions.toml"


class Decision(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One `[[decision]]`. It concerns the expectations whose id one of the globs matches, and whose vector rests on the
    ruling if there is one. `outcome`: the demanded answer is right, or the vector also has that of another reading."""

    subject: str
    match: tuple[str, ...]
    outcome: Literal["stands", "contested"]
    why: str
    ruling: str | None = None

    def concerns(self, opinion: Opinion) -> bool:
        """Whether it is about this expectation."""
        if self.ruling is not None and self.ruling not in opinion.vector.rulings:
            return False
        return any(fnmatch.fnmatchcase(opinion.id, glob) for glob in self.match)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    decision: tuple[Decision, ...]


def parse(content: bytes, name: str) -> tuple[Decision, ...]:
    """The decisions of a file. Raises VectorError, with the file's name."""
    try:
        return msgspec.convert(tomllib.loads(content.decode("utf-8")), _File).decision
    except ValueError as error:
        raise VectorError(f"{name}: {error}") from None


@functools.cache
def load() -> tuple[Decision, ...]:
    """The decisions of the vector set, in the order of the file. Raises VectorError."""
    return parse((resources.files("wireproof.vectors") / FOLDER / NAME).read_bytes(), f"vectors/{FOLDER}/{NAME}")


def decision(opinion: Opinion, decisions: Sequence[Decision]) -> Decision | None:
    """The first one that concerns an expectation; None if nobody has decided yet."""
    return next((one for one in decisions if one.concerns(opinion)), None)


def counted(opinions: Iterable[Opinion], decisions: Sequence[Decision]) -> Counter[Decision | None]:
    """How many of these expectations each decision concerns; under None those that are not decided."""
    return Counter(decision(opinion, decisions) for opinion in opinions)
