"""Captures of TCP connections, written by hand: pcap and pcapng, with segments of any order."""

from __future__ import annotations

import contextlib
import random
import select
import socket
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

#: A connection's addresses in a capture.
CLIENT, BROKER = ("10.0.0.1", 40000), ("10.0.0.2", 9092)
SYN, ACK, FIN = 0x02, 0x10, 0x01


@dataclass
class Conversation:
    """What was said on a connection, in its order: by the client or not, and the bytes. `isn`: the first sequence
    number of either side."""

    said: list[tuple[bool, bytes]] = field(default_factory=list)
    client: tuple[str, int] = CLIENT
    isn: int = 1000


#: A segment: by the client or not, its sequence number, flags and payload.
Sent = tuple[bool, int, int, bytes]


def segments(talk: Conversation, size: int = 1000, *, syn: bool = True) -> list[Sent]:
    """The segments of a conversation, in order."""
    sent: list[Sent] = []
    if syn:
        sent += [(True, talk.isn, SYN, b""), (False, talk.isn, SYN | ACK, b"")]
    at = {True: talk.isn + 1, False: talk.isn + 1}
    for by_client, content in talk.said:
        for start in range(0, len(content), size):
            part = content[start : start + size]
            sent.append((by_client, at[by_client] % 2**32, ACK, part))
            at[by_client] += len(part)
    return sent


def disturbed(sent: Sequence[Sent], seed: int) -> list[Sent]:
    """The same with segments out of order, sent twice, and sent again in other pieces."""
    rng = random.Random(seed)
    out = list(sent)
    for number in range(3, len(out)):
        if rng.random() < 0.4 and out[number - 1][3]:
            other = max(2, number - rng.randrange(1, 5))
            out[other], out[number] = out[number], out[other]
    repeated: list[Sent] = []
    for one in out:
        repeated.append(one)
        by_client, sequence, flags, payload = one
        if payload and rng.random() < 0.3:
            cut = rng.randrange(len(payload))
            repeated.append((by_client, (sequence + cut) % 2**32, flags, payload[cut:]))
        if rng.random() < 0.2:
            repeated.append(one)
    return repeated


def packet(
    sent: Sent, client: tuple[str, int] = CLIENT, broker: tuple[str, int] = BROKER, *, v6: bool = False
) -> bytes:
    """A segment in an Ethernet frame. Short frames have the padding that Ethernet demands."""
    by_client, sequence, flags, payload = sent
    source, target = (client, broker) if by_client else (broker, client)
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1], sequence, 0, 0x50, flags, 65535, 0, 0) + payload
    if v6:
        head = struct.pack(">IHBB", 0x60000000, len(tcp), 6, 64) + _v6(source[0]) + _v6(target[0])
        return bytes(12) + b"\x86\xdd" + head + tcp
    addresses = socket.inet_aton(source[0]) + socket.inet_aton(target[0])
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + addresses
    return (bytes(12) + b"\x08\x00" + head + tcp).ljust(60, b"\0")


def _v6(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6, f"::{address.split('.')[-1]}")


def pcap(frames: Sequence[bytes], order: str = "<", magic: int = 0xA1B2C3D4) -> bytes:
    """A pcap of these Ethernet frames."""
    head = struct.pack(f"{order}I2H4I", magic, 2, 4, 0, 0, 65535, 1)
    return head + b"".join(
        struct.pack(f"{order}4I", 1_700_000_000 + number, 0, len(one), len(one)) + one
        for number, one in enumerate(frames)
    )


def pcapng(frames: Sequence[bytes], order: str = "<") -> bytes:
    """A pcapng of these Ethernet frames, with blocks of other kinds between them."""

    def block(kind: int, body: bytes) -> bytes:
        padded = body + bytes(-len(body) % 4)
        size = len(padded) + 12
        return struct.pack(f"{order}2I", kind, size) + padded + struct.pack(f"{order}I", size)

    out = block(0x0A0D0D0A, struct.pack(f"{order}I2Hq", 0x1A2B3C4D, 1, 0, -1))
    out += block(1, struct.pack(f"{order}2HI", 1, 0, 65535) + struct.pack(f"{order}2HB3x2H", 9, 1, 9, 0, 0))
    for number, one in enumerate(frames):
        ticks = (1_700_000_000 + number) * 1_000_000_000
        head = struct.pack(f"{order}5I", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(one), len(one))
        out += block(6, head + one) + block(5, bytes(8))
    return out


class Recorder:
    """A proxy on loopback that keeps what passes through it. `target`: the port that it passes bytes to."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.target = 0
        self.talks: list[Conversation] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._server.accept()
                talk = Conversation(client=("10.0.0.1", 40000 + len(self.talks)))
                self.talks.append(talk)
                thread = threading.Thread(target=self._pass, args=(near, talk))
                self._threads.append(thread)
                thread.start()

    def _pass(self, near: socket.socket, talk: Conversation) -> None:
        """Until one of both sides closes the connection."""
        with near, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.target)) as far:
            while True:
                ready, _, _ = select.select([near, far], [], [])
                for one in ready:
                    chunk = one.recv(65536)
                    if not chunk:
                        return
                    talk.said.append((one is near, chunk))
                    (far if one is near else near).sendall(chunk)

    def close(self) -> None:
        """No further connections; those that are there end with their clients."""
        self._server.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._server.close()
