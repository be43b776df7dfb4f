"""Vectors: cases with their expectation, loaded strictly from `vectors/<dialect>/<area>.json`.

`vectors/FORMAT.md` describes the format.

model          the class Vector
schema         the fields of a file, as JSON has them
short_forms    writes out names and repetitions in a file
parser         reads a file into vectors
kit_files      the kit's own files
user_folders   users' own folders of vectors
loader         both
places         the file and line of a vector
requests       the request of each api for a sweep over a broker's versions
scripts        scripts for clients: how a broker answers them
conversations  conversations with a broker; `conversation_script` plays one, `records` are those in it
relay_script   what is asked of a proxy; `rewrites` says what it may alter
patterns       the pattern language of `sends`
compression_bombs        bytes that inflate to far more; `leb128` for their sizes
configured_reference     the reference with a vector's settings
"""

from wireproof.conformance.vectors.kit_files import dialects, digest, load_file
from wireproof.conformance.vectors.loader import files, load, settings
from wireproof.conformance.vectors.model import (
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
from wireproof.conformance.vectors.parser import parse
from wireproof.conformance.vectors.user_folders import added, added_folder, added_vector, use_folders

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
    "use_folders",
]
