"""The dialects. A dialect is one version of the protocol, with its own types, rules and rulings.

`base` has the class of all; `kafka` is what Kafka ships, the others are proposals, and share `drafts`.
"""

from __future__ import annotations

from wireproof.reference.dialects.base import Dialect, NamesNumbers, UnknownType
from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.dialects.kip_35 import Kip35
from wireproof.reference.dialects.kip_82_int import Kip82Int
from wireproof.reference.dialects.kip_82_string_keys import Kip82StringKeys
from wireproof.reference.dialects.kip_482 import Kip482
from wireproof.reference.dialects.wire_format import WireFormat

#: All dialects by id.
DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect for dialect in (Kafka(), Kip35(), Kip82Int(), Kip82StringKeys(), Kip482(), WireFormat())
}

__all__ = ["DIALECTS", "Dialect", "NamesNumbers", "UnknownType"]
