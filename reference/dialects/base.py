"""What a dialect is to everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from reference.codec import Codec
from reference.rules import Rules, Ruling


class UnknownType(NotImplementedError):  # noqa: N818 (a name that is none, not a fault)
    """A type name that the dialect does not have."""


class Dialect(Protocol):
    """A version of the protocol. What a dialect has no answer for raises NotImplementedError."""

    name: str
    rulings: tuple[Ruling, ...]
    #: Reason, or (type name, Reason) where that has another one → the uncontested ruling that a refusal rests on.
    grounds: Mapping[Any, str]
    #: The ruling on lengths and counts that promise more than is there, if the dialect has one.
    bomb_ruling: str | None

    @property
    def types(self) -> Mapping[str, tuple[int, int] | None]:
        """type name → (lowest, highest) version, None where the type has no versions; "ARRAY" for every array."""
        ...

    def apis(self) -> Mapping[int, str]:
        """api key → the api's name."""
        ...

    def codec(self, type_name: str, version: int | None) -> Codec:
        """Raises UnknownType, or DecodeError(unsupported-version) for a version that the type does not have."""
        ...

    def api_versions(self, api_key: int) -> tuple[int, int] | None:
        """The lowest and highest version of an api; None for a key that is none."""
        ...

    def request_type(self, api_key: int) -> str | None:
        """As what a whole request frame with this api key is read; None: no type of the dialect reads it."""
        ...

    def answer_type(self, api_key: int, version: int, inside: bytes) -> tuple[str, int | None, str] | None:
        """As what the answer to such a request is read, of which `inside` stands in the response frame (from the
        correlation id on): a type, its version, and why where that does not follow from the request. None: the dialect
        does not say."""
        ...

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:
        """All values of a header key, in order. Raises DecodeError."""
        ...

    def serve(self, chunks: Iterable[bytes], settings: Mapping[str, Any], rules: Rules) -> tuple[bytes, bool]:
        """All that a conforming broker sends for these chunks on a fresh connection, and whether it then closed."""
        ...

    def interpret(self, request: bytes, response: bytes | None, rules: Rules) -> dict[str, Any]:
        """What a conforming client makes of a response frame to its request frame (None: the connection closed)."""
        ...

    def negotiate(self, api_key: int, client: tuple[int, int], broker: tuple[int, int] | None) -> int | None:
        """The version that a conforming client uses, None when there is none."""
        ...
