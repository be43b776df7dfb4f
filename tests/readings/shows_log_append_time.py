"""Shows the time at which the broker appended a batch, or a wrapper, in each record in it: R-K-36's other reading."""

from __future__ import annotations

from miniatures import Produces, only

from wireproof import reference

PRODUCES: Produces = frozenset({("framing", "contested", None)})
TAKES = frozenset({"R-K-36"})

types = only("RecordBatch", "MessageSet", "RecordSet")

_own = reference.Reference(reference.Rules(log_append_time="outer"))
decode, encode, recode = _own.decode, _own.encode, _own.recode
