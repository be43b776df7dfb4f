"""Reads and writes an intVar as the 64 bits of two's complement: R-82s-12's other reading."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("header-multimaps", "contested", None),
        ("unsupported-versions", "contested", None),
        ("varints", "contested", None),
    }
)
TAKES = frozenset({"R-82s-12"})

dialects = ("kip-82-string-keys",)
types = everything((), dialect="kip-82-string-keys")

_own = Reference(rules_with(rulings("kip-82-string-keys").values(), {"R-82s-12": "other"}))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
convert = _own.convert
