"""Addresses of brokers: `tcp://HOST:PORT`.

The kit sends broken and hostile bytes, so it connects to the machine that it runs on. For another one the user says
that its owner agreed (`--allow-remote`).
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from wireproof.conformance.connection.base import ImplementationError

SCHEME = "tcp://"
_EXPECTED = "tcp://HOST:PORT, such as tcp://127.0.0.1:9092"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a broker listens. `ip`: one of its host's addresses."""

    host: str
    port: int
    family: socket.AddressFamily
    ip: str

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def resolve(spec: str, *, remote: bool) -> Address:
    """The address that `tcp://HOST:PORT` names. `remote`: whether it may be on another machine.

    Raises ImplementationError.
    """
    if not spec.startswith(SCHEME):
        raise ImplementationError(f"{spec} is no address that the kit knows: {_EXPECTED} is expected")
    try:
        parts = urlsplit(spec)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ImplementationError(f"{spec} names no host and port: {_EXPECTED} is expected")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "it is no name of a host"
        raise ImplementationError(f"{spec}: the host {host} is not found: {why}") from None
    family, *_, where = found[0]
    ip = str(where[0])
    if not remote and not ipaddress.ip_address(ip.partition("%")[0]).is_loopback:
        raise ImplementationError(
            f"{spec} is {ip}, on another machine, and the kit sends broken and hostile bytes. If the owner of that "
            "broker agreed, say --allow-remote."
        )
    return Address(host, port, family, ip)
