"""Reads pasted hex dumps: the output of `xxd` and of `tcpdump -X`.

    00000000: 0000 000c 0012 0000 0000 0007 0002 6d65  ..............me
        0x0000:  4500 0038 0001 4000 4006 0000 7f00 0001  E..8..@.@.......

Offsets and text are dropped, after a check that no row is missing or incomplete. The IP and TCP headers of a packet
from tcpdump are dropped too, so that only the bytes of the connection are left.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from wireproof.errors import WireproofError

#: The beginning of a row: eight digits (xxd), or 0x and four or more (tcpdump), then a colon and a space.
_OFFSET = re.compile(r"\s*(?:0x(?P<packet>[0-9a-fA-F]{4,})|(?P<file>[0-9a-fA-F]{8})):(?=\s|$)")
#: The rest of a row: digits in groups, then two spaces and the text.
_COLUMNS = re.compile(r"\s+(?P<digits>[0-9a-fA-F]+(?: [0-9a-fA-F]+)*)(?:\s{2,}(?P<text>.*)|\s*)")
_TCP = 6
GIVE_WHOLE = "put it in quotes, or give it on standard input, as -"


class DumpError(WireproofError):
    """A dump that cannot be read; the text names the line, and says what to do."""


@dataclass(slots=True)
class _HexBlock:
    """Consecutive rows from `line` on, of a file or of a packet."""

    line: int
    start: int
    of_packet: bool
    data: bytearray


def undump(text: str) -> bytes | None:
    """The bytes of a dump, those of several packets one after another; None when it has no row. Raises DumpError."""
    blocks: list[_HexBlock] = []
    stranger = ""  # the first line after the last row that is not a row
    for number, line in enumerate(text.splitlines(), 1):
        begun = _OFFSET.match(line)
        if begun is None:
            if line.strip():
                stranger = stranger or f"line {number} is no row of the dump: take it out, or mend it"
            continue
        offset = int(begun["packet"] or begun["file"], 16)
        row = _row(line[begun.end() :], number)
        # A line before the first row is tcpdump's line about the packet, or the command.
        if not blocks or (offset == 0 and begun["packet"]):
            blocks.append(_HexBlock(number, offset, begun["packet"] is not None, bytearray(row)))
        elif stranger:
            raise DumpError(stranger)
        elif offset != blocks[-1].start + len(blocks[-1].data):
            wanted = blocks[-1].start + len(blocks[-1].data)
            raise DumpError(
                f"line {number} of the dump is at offset {offset:x}, but the rows before it end at {wanted:x} "
                "(hexadecimal): a row is missing, or not whole"
            )
        else:
            blocks[-1].data += row
        stranger = ""
    if not blocks:
        return None
    if stranger:
        raise DumpError(stranger)
    return _carried(blocks)


def _row(columns: str, number: int) -> bytes:
    match = _COLUMNS.fullmatch(columns)
    if match is None:
        raise DumpError(
            f"line {number} of the dump has something else behind its offset than hex digits in groups, and two blanks "
            f"before the text; if it was given without quotes: {GIVE_WHOLE}"
        )
    odd = next((group for group in match["digits"].split(" ") if len(group) % 2), None)
    if odd is not None:
        raise DumpError(f"line {number} of the dump: {odd!r} has an odd number of digits; two make a byte")
    data = bytes.fromhex(match["digits"])
    shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)
    text = match["text"]
    if text is not None and len(text.strip()) != len(shown.strip()):  # blanks at its ends get lost in pasting
        raise DumpError(
            f"line {number} of the dump shows {len(data)} bytes, which its text, of {len(text.strip())} characters, "
            "does not fit: digits are missing, or they are no hex digits (xxd -b)"
        )
    return data


def _carried(blocks: list[_HexBlock]) -> bytes:
    """The content of the blocks, without the headers of packets. It comes from one sender: two directions can't be
    mixed."""
    carried = bytearray()
    senders: dict[str, int] = {}
    for block in blocks:
        if block.of_packet and block.start == 0 and block.data[0] >> 4 in (4, 6):
            sender, payload = _segment(block)
            senders.setdefault(sender, block.line)
            carried += payload
        else:
            carried += block.data
    if len(senders) > 1:
        both = ", ".join(f"{sender} (line {line})" for sender, line in senders.items())
        raise DumpError(f"the dump has packets of several senders: {both}; give one direction at a time")
    return bytes(carried)


def _segment(block: _HexBlock) -> tuple[str, bytes]:
    """Sender and payload of a TCP segment over IP (RFC 791, RFC 8200, RFC 9293)."""
    packet = bytes(block.data)
    if packet[0] >> 4 == 4:
        header, whole, protocol, source = (packet[0] & 15) * 4, _number(packet, 2), packet[9:10], packet[12:16]
    else:
        header, whole, protocol, source = 40, 40 + _number(packet, 4), packet[6:7], packet[8:24]
    segment = packet[header:whole]
    data_at = (segment[12] >> 4) * 4 if len(segment) >= 20 else 0
    if protocol != bytes([_TCP]) or header < 20 or whole > len(packet) or not 20 <= data_at <= len(segment):
        raise DumpError(
            f"the packet whose rows begin at line {block.line} is no whole TCP segment over IP: show it with tcpdump "
            "-X (not -XX) and -s 0, or leave out the rows before what the connection carried"
        )
    return f"{ipaddress.ip_address(source)} port {_number(segment, 0)}", segment[data_at:]


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")
