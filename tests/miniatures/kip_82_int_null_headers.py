"""Takes the length −1 of all headers for none. That of a header's value is null, which is R-82i-4's other reading."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = frozenset(
    {
        ("header-multimaps", "contested", None),
        ("null-encodings", "contested", None),
        ("null-encodings", "fail", "accepted-invalid"),
    }
)
TAKES = frozenset({"R-82i-4"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(nulls=True)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
