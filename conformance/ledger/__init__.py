"""The message ledger: the same few cases for every version of every message. The kit makes the values, and Apache
Kafka's classes write the bytes.

make            the values of a version's cases, and of its frame
field_values    the values of plain fields in them
sent_defaults   bytes that no encoder writes: tagged fields sent with their defaults
files           reads and writes ledger files
derivation      derives further cases from the stored ones: prefixes, and counts set to their maximum
generate        asks implementations for all bytes again
"""

from wireproof.conformance.ledger.derivation import bombs, derive, derived, find, prefixes, richest_first
from wireproof.conformance.ledger.files import (
    AREA,
    DIALECT,
    FRAME,
    RICHEST,
    Ledger,
    LedgerEntry,
    LedgerHeader,
    asked_as,
    entry,
    every_vector,
    lines,
    load,
    names,
    parse,
    vector,
)
from wireproof.conformance.ledger.make import (
    UNKNOWN_TAG,
    default,
    every_field,
    frame,
    framed_versions,
    nullable,
    values,
)
from wireproof.conformance.ledger.sent_defaults import explicit

__all__ = [
    "AREA",
    "DIALECT",
    "FRAME",
    "RICHEST",
    "UNKNOWN_TAG",
    "Ledger",
    "LedgerEntry",
    "LedgerHeader",
    "asked_as",
    "bombs",
    "default",
    "derive",
    "derived",
    "entry",
    "every_field",
    "every_vector",
    "explicit",
    "find",
    "frame",
    "framed_versions",
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
