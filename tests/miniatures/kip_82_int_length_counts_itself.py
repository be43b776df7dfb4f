"""Counts HeadersLength's own four bytes in it."""

from __future__ import annotations

from support.headed_codec import OTHER_BYTES, REFUSED_UNDER, TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = OTHER_BYTES | {("framing", "fail", "accepted-invalid")}
TAKES = REFUSED_UNDER

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(counted=4)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
