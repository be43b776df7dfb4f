"""Reads a message behind a version that its schema does not have as the nearest one (R-K-59)."""

from __future__ import annotations

from miniatures import Produces, only

from wireproof.reference import Reference, Rules
from wireproof.reference import types as _types

PRODUCES: Produces = frozenset({("messages", "contested", None)})
TAKES = frozenset({"R-K-59"})

types = only(*(name for name in _types["kafka"] if name.startswith("VersionPrefixed:")))

_own = Reference(Rules(unknown_version="nearest"))
decode = _own.decode
encode = _own.encode
