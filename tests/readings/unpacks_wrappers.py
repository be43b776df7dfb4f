"""Shows a compressed wrapper's messages in its place, and writes them alone: R-K-33's other reading."""

from __future__ import annotations

from miniatures import Produces, only

from wireproof import reference

PRODUCES: Produces = frozenset({("framing", "contested", None)})
TAKES = frozenset({"R-K-33"})

types = only("MessageSet", "RecordSet")

_own = reference.Reference(reference.Rules(wrapped_messages="in-its-place"))
decode, encode, recode = _own.decode, _own.encode, _own.recode
