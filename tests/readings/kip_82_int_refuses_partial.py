"""Refuses a partial message at the end of a set: R-82i-12's other reading."""

from __future__ import annotations

from miniatures import Produces
from support.headed_codec import TYPES, Headed

PRODUCES: Produces = frozenset({("framing", "contested", None), ("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-82i-12"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(partial=False)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
convert = _own.convert
