"""Forgets the optional fields that it does not know, and does not say so: R-482-8's other reading."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset(
    (area, "contested", None) for area in ("tag-ordering", "unsupported-versions", "messages")
)
TAKES = frozenset({"R-482-8", "R-482-14"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")

_own = Reference(Rules(unknown_tags="dropped"))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
