"""The kit's own reference, with the schemas of the vectors: what the judge, properties and reports ask."""

from __future__ import annotations

import functools

import reference
from conformance import vectors


@functools.cache
def own() -> reference.Reference:
    """The reference that takes no other reading, with the schemas of every dialect's vectors."""
    found = reference.Reference()
    for dialect in reference.dialects:
        found.configure(vectors.shared_settings(dialect), dialect=dialect)
    return found
