"""Spans of all types: every byte read is covered exactly once, in order; on a refusal, up to the fault."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.properties import strategies
from wireproof.reference import Explanation, Reference, Rules, Span

TYPES = sorted(types_of(KAFKA), key=str)


def check(explanation: Explanation, data: bytes) -> None:
    """Each span begins where the one before it ended; together they reach the end, or the fault."""
    position = 0
    for span in explanation.spans:
        assert isinstance(span, Span)
        assert span.start == position < span.end
        position = span.end
    assert position <= len(data)
    if explanation.error is None:
        assert position == len(data)
    elif explanation.error.offset is not None:
        assert explanation.error.offset <= position


@settings(max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_valid_bytes_are_covered_exactly_once(data: st.DataObject) -> None:
    name, version = data.draw(st.sampled_from(TYPES))
    value = data.draw(strategies.values(name, dialect=KAFKA, version=version))
    written = reference.encode(name, value, dialect=KAFKA, version=version)
    found = reference.explain(name, written, dialect=KAFKA, version=version)
    assert found.error is None
    check(found, written)


def test_damaged_bytes_are_covered_up_to_the_fault() -> None:
    """Under the strict readings and under all the others at once, which read on where the strict ones stop."""
    seed = random.Random(20)
    lenient = Rules(
        high_bits="dropped",
        invalid_text="replaced",
        negative_length="null",
        compact_length="signed",
        tag_order="any",
        tag_size="ignored",
        struct_marker="sign",
    )
    readers = (Reference(), Reference(lenient))
    checked = 0
    for name, version in TYPES * 40:
        data = bytes(seed.choice((0, 0, 0, 1, 1, 2, 3, 0x12, 0x7F, 0x80, 0xFF)) for _ in range(seed.randrange(24)))
        for own in readers:
            check(own.explain(name, data, dialect=KAFKA, version=version), data)
            checked += 1
    assert checked == len(TYPES) * 80
