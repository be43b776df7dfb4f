"""Takes nothing but batches and messages in the fields that hold records: R-K-32's other reading."""

from __future__ import annotations

from miniatures import Produces, only

from wireproof import reference

PRODUCES: Produces = frozenset({("resource-limits", "contested", None)})
TAKES = frozenset({"R-K-32"})
HUGE = True  # only those hold other bytes

types = only("ProduceRequest", "FetchResponse")

_own = reference.Reference(reference.Rules(message_records="read"))
decode, encode, recode = _own.decode, _own.encode, _own.recode
