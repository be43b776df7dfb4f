"""The reference, configured for the vectors of a dialect, as implementations are."""

from __future__ import annotations

import functools

from wireproof import reference
from wireproof.conformance import vectors


@functools.cache
def configured_reference(dialect: str) -> reference.Reference:
    """The reference with the demanded readings, made once in each process. `Reference.under` returns one with other
    readings without reading the schemas again."""
    codec = reference.Reference()
    codec.configure(vectors.settings(dialect), dialect=dialect)
    return codec
