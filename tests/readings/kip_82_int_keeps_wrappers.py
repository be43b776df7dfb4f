"""Does not look into wrappers: R-82i-11's other reading."""

from __future__ import annotations

from miniatures import Produces
from support.headed_codec import TYPES, Headed

PRODUCES: Produces = frozenset({(area, "contested", None) for area in ("messages", "unsupported-versions")})
TAKES = frozenset({"R-82i-11"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(opaque=True)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
convert = _own.convert
