"""Refuses a flag without headers."""

from __future__ import annotations

from miniatures import Produces
from support.headed_codec import TYPES, Headed

PRODUCES: Produces = frozenset({("header-multimaps", "contested", None)})
TAKES = frozenset({"R-82i-2"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(empty=False)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
