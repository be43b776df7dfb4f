"""Reads and writes counts in four bytes, as what shipped has them."""

from __future__ import annotations

from typing import Any

from support.altered_parts import ops

from miniatures import Produces, everything
from wireproof.reference import rejects as rejects
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.wire_format.parts import Part, Several
from wireproof.reference.primitives import append_int32, read_classic_length, read_int32

PRODUCES: Produces = frozenset(
    {
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("messages", "fail", "refused-valid"),
        ("messages", "fail", "wrong-bytes"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("resource-limits", "fail", "accepted-invalid"),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("unsupported-versions", "fail", "refused-valid"),
        ("unsupported-versions", "fail", "wrong-bytes"),
    }
)

dialects = ("wire-format",)
types = everything((), dialect="wire-format")


class Wide(Several):
    """As many elements as an INT32 says."""

    def read(self, reader: Reader, expected: int | None = None) -> list[Any]:
        count = read_classic_length(reader, read_int32, "count", False) or 0
        return [self.element.read(reader) for _ in range(count)]

    def append(self, writer: Writer, value: Any) -> None:
        append_int32(writer, len(value))
        for element in value:
            self.element.append(writer, element)


def _wide(part: Part) -> Part:
    return Wide(part.element, part.beside) if isinstance(part, Several) else part


decode, encode = ops(_wide)
