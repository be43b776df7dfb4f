"""Addresses of brokers: `tcp://HOST:PORT`, and `tls://HOST:PORT` for one that speaks TLS.

The kit sends broken and hostile bytes, so it connects to the machine that it runs on. For another one the user says
that its owner agreed (`--allow-remote`).
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from wireproof.conformance.connection.base import ImplementationError

SCHEME, TLS_SCHEME = "tcp://", "tls://"
_EXPECTED = "tcp://HOST:PORT, such as tcp://127.0.0.1:9092, or tls://HOST:PORT"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a broker listens. `ip`: one of its host's addresses. `tls`: how TLS is spoken with it; None: it is not."""

    host: str
    port: int
    family: socket.AddressFamily
    ip: str
    tls: ssl.SSLContext | None = None

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def resolve(spec: str, *, remote: bool, authorities: Path | None = None) -> Address:
    """The address that `tcp://HOST:PORT` names, or `tls://HOST:PORT`. `remote`: whether it may be on another machine.
    `authorities`: a file of certificates in PEM that the broker's is checked against; None: those of the system.

    Raises ImplementationError.
    """
    if not spec.startswith((SCHEME, TLS_SCHEME)):
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
    tls = _context(spec, authorities) if spec.startswith(TLS_SCHEME) else None
    return Address(host, port, family, ip, tls)


def speaks_tls(address: Address, patience: float) -> bool:
    """Whether TLS is spoken at an address, told within `patience` seconds. To who does not speak it, it looks like a
    broker from before KIP-35: it closes the connection. No certificate is checked, because nothing is sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with socket.create_connection((address.ip, address.port), patience) as plain, context.wrap_socket(plain):
            return True
    except OSError:
        return False


def _context(spec: str, authorities: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=authorities)
    except OSError as error:
        raise ImplementationError(f"{spec}: {authorities} is no file of certificates in PEM: {error}") from None
