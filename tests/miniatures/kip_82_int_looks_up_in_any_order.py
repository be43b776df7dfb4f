"""Looks headers up without a look at the order of their keys: KIP-82 with int keys."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = frozenset(
    {("header-multimaps", "fail", "accepted-invalid"), ("header-multimaps", "contested", None)}
)
TAKES = frozenset({"R-82i-10"})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed()
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = Headed(order="any").lookup
