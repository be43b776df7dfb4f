"""Values drawn from bytes: what hypothesis makes of them in place of random numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings

from conformance import strategies

#: In place of a value where the bytes give none.
NOTHING: Any = object()


def draw(dialect: str, type_name: str, version: int | None, data: bytes) -> Any:
    """The value that a type's strategy draws from these bytes; NOTHING where they are too few for one."""
    drawn: list[Any] = []
    _drawer(dialect, type_name, version)(data, drawn)
    return drawn[-1] if drawn else NOTHING


@functools.lru_cache(256)
def _drawer(dialect: str, type_name: str, version: int | None) -> Callable[[bytes, list[Any]], None]:
    into: list[list[Any]] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategies.values(type_name, dialect=dialect, version=version))
    def property_(value: Any) -> None:
        into[-1].append(value)

    run = property_.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def drawer(data: bytes, drawn: list[Any]) -> None:
        into.append(drawn)
        try:
            run(data)
        finally:
            into.pop()

    return drawer
