"""Draws examples from bytes: hypothesis uses the bytes instead of random numbers.

So each property of `conformance.properties.properties` is also a fuzz target, and coverage guides its examples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings

from wireproof.conformance.model import Case
from wireproof.conformance.properties import properties
from wireproof.conformance.properties.properties import Property
from wireproof.conformance.vectors import Vector
from wireproof.fuzz.targets.inputs import Form


def draw(form: Form, data: bytes) -> Sequence[tuple[Vector, Case]]:
    """The questions of one property of a form about an example. The first byte selects the property, and the example is
    drawn from the others. There are no questions if the bytes are too few for an example."""
    checks = _checks(form)
    if not data or not checks:
        return ()
    check = checks[data[0] % len(checks)]
    drawn: list[Any] = []
    _drawer(check)(data[1:], drawn)
    return properties.questions(check, drawn[-1]) if drawn else ()


@functools.lru_cache(1 << 13)
def _checks(form: Form) -> tuple[Property, ...]:
    return tuple(properties.of_type(form.dialect, form.type or "", form.version, form.ops))


@functools.lru_cache(256)
def _drawer(check: Property) -> Callable[[bytes, list[Any]], None]:
    into: list[list[Any]] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(properties.examples(check))
    def property_(example: Any) -> None:
        into[-1].append(example)

    run = property_.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def drawer(data: bytes, drawn: list[Any]) -> None:
        into.append(drawn)
        try:
            run(data)
        finally:
            into.pop()

    return drawer
