r"""The reference codec: what the kit holds to be right, and itself an implementation behind the contract.

    import reference
    reference.decode("VARINT", b"\x01", dialect="kafka")            # -1
    reference.encode("STRING", "kafka", dialect="kafka")            # b"\x00\x05kafka"

Pure: bytes in, values out; no sockets, clocks, logging. `Reference(rules)` takes other readings of the contested
rulings; the module's functions are those of one Reference that takes none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reference import codec as _codec
from reference.codec import Codec, Explanation
from reference.cursor import Span
from reference.dialects import DIALECTS, Dialect, UnknownType
from reference.errors import DecodeError, EncodeError, Reason, SchemaError, WireError
from reference.rules import Rules, Ruling, take

__all__ = [
    "DecodeError",
    "EncodeError",
    "Explanation",
    "Reason",
    "Reference",
    "Rules",
    "Ruling",
    "SchemaError",
    "Span",
    "UnknownType",
    "WireError",
    "complete",
    "configure",
    "decode",
    "encode",
    "explain",
    "interpret",
    "lookup",
    "name",
    "negotiate",
    "readable",
    "recode",
    "rejects",
    "rulings",
    "serve",
    "take",
    "types",
]

name = "reference"
dialects = tuple(DIALECTS)
rejects = (WireError,)


def dialect_named(dialect: str) -> Dialect:
    """The dialect of this id. Raises UnknownType."""
    if dialect not in DIALECTS:
        raise UnknownType(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    return DIALECTS[dialect]


def rulings(dialect: str) -> Mapping[str, Ruling]:
    """A dialect's rulings by id."""
    return {ruling.id: ruling for ruling in dialect_named(dialect).rulings}


class Reference:
    """The reference under some readings. Its methods are the contract's ops; they raise WireError to refuse and
    NotImplementedError for what a dialect does not have."""

    dialects = dialects
    rejects = rejects

    def __init__(self, rules: Rules | None = None, *, fast: bool = True) -> None:
        """`fast`: messages by the generated codec; else all by the readable one. Their answers are the same."""
        self.rules = rules or Rules()
        self._decode, self._encode = (
            (_codec.decode_fast, _codec.encode_fast) if fast else (_codec.decode, _codec.encode)
        )
        self._settings: dict[str, Mapping[str, Any]] = {}
        self.name = name if fast else f"{name}:readable"

    @property
    def types(self) -> dict[str, dict[str, tuple[int, int] | None]]:
        """Per dialect, each type with its versions. Costs a look at the catalogue."""
        return {dialect: dict(found.types) for dialect, found in DIALECTS.items()}

    @property
    def version(self) -> str:
        """The kit's."""
        from importlib import metadata

        return metadata.version("wireproof")

    def configure(self, settings: Mapping[str, Any], *, dialect: str) -> None:
        """What the cases of a dialect need: for `serve`, `apis` (kafka) or `cluster`."""
        self._settings[dialect] = settings

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        return self._decode(self._codec(type, dialect, version), data, self.rules)

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        try:
            found = self._codec(type, dialect, version)
        except DecodeError as error:  # a version argument that is refused both ways
            raise EncodeError(error.reason, error.detail) from None
        return self._encode(found, value, self.rules)

    def recode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
        """What the reference writes for what it read; the error's `half` says which of the two refused."""
        half = "decode"
        try:
            value = self.decode(type, data, dialect=dialect, version=version)
            half = "encode"
            return self.encode(type, value, dialect=dialect, version=version)
        except WireError as error:
            error.half = half
            raise

    def explain(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Explanation:
        """A span for every byte read, with the value or the error. Raises UnknownType alone."""
        try:
            found = self._codec(type, dialect, version)
        except DecodeError as error:
            return Explanation((), None, error)
        return _codec.explain(found, data, self.rules)

    def complete(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> Any:
        """The value with every missing key at its default, as two values are compared."""
        try:
            return self._codec(type, dialect, version).complete(value)
        except WireError:
            return value

    def lookup(self, type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> list[Any]:
        """All values of a header key, in order."""
        return dialect_named(dialect).lookup(type, data, key, version, self.rules)

    def serve(self, chunks: Iterable[bytes], *, dialect: str) -> tuple[bytes, bool]:
        return dialect_named(dialect).serve(chunks, self._settings.get(dialect, {}), self.rules)

    def interpret(self, request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
        return dialect_named(dialect).interpret(request, response, self.rules)

    def negotiate(
        self, api_key: int, client: tuple[int, int], broker: tuple[int, int] | None, *, dialect: str
    ) -> int | None:
        return dialect_named(dialect).negotiate(api_key, client, broker)

    @staticmethod
    def _codec(type_name: str, dialect: str, version: int | None) -> Codec:
        return dialect_named(dialect).codec(type_name, version)


_reference = Reference()
configure = _reference.configure
decode = _reference.decode
encode = _reference.encode
recode = _reference.recode
explain = _reference.explain
complete = _reference.complete
lookup = _reference.lookup
serve = _reference.serve
interpret = _reference.interpret
negotiate = _reference.negotiate


#: The readable codec alone: `--impl=reference:readable`.
readable = Reference(fast=False)


def __getattr__(attribute: str) -> Any:
    if attribute in ("types", "version"):  # only for those who ask
        return getattr(_reference, attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
