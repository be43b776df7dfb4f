"""Vectors: cases with their expectation, loaded strictly from `vectors/<dialect>/<area>.json`.

The format is told in `vectors/FORMAT.md`.

model       what a vector is
raw         the fields of a file
file        a file → its vectors
added       folders of a user's own
collection  all files
"""

from conformance.vectors.added import added, added_folder, added_vector, take
from conformance.vectors.collection import dialects, digest, files, load, load_file, settings
from conformance.vectors.file import parse
from conformance.vectors.model import (
    ABSENT,
    AREAS,
    KIND_OPS,
    Also,
    Piece,
    Reject,
    Vector,
    VectorError,
    VectorFile,
    VectorKind,
    Wrong,
)

__all__ = [
    "ABSENT",
    "AREAS",
    "KIND_OPS",
    "Also",
    "Piece",
    "Reject",
    "Vector",
    "VectorError",
    "VectorFile",
    "VectorKind",
    "Wrong",
    "added",
    "added_folder",
    "added_vector",
    "dialects",
    "digest",
    "files",
    "load",
    "load_file",
    "parse",
    "settings",
    "take",
]
