"""Takes and writes headers in any order, and keys twice."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "fail", "accepted-invalid"),
        ("header-multimaps", "fail", "wrong-bytes"),
        ("header-multimaps", "contested", None),
        ("messages", "fail", "accepted-invalid"),
    }
)
TAKES = frozenset({"R-82i-3", "R-82i-10"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(order="any", sorts=False)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
