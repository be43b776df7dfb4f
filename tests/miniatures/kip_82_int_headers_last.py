"""Has the headers behind the value."""

from __future__ import annotations

from support.headed_codec import OTHER_BYTES, REFUSED_UNDER, TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = OTHER_BYTES | {
    ("header-multimaps", "fail", "accepted-invalid"),
    ("null-encodings", "fail", "wrong-value"),  # an empty value and a length of 0 headers look alike
}
TAKES = REFUSED_UNDER

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(last=True)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
