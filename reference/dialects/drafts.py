"""The rulings that all five drafts share: none of the drafts speaks of these points."""

from __future__ import annotations

from wireproof.reference.rules import OTHER, Ruling

OVERLONG_VARINTS = Ruling(
    "R-D-1",
    "overlong varints",
    "decode, and are re-encoded minimally; more than 5 (10) bytes, or bits above the width in the last: refused",
    {OTHER: ("overlong_varints", "refused"), "high-bits": ("high_bits", "dropped")},
    "refused; bits above the width in the last byte are dropped",
    "the drafts are silent",
)
INVALID_TEXT = Ruling(
    "R-D-2",
    "text that is not UTF-8",
    "refused",
    {OTHER: ("invalid_text", "replaced"), "kept": ("invalid_text", "kept")},
    "U+FFFD in its place, one for each byte or for each maximal part; its bytes kept, and written as they came",
    "the drafts are silent",
)
NEGATIVE_LENGTH = Ruling(
    "R-D-3",
    "a negative length or count where there is no null",
    "refused",
    source="Kafka protocol guide, Protocol Primitive Types",
    quote="Length must not be negative.",
)
BOOLEAN = Ruling(
    "R-D-4",
    "boolean bytes 02 to ff",
    'true, re-encoded 01: "any non-zero value is considered true"',
    source="Kafka protocol guide, Protocol Primitive Types",
    quote="When reading a boolean value, any non-zero value is considered true.",
)
LEFT_OVER = Ruling(
    "R-D-5",
    "bytes left over after a body",
    "refused",
    {OTHER: ("trailing_bytes", "ignored")},
    "ignored",
    "the drafts are silent",
)
BELOW_NULL = Ruling(
    "R-D-6",
    "a length or count below −1 where −1 is null",
    "refused",
    {OTHER: ("negative_length", "null")},
    "null",
    "the drafts are silent",
)
