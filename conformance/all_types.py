"""Every type of a dialect at every version."""

from __future__ import annotations

from collections.abc import Iterator

from wireproof.conformance.reference_codec import reference_codec

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
