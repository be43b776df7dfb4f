"""Takes 0x08, the bit of the timestamp's type, for the flag of headers."""

from __future__ import annotations

from support.headed_codec import OTHER_BYTES, REFUSED_UNDER, TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = OTHER_BYTES | {
    ("header-multimaps", "fail", "accepted-invalid"),
    ("framing", "fail", "accepted-invalid"),
}
TAKES = REFUSED_UNDER

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(flag=0x08)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
