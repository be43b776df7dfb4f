"""The reference with all settings of a dialect's vectors, as an implementation has them: it answers whole cases.

For the meaning of bytes and values alone, `oracle.codec.reference_codec` is enough.
"""

from __future__ import annotations

import functools

from wireproof import reference
from wireproof.conformance import vectors


@functools.cache
def configured_reference(
    dialect: str, apis: tuple[tuple[int, tuple[int, int]], ...] | None = None
) -> reference.Reference:
    """The reference with the demanded readings, made once in each process. The judge asks it what a declared reading
    answers: `Reference.under` returns one with other readings without reading the schemas again. `apis`: api keys with
    their versions, in place of those of the vectors."""
    codec = reference.Reference()
    settings = vectors.settings(dialect)
    codec.configure(settings if apis is None else {**settings, "apis": dict(apis)}, dialect=dialect)
    return codec
