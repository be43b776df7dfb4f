"""Converts as Kafka's brokers did where the kit asks otherwise: messages that stand side by side become one batch, and
messages of magic 0 stay in a set of magic 1 (R-K-52, R-K-55). The messages in a wrapper have the time of appending
without its type (R-K-57)."""

from __future__ import annotations

from miniatures import CONVERTED, Produces

from wireproof.reference import Reference, Rules

PRODUCES: Produces = frozenset({("unsupported-versions", "contested", None)})
TAKES = frozenset({"R-K-52", "R-K-55", "R-K-57"})

types = CONVERTED

_own = Reference(Rules(older_messages="one-batch", lower_magics="kept", converted_append_time="unmarked"))
convert = _own.convert
