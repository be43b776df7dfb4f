"""The twin of an invalid vector: the valid one from which it differs in one thing."""

from __future__ import annotations

import functools

from wireproof.conformance import ledger, vectors
from wireproof.conformance.vectors import Vector


def twin_of(vector: Vector) -> Vector | None:
    """A vector's twin: of its own file, or the ledger's case that it is derived from. None for one that needs none."""
    if vector.twin is None:
        return None
    if vector.folder:
        return vectors.added_vector(f"{vector.folder}/{vector.area}/{vector.twin}")
    return _by_id(vector.dialect, vector.area).get(vector.twin) or ledger.vector(vector.twin, vector.dialect)


@functools.cache
def _by_id(dialect: str, area: str) -> dict[str, Vector]:
    file = vectors.load_file(dialect, area)
    return {} if file is None else {vector.id: vector for vector in file.vectors}
