"""The difference between an answer and the expected one."""

from __future__ import annotations

from dataclasses import dataclass

from wireproof.conformance.model import FailureKind


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The difference between an answer and the expected one. `text` describes it for a person. `place`: of a
    conversation, which field of which answer; of a client, which part of its frames or its end; of what a producer has
    written, or a consumer delivered, which field, or that records are too many or few."""

    kind: FailureKind
    text: str
    place: str = ""
