"""The types of a dialect: every one at every version, and the type of the bytes in an answer."""

from __future__ import annotations

from collections.abc import Iterator

from wireproof.conformance.model import Case, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference.dialects.base import Format

#: Examples of array types: with numbers, nullable text, bytes and other arrays as elements.
ARRAYS = tuple(
    f"{array}<{element}>"
    for array in ("ARRAY", "NULLABLE_ARRAY", "COMPACT_ARRAY", "COMPACT_NULLABLE_ARRAY")
    for element in ("INT32", "NULLABLE_STRING", "COMPACT_BYTES", "ARRAY<BOOLEAN>")
)


def types_of(dialect: str) -> Iterator[tuple[str, int | None]]:
    """Type names and versions (None: the type has no versions); for arrays those of `ARRAYS`."""
    for name, span in reference_codec().dialect(dialect).types.items():
        if name == "*":
            continue  # stands for the types of other schemas
        if name == "ARRAY":
            yield from ((array, None) for array in ARRAYS)
        elif span is None:
            yield name, None
        else:
            yield from ((name, version) for version in range(span[0], span[1] + 1))


def requests_of(dialect: str) -> Iterator[tuple[int, int]]:
    """The api key and version of every request of the dialect."""
    described = reference_codec().dialect(dialect)
    types = described.types  # read once, because kip-482-v1 builds them each time
    for key, name in sorted(described.apis().items()):
        span = types.get(f"{name}Request")
        if span is not None:
            yield from ((key, version) for version in range(span[0], span[1] + 1))


def answered_in(case: Case) -> Format:
    """The type of the bytes that answer a case, and of the value that they mean: `convert` answers in another format,
    every other op in the question's type. For a conversion to a format that its dialect does not name it is the
    question's own type."""
    assert case.type is not None
    asked = Format(case.dialect, case.type, case.version)
    if case.op is not Op.CONVERT:
        return asked
    return reference_codec().dialect(case.dialect).formats.get(case.type, {}).get(case.args["to"], asked)
