"""The message ledger: the same few cases for every message-version, values by the kit, bytes by Apache Kafka.

`making` has the values, from `leaves`; `sent_defaults` those bytes that no encoder writes; `files` reads and writes
what is stored; `derivation` makes prefixes and count bombs of it; `remaking` asks implementations for the bytes again.
"""

from conformance.ledger.derivation import bombs, derive, derived, find, prefixes, richest_first
from conformance.ledger.files import (
    AREA,
    DIALECT,
    RICHEST,
    Ledger,
    LedgerEntry,
    LedgerHeader,
    Same,
    entry,
    every_vector,
    lines,
    load,
    names,
    parse,
    vector,
)
from conformance.ledger.making import UNKNOWN_TAG, default, every_field, nullable, values
from conformance.ledger.sent_defaults import explicit

__all__ = [
    "AREA",
    "DIALECT",
    "RICHEST",
    "UNKNOWN_TAG",
    "Ledger",
    "LedgerEntry",
    "LedgerHeader",
    "Same",
    "bombs",
    "default",
    "derive",
    "derived",
    "entry",
    "every_field",
    "every_vector",
    "explicit",
    "find",
    "lines",
    "load",
    "names",
    "nullable",
    "parse",
    "prefixes",
    "richest_first",
    "values",
    "vector",
]
