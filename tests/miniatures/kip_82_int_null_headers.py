"""Takes the length −1 of a header's value for null, and that of all headers for none."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = frozenset({("null-encodings", "fail", "accepted-invalid")})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(nulls=True)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
