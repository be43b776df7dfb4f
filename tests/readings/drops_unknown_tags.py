"""Forgets the tags that it does not know, and does not say so: R-K-3's other reading."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, Rules

#: Tags are in every message that is flexible.
PRODUCES: Produces = frozenset(
    (area, "contested", None)
    for area in ("varints", "tag-ordering", "null-encodings", "framing", "resource-limits", "messages")
)
TAKES = frozenset({"R-K-3", "R-K-13"})

types = everything()

_own = Reference(Rules(unknown_tags="dropped"))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
