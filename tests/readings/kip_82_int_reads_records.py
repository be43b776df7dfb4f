"""Takes nothing but messages of the version's magic in Produce and Fetch: R-82i-13's other reading."""

from __future__ import annotations

from miniatures import Produces, everything

from wireproof import reference

DIALECT = "kip-82-int-keys"
PRODUCES: Produces = frozenset({("messages", "contested", None)})
TAKES = frozenset({"R-82i-13"})

dialects = (DIALECT,)
types = everything(dialect=DIALECT)

_own = reference.Reference(reference.Rules(headed_records="messages"))
decode, encode, recode, lookup, convert = _own.decode, _own.encode, _own.recode, _own.lookup, _own.convert
