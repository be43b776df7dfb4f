"""Passes over what a value leaves of its FieldLength, and does not say so: R-482-9's other reading."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset((area, "contested", None) for area in ("messages",))
TAKES = frozenset({"R-482-9"})

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")

_own = Reference(Rules(optional_size="ignored"))
rejects = _own.rejects
configure = _own.configure
decode = _own.decode
encode = _own.encode
recode = _own.recode
