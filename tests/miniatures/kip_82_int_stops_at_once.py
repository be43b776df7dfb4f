"""Looks up no header but the first: at a key that is not wanted it stops, greater or not."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-value"), ("header-multimaps", "contested", None)})
TAKES = frozenset({"R-82i-3"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(stops_at_once=True)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
