"""The packets of a capture: pcap and pcapng, in either byte order, and the TCP segments in them.

The files are read here, with every length checked before its bytes are, and a file that ends in the middle of a packet
is refused. (dpkt, which reads what is in a packet, takes a length of 4 GiB at its word, and ends in silence there.)

    pcap    => magic:4 version:2+2 zone:4 sigfigs:4 snaplen:4 link:4 *(seconds:4 fraction:4 size:4 original:4 packet)
    pcapng  => *(type:4 length:4 body length:4)
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import dpkt

from wireproof.pipeline.audit.logs.segments import Bytes
from wireproof.pipeline.errors import PipelineError

#: The most bytes of a packet or block; captures have packets of 64 KiB at most, by offloading.
_LARGEST = 32 << 20
#: Magic → ticks a second.
_PCAP = {0xA1B2C3D4: 1_000_000, 0xA1B23C4D: 1_000_000_000}
_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET = 0x0A0D0D0A, 1, 2, 3, 6
_BYTE_ORDER = 0x1A2B3C4D
_RESOLUTION = 9  # an option of an interface

SYN, RST, FIN, ACK = dpkt.tcp.TH_SYN, dpkt.tcp.TH_RST, dpkt.tcp.TH_FIN, dpkt.tcp.TH_ACK


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet. `link`: the number of its link layer; `time`: in milliseconds since 1970."""

    time: int
    link: int
    data: bytes


@dataclass(frozen=True, slots=True)
class TcpSegment:
    """A segment of TCP. `source`, `target`: address and port."""

    time: int
    source: tuple[str, int]
    target: tuple[str, int]
    sequence: int
    flags: int
    payload: bytes


def packets(data: Bytes, path: str) -> Iterator[Packet]:
    """The packets of a capture. Raises PipelineError if it is none, or ends in the middle of a packet."""
    magic = data[0:4]
    for order in "<>":
        if len(magic) == 4 and struct.unpack(f"{order}I", magic)[0] in _PCAP:
            return _of_pcap(data, path, order)
    if magic == _SECTION.to_bytes(4, "big"):
        return _of_pcapng(data, path)
    raise PipelineError(f"{path} is no capture: it begins neither as a pcap nor as a pcapng")


def _take(data: Bytes, start: int, size: int, path: str) -> bytes:
    if not 0 <= size <= _LARGEST:
        raise PipelineError(f"{path}: a packet of {size} bytes at byte {start} is none; the capture is damaged there")
    if start + size > len(data):
        raise PipelineError(
            f"{path} is cut off: at byte {start} {size} bytes of a packet follow, {len(data) - start} are there"
        )
    return data[start : start + size]


def _of_pcap(data: Bytes, path: str, order: str) -> Iterator[Packet]:
    magic, *_, link = struct.unpack(f"{order}I2H4I", _take(data, 0, 24, path))
    second = _PCAP[magic]
    header = struct.Struct(f"{order}4I")
    at = 24
    while at < len(data):
        seconds, fraction, size, _ = header.unpack(_take(data, at, header.size, path))
        at += header.size
        yield Packet(seconds * 1000 + fraction * 1000 // second, link & 0xFFFF, _take(data, at, size, path))
        at += size


@dataclass(slots=True)
class _Section:
    """A section of a pcapng: its byte order, and its interfaces with link and ticks a second."""

    order: str = "<"
    interfaces: list[tuple[int, int]] = field(default_factory=list)


def _of_pcapng(data: Bytes, path: str) -> Iterator[Packet]:
    at = 0
    section = _Section()
    while at < len(data):
        kind = struct.unpack(f"{section.order}I", _take(data, at, 12, path)[:4])[0]
        if kind == _SECTION:
            section = _Section("<" if data[at + 8 : at + 12] == _BYTE_ORDER.to_bytes(4, "little") else ">")
        (size,) = struct.unpack(f"{section.order}I", data[at + 4 : at + 8])
        if size < 12 or size % 4:
            raise PipelineError(f"{path}: a block of {size} bytes at byte {at} is none; the capture is damaged there")
        body = _take(data, at, size, path)[8:-4]
        if kind == _INTERFACE:
            section.interfaces.append(_interface(body, section.order))
        else:
            packet = _packet(kind, body, section)
            if packet is not None:
                yield packet
        at += size


def _interface(body: bytes, order: str) -> tuple[int, int]:
    (link,) = struct.unpack_from(f"{order}H", body.ljust(8, b"\0"))
    second, at = 1_000_000, 8
    while at + 4 <= len(body):
        code, size = struct.unpack_from(f"{order}2H", body, at)
        if code == _RESOLUTION and size == 1 and at + 4 < len(body):
            power = body[at + 4]
            second = 2 ** (power & 0x3F) if power & 0x80 else 10 ** min(power, 18)
        at += 4 + size + -size % 4
    return link, second


def _packet(kind: int, body: bytes, section: _Section) -> Packet | None:
    """The packet of a block; None of a block of another kind, or of an interface that is not there."""
    if kind == _SIMPLE_PACKET and section.interfaces:
        (original,) = struct.unpack_from(f"{section.order}I", body.ljust(4, b"\0"))
        return Packet(0, section.interfaces[0][0], body[4 : 4 + original])
    if kind not in (_PACKET, _OLD_PACKET) or len(body) < 20:
        return None
    number, high, low, size, _ = struct.unpack_from(f"{section.order}5I", body)
    if kind == _OLD_PACKET:
        (number,) = struct.unpack_from(f"{section.order}H", body)
    if number >= len(section.interfaces):
        return None
    link, second = section.interfaces[number]
    return Packet((high << 32 | low) * 1000 // second, link, body[20 : 20 + size])


# --- What is in a packet ----------------------------------------------------------------------------------------------


def _of_raw(data: bytes) -> Any:
    return dpkt.ip6.IP6(data) if data[:1] and data[0] >> 4 == 6 else dpkt.ip.IP(data)


#: The number of a link layer → what reads its packets.
_LINKS: dict[int, Callable[[bytes], Any]] = {
    0: lambda data: dpkt.loopback.Loopback(data).data,
    1: lambda data: dpkt.ethernet.Ethernet(data).data,
    101: _of_raw,
    12: _of_raw,
    113: lambda data: dpkt.sll.SLL(data).data,
    228: _of_raw,
    229: _of_raw,
    276: lambda data: dpkt.sll2.SLL2(data).data,
}


def tcp_segment(packet: Packet) -> TcpSegment | None:
    """The TCP segment in a packet; None if there is none, or if it is in a fragment of an IP packet."""
    read = _LINKS.get(packet.link)
    if read is None:
        return None
    try:
        inner = read(packet.data)
    except (dpkt.UnpackError, IndexError, struct.error):
        return None
    if not isinstance(inner, (dpkt.ip.IP, dpkt.ip6.IP6)) or not isinstance(inner.data, dpkt.tcp.TCP):
        return None
    tcp = inner.data
    source, target = (str(ipaddress.ip_address(one)) for one in (inner.src, inner.dst))
    return TcpSegment(packet.time, (source, tcp.sport), (target, tcp.dport), tcp.seq, tcp.flags, bytes(tcp.data))
