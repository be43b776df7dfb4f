"""The wire form of an integer: found from its bytes and value, and used to write other numbers."""

from __future__ import annotations

from dataclasses import dataclass

from wireproof.conformance.vectors.leb128 import leb128

#: Pieces of one byte that are integers of a fixed width; any other of one byte is a varint.
_ONE_BYTE = frozenset({"INT8", "BOOLEAN", "magic", "attributes", "marker"})
#: Pieces that are unsigned varints wherever they have one byte.
_UNSIGNED = frozenset({"UNSIGNED_VARINT", "uintVar", "tag", "tag count", "tag size"})
#: Varints of 64 bits; the others have 32.
_LONG = frozenset({"VARLONG", "timestampDelta", "intVar"})


@dataclass(frozen=True, slots=True)
class NumberForm:
    """`width`: bits of the integer. A varint is LEB128, with `signed` in zigzag; else the integer is big-endian."""

    width: int
    signed: bool
    varint: bool = False

    @property
    def low(self) -> int:
        """The smallest number in this form."""
        return -(1 << self.width - 1) if self.signed else 0

    @property
    def high(self) -> int:
        """The greatest one."""
        return (1 << self.width - self.signed) - 1

    @property
    def longest(self) -> int:
        """The most bytes of a number in this form."""
        return -(-self.width // 7) if self.varint else self.width // 8

    def write(self, number: int) -> bytes:
        """The shortest bytes of a number; of one that does not fit, its low bits."""
        bits = number & (1 << self.width) - 1
        if not self.varint:
            return bits.to_bytes(self.width // 8, "big")
        if self.signed:
            bits = (number << 1 ^ number >> self.width - 1) & (1 << self.width) - 1
        return leb128(bits)


def form_of(raw: bytes, value: object, what: str, *, unsigned_lengths: bool) -> NumberForm | None:
    """The form of a piece, from its bytes, value and name (`what`). None for a piece that is no integer. A varint of 0
    has the same byte in both varint forms: `unsigned_lengths` decides."""
    if isinstance(value, bool):
        return NumberForm(8, signed=True) if len(raw) == 1 else None
    if not isinstance(value, int):
        return None
    width = 64 if what in _LONG else 32
    if len(raw) == 1:
        if what in _ONE_BYTE:
            return NumberForm(8, signed=True)
        unsigned = raw[0] == value if value else unsigned_lengths
        return NumberForm(width, signed=not (unsigned or what in _UNSIGNED or what.endswith("+ 1")), varint=True)
    for form in (
        NumberForm(8 * len(raw), signed=True),
        NumberForm(8 * len(raw), signed=False),
        NumberForm(width, signed=False, varint=True),
        NumberForm(width, signed=True, varint=True),
    ):
        if _reads(form, raw) == value:
            return form
    return None


def _reads(form: NumberForm, raw: bytes) -> int | None:
    if not form.varint:
        return int.from_bytes(raw, "big", signed=form.signed) if form.width in (8, 16, 32, 64) else None
    if raw[-1] > 0x7F or any(byte < 0x80 for byte in raw[:-1]):
        return None
    bits = 0
    for index, byte in enumerate(raw):
        bits |= (byte & 0x7F) << 7 * index
    return bits >> 1 ^ -(bits & 1) if form.signed else bits
