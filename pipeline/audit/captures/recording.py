"""A capture that is written while its bytes pass: a pcap with a packet for each piece, as TCP would have sent it.

Packets are IP without a link layer (link type 101), their checksums are 0. As soon as a packet can't be written nothing
more is, so that the file ends with a whole packet.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from wireproof.conformance.connection.live.proxy import Address, Event

_FILE_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 101)
_PACKET_HEADER = struct.Struct("<4I")
_IP, _IP6, _TCP = struct.Struct(">BBHHHBBH4s4s"), struct.Struct(">IHBB16s16s"), struct.Struct(">HHIIBBHHH")
_FIN, _SYN, _RST, _ACK = 0x01, 0x02, 0x04, 0x10
#: The most bytes of a packet's payload: an IP packet has 65,535 at most.
_LARGEST = 65_000


class Recording:
    """Writes what a proxy tells. `file`: new and unbuffered. `broker`: where the proxy listens, for to its clients it
    is the broker. `failure`: why nothing more is written; `lost_bytes`: so many have passed since."""

    def __init__(self, file: IO[bytes], broker: Address) -> None:
        """Raises OSError."""
        self._file = file.fileno()
        self._broker = broker
        self._sequences: dict[Address, dict[bool, int]] = {}
        self._opened = 0
        self._size = 0
        self.failure: OSError | None = None
        self.lost_bytes = 0
        self._write(_FILE_HEADER, b"")

    def tell(self, event: Event, client: Address, from_client: bool, data: bytes) -> None:
        """Write an event of a connection."""
        if self.failure is not None:
            self.lost_bytes += len(data)
            return
        try:
            self._tell(event, client, from_client, data)
        except OSError as error:
            self.failure = error
            self.lost_bytes += len(data)
            os.ftruncate(self._file, self._size)

    def _tell(self, event: Event, client: Address, from_client: bool, data: bytes) -> None:
        if event is Event.OPENED:
            self._opened += 1
            first = self._opened * 1_000_003  # a port may be used again
            self._sequences[client] = dict.fromkeys((True, False), first)
            self._packet(client, True, _SYN, b"")
            self._packet(client, False, _SYN | _ACK, b"")
        elif event is Event.BYTES:
            for start in range(0, len(data), _LARGEST):
                self._packet(client, from_client, _ACK, data[start : start + _LARGEST])
        else:
            self._packet(client, from_client, (_FIN if event is Event.ENDED else _RST) | _ACK, b"")

    def _packet(self, client: Address, from_client: bool, flags: int, payload: bytes) -> None:
        sequences = self._sequences[client]
        sequence, acknowledged = (sequences[side] & 0xFFFFFFFF for side in (from_client, not from_client))
        sequences[from_client] += len(payload) + bool(flags & (_SYN | _FIN))
        source, target = (client, self._broker) if from_client else (self._broker, client)
        acknowledged = acknowledged if flags & _ACK else 0
        tcp = _TCP.pack(source[1], target[1], sequence, acknowledged, 0x50, flags, 0xFFFF, 0, 0)
        packet = _ip(source[0], target[0], len(tcp) + len(payload)) + tcp
        seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
        size = len(packet) + len(payload)
        self._write(_PACKET_HEADER.pack(seconds & 0xFFFFFFFF, nanoseconds // 1000, size, size) + packet, payload)

    def _write(self, head: bytes, payload: bytes) -> None:
        size = len(head) + len(payload)
        if os.writev(self._file, (head, payload)) != size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._size += size


def _ip(source: str, target: str, size: int) -> bytes:
    """The header of an IP packet. `size`: of what follows it."""
    addresses = [ipaddress.ip_address(one.partition("%")[0]).packed for one in (source, target)]
    if len(addresses[0]) == 16:
        return _IP6.pack(6 << 28, size, 6, 64, *addresses)
    return _IP.pack(0x45, 0, _IP.size + size, 0, 0, 64, 6, 0, *addresses)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event of a connection, as `Recording.tell` got it, but that large pieces are in several packets."""

    event: Event
    client: Address
    from_client: bool
    data: bytes


class RecordingReader:
    """Reads a recording again, while it grows. `broker`: as there."""

    def __init__(self, broker: Address) -> None:
        self._broker = ipaddress.ip_address(broker[0].partition("%")[0]).packed, broker[1]
        self._buffer = bytearray()
        self._begun = False

    def add(self, content: bytes) -> Iterator[Recorded]:
        """The events that are whole with these bytes of the file."""
        self._buffer += content
        at = 0
        if not self._begun and len(self._buffer) >= len(_FILE_HEADER):
            at, self._begun = len(_FILE_HEADER), True
        while self._begun and len(self._buffer) >= at + _PACKET_HEADER.size:
            size = _PACKET_HEADER.unpack_from(self._buffer, at)[2]
            begin = at + _PACKET_HEADER.size
            if len(self._buffer) < begin + size:
                break
            at = begin + size
            yield from self._packet(bytes(self._buffer[begin:at]))
        del self._buffer[:at]

    def _packet(self, packet: bytes) -> Iterator[Recorded]:
        tcp = _IP.size if packet[0] >> 4 == 4 else _IP6.size
        addresses = packet[tcp - 8 : tcp] if tcp == _IP.size else packet[tcp - 32 : tcp]
        half = len(addresses) // 2
        source_port, target_port, *_, flags, _, _, _ = _TCP.unpack_from(packet, tcp)
        source, target = (addresses[:half], source_port), (addresses[half:], target_port)
        from_client = target == self._broker
        ip, port = source if from_client else target
        client = str(ipaddress.ip_address(ip)), port
        event = next((one for flag, one in _EVENTS.items() if flags & flag), Event.BYTES)
        if event is not Event.OPENED or from_client:
            yield Recorded(event, client, from_client, packet[tcp + _TCP.size :])


_EVENTS = {_SYN: Event.OPENED, _RST: Event.RESET, _FIN: Event.ENDED}
