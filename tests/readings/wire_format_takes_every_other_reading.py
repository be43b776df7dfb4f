"""Takes the other reading of every contested ruling of the page."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof.reference import Reference, rules_with, rulings

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("messages", "contested", None),
        ("null-encodings", "contested", None),
        ("resource-limits", "contested", None),
        ("unsupported-versions", "contested", None),
    }
)
_READINGS = {name: next(iter(ruling.others)) for name, ruling in rulings("wire-format").items() if ruling.contested}
TAKES = frozenset(_READINGS)

dialects = ("wire-format",)
types = everything((), dialect="wire-format")

_own = Reference(rules_with(rulings("wire-format").values(), _READINGS))
rejects = _own.rejects
decode = _own.decode
encode = _own.encode
recode = _own.recode
serve = _own.serve
interpret = _own.interpret
