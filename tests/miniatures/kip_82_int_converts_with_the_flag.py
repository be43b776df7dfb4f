"""Leaves bit 4 in the attributes of a message that it converts to an older magic, though its headers are gone."""

from __future__ import annotations

from support.headed_codec import TYPES, Headed

from miniatures import Produces

PRODUCES: Produces = frozenset({("unsupported-versions", "fail", "wrong-bytes")})

dialects = ("kip-82-int-keys",)
types = TYPES

_own = Headed(keeps_the_flag=True)
decode = _own.decode
encode = _own.encode
recode = _own.recode
lookup = _own.lookup
convert = _own.convert
