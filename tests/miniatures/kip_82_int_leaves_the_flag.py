"""Leaves the flag of headers set, as it was given, where there are none: a HeadersLength of 0 follows."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = frozenset({("header-multimaps", "fail", "wrong-bytes")})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(clears=False)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
