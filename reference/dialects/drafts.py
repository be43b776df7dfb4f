"""The rulings that all five drafts share: none of the drafts speaks of these points."""

from __future__ import annotations

from wireproof.reference.rules import OTHER, Ruling

OVERLONG_VARINTS = Ruling(
    "R-D-1",
    "overlong varints",
    "decode, and are re-encoded minimally; more than 5 (10) bytes, or bits above the width in the last: refused",
    {OTHER: ("overlong_varints", "refused")},
    "refused",
    "this kit: the drafts are silent",
)
INVALID_TEXT = Ruling(
    "R-D-2",
    "text that is not UTF-8",
    "refused",
    {OTHER: ("invalid_text", "replaced"), "kept": ("invalid_text", "kept")},
    "U+FFFD in its place, one for each byte or for each maximal part; its bytes kept, and written as they came",
    "this kit: the drafts are silent",
)
NEGATIVE_LENGTH = Ruling(
    "R-D-3",
    "a length below −1 where −1 is null; a negative count",
    "refused",
    source="this kit: the drafts are silent",
)
BOOLEAN = Ruling(
    "R-D-4",
    "boolean bytes 02 to ff",
    "true, re-encoded 01",
    source="this kit: the drafts are silent",
)
LEFT_OVER = Ruling(
    "R-D-5",
    "bytes left over after a body",
    "refused",
    source="this kit: the drafts are silent",
)
