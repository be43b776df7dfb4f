"""Counts to 65,535: an array's count is read and written as an INT16 without a sign."""

from __future__ import annotations

from typing import Any

from support.altered_parts import ops

from miniatures import Produces, everything
from wireproof.reference import rejects as rejects
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.wire_format.parts import Part, Several
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.primitives import append_uint16, read_uint16

PRODUCES: Produces = frozenset({("resource-limits", "fail", "accepted-invalid")})
HUGE = True

dialects = ("wire-format",)
types = everything((), dialect="wire-format")


class Unsigned(Several):
    """As many elements as an unsigned INT16 says."""

    def read(self, reader: Reader, expected: int | None = None) -> list[Any]:
        start = reader.pos
        count = read_uint16(reader)
        if expected not in (None, count):
            raise DecodeError(Reason.COUNT_MISMATCH, "unequal", start)
        return [self.element.read(reader) for _ in range(count)]

    def append(self, writer: Writer, value: Any) -> None:
        if value is None or len(value) >= 2**16:
            raise EncodeError(Reason.OUT_OF_RANGE, "no count can say that", writer.path)
        append_uint16(writer, len(value))
        for element in value:
            self.element.append(writer, element)


def _unsigned(part: Part) -> Part:
    return Unsigned(part.element, part.beside) if isinstance(part, Several) else part


decode, encode = ops(_unsigned)
