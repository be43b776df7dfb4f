"""Short ways to ask the reference: bytes are hex digits, a refusal is a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wireproof.reference import Reference, Rules, WireError, codec
from wireproof.reference.codec import Explanation, NodeCodec
from wireproof.reference.errors import DecodeError
from wireproof.reference.schema import from_json
from wireproof.reference.schema.plan import plan

KAFKA = "kafka"


@dataclass(frozen=True)
class Refused:
    """That something was refused: why, at which byte (None on encode), and where in the value."""

    reason: str
    offset: int | None = None
    path: str | None = None

    def __eq__(self, other: object) -> bool:
        """An expectation without a path leaves it open."""
        if not isinstance(other, Refused) or (self.reason, self.offset) != (other.reason, other.offset):
            return False
        return None in (self.path, other.path) or self.path == other.path

    __hash__ = None  # type: ignore[assignment]


def attempt(act: Callable[[], Any]) -> Any:
    """What this gives, or how it is refused."""
    try:
        return act()
    except WireError as error:
        refusal = error
    assert isinstance(refusal.path, str)
    assert refusal.detail
    return Refused(refusal.reason, refusal.offset if isinstance(refusal, DecodeError) else None, refusal.path)


def decode(type_name: str, digits: str, version: int | None = None, **switches: Any) -> Any:
    """The value of these hex digits, or how they are refused, under Rules(**switches)."""
    own = Reference(Rules(**switches))
    return attempt(lambda: own.decode(type_name, bytes.fromhex(digits), dialect=KAFKA, version=version))


def encode(type_name: str, value: Any, version: int | None = None, **switches: Any) -> Any:
    """The hex digits of this value, or how it is refused."""
    own = Reference(Rules(**switches))
    return attempt(lambda: own.encode(type_name, value, dialect=KAFKA, version=version).hex())


def recode(type_name: str, digits: str, version: int | None = None, **switches: Any) -> Any:
    """The hex digits that are written for what was read."""
    own = Reference(Rules(**switches))
    return attempt(lambda: own.recode(type_name, bytes.fromhex(digits), dialect=KAFKA, version=version).hex())


class Message:
    """A message of a schema made in a test, at one version."""

    def __init__(self, schema: dict[str, Any], version: int, **switches: Any) -> None:
        self.node = plan(from_json(schema), version)
        self.codec = NodeCodec(self.node)
        self.rules = Rules(**switches)

    def decode(self, digits: str) -> Any:
        return attempt(lambda: codec.decode(self.codec, bytes.fromhex(digits), self.rules))

    def encode(self, value: Any) -> Any:
        return attempt(lambda: codec.encode(self.codec, value, self.rules).hex())

    def explain(self, digits: str) -> Explanation:
        return codec.explain(self.codec, bytes.fromhex(digits), self.rules)


def schema(*fields: dict[str, Any], flexible: str = "none", versions: str = "0-9", **more: Any) -> dict[str, Any]:
    """A message schema with these fields."""
    return {
        "name": "Small",
        "type": "data",
        "validVersions": versions,
        "flexibleVersions": flexible,
        "fields": list(fields),
        **more,
    }


def field(name: str, kind: str, versions: str = "0+", **more: Any) -> dict[str, Any]:
    """One field of a schema."""
    return {"name": name, "type": kind, "versions": versions, **more}


def tagged(name: str, kind: str, tag: int, versions: str = "0+", **more: Any) -> dict[str, Any]:
    """One tagged field of a schema."""
    return {"name": name, "type": kind, "versions": versions, "taggedVersions": versions, "tag": tag, **more}
