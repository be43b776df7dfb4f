"""The op convert: how answers are judged and shown, and the formats that vectors name."""

from __future__ import annotations

import pytest
from support.judging import judged

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import FailureKind, Observation, Op, Outcome, Status
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.report.failure import failure_page
from wireproof.conformance.vectors import Vector
from wireproof.reference.dialects.base import Format

DIALECTS = ("kafka", "kip-82-int-keys", "kip-82-string-keys")
ALL = {vector.path: vector for vector in vectors.load(DIALECTS) if Op.CONVERT in vector.ops}
KAFKA, INT, STRING = (f"{dialect}/unsupported-versions" for dialect in DIALECTS)


def seen(vector: Vector, answer: bytes) -> Observation:
    return Observation(vector.case(Op.CONVERT), Status.ANSWER, answer)


def page(vector: Vector, answer: bytes) -> str:
    observation = seen(vector, answer)
    found = judged(vector, observation)
    made = failure_page(
        vector, observation.case, observation, found, implementation="library", repro="again", width=100
    )
    return made.plain


def test_every_format_that_a_dialect_names_has_vectors_and_no_other() -> None:
    asked = {(vector.dialect, vector.type, vector.args["to"]) for vector in ALL.values()}
    named = {
        (dialect, type_name, to)
        for dialect in reference.dialects
        for type_name, formats in reference.dialect_named(dialect).formats.items()
        for to in formats
    }
    assert asked == named
    assert len(ALL) > 50


@pytest.mark.parametrize(
    ("path", "form"),
    [
        (f"{KAFKA}/convert-to-0", Format("kafka", "RecordSet")),
        (f"{INT}/convert-headed-to-1", Format("kip-82-int-keys", "MESSAGE_SET")),
        (f"{STRING}/convert-to-0", Format("kafka", "MessageSet", 0)),
        (f"{STRING}/convert-to-shipped", Format("kafka", "RecordSet")),
        (f"{STRING}/convert-from-shipped", Format("kip-82-string-keys", "BATCH")),
    ],
)
def test_an_answer_is_of_the_format_that_was_asked(path: str, form: Format) -> None:
    vector = ALL[path]
    assert answered_in(vector.case(Op.CONVERT)) == form
    assert reference.decode(form.type, vector.canonical_data, dialect=form.dialect, version=form.version)


def test_other_bytes_fail_though_they_mean_the_same() -> None:
    """Under the flag, with no headers: the draft's reader makes the same of it, an older one does not."""
    vector = ALL[f"{INT}/convert-plain-to-1"]
    assert judged(vector, seen(vector, vector.canonical_data)).outcome is Outcome.PASS
    found = judged(vector, seen(vector, vector.data))
    assert (found.outcome, found.kind) == (Outcome.FAIL, FailureKind.WRONG_BYTES)


def test_what_is_compressed_is_compared_by_what_it_means() -> None:
    vector = ALL[f"{STRING}/convert-gzip-to-shipped"]
    entries = reference.decode("RecordSet", vector.canonical_data, dialect="kafka")
    other = reference.encode("RecordSet", entries, dialect="kafka")
    assert other != vector.canonical_data  # another gzip stream
    assert judged(vector, seen(vector, other)).outcome is Outcome.PASS
    entries[0]["records"][0]["headers"] = []
    less = reference.encode("RecordSet", entries, dialect="kafka")
    assert judged(vector, seen(vector, less)).outcome is Outcome.FAIL
    assert judged(vector, seen(vector, b"\1")).outcome is Outcome.FAIL


def test_a_failure_shows_the_bytes_of_the_other_format() -> None:
    vector = ALL[f"{STRING}/convert-to-shipped"]
    text = page(vector, vector.canonical_data[:-1] + b"\2")
    assert "convert 65 bytes as BATCH, to 'shipped'" in text
    assert "first difference: byte 73" in text
    assert "crc-mismatch" in text  # what a reader of RecordSet makes of it


def test_a_failure_shows_the_attributes_that_were_kept() -> None:
    vector = ALL[f"{INT}/convert-headed-to-1"]
    kept = bytearray(vector.canonical_data)
    kept[17] = 0x10
    text = page(vector, bytes(kept))
    assert "convert 50 bytes as MESSAGE_SET, to 'magic-1'" in text
    assert "attributes: none" in text


def test_what_must_be_refused_and_came_back_is_shown() -> None:
    vector = ALL[f"{STRING}/convert-null-header-value"]
    text = page(vector, b"\1\2")
    assert "a refusal: null-not-allowed" in text
    assert "accepted; it returned" in text
