"""How an implementation's process ends, for drivers that ask through many processes: it is seen once."""

from __future__ import annotations

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.model import Verdict
from wireproof.conformance.questions.selection import of_vectors


def process_end(examiner: Examiner) -> Verdict | None:
    """Ask the first question of the vectors that the implementation offers, and close the connection. A verdict if its
    process ended wrongly, else None."""
    described = examiner.description
    for question in of_vectors(vectors.load(described.dialects), described):
        [*_] = examiner.judge([question])
        break
    return examiner.end()


def told(verdict: Verdict) -> str:
    """The verdict on the end of a process, in a line."""
    return f"{verdict.outcome} after its last answer: {verdict.detail.partition(chr(10))[0]}"
