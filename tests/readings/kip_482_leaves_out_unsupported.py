"""Leaves out an optional field that is set, in a version without optional fields: R-482-14's other reading."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-482-14"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")

_own = Reference(Rules(field_not_in_version="left-out"))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
