r"""The reference codec, to which the kit compares others. It is an implementation of the contract itself.

    from wireproof import reference
    reference.decode("VARINT", b"\x01", dialect="kafka")            # -1
    reference.encode("STRING", "kafka", dialect="kafka")            # b"\x00\x05kafka"

It is pure: bytes in, values out; no sockets, clocks, logging. `Reference(rules)` has other readings of contested
rulings; this module's functions are the methods of a Reference with the demanded readings.

cursor, primitives, errors   bytes within bounds; the primitive types; what can be wrong with them
message, optional_fields     messages by their plans, readable; the buffer of kip-482-v1
schema, catalog              from a schema to the plan of one version; Kafka's schemas
records                      record batches and message sets
codec                        the interface of all types
dialects, rules, texts       kafka and the proposals; the readings of contested rulings; the texts they quote
peers                        broker, client, and their frames
evolution                    changes of schemas that break compatibility
compiled, fast               code generated from plans, for fuzzing alone
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wireproof.reference import codec as _codec
from wireproof.reference.codec import Codec, Explanation
from wireproof.reference.cursor import Span
from wireproof.reference.dialects import DIALECTS, Dialect, NamesNumbers, UnknownType
from wireproof.reference.errors import DecodeError, EncodeError, Reason, SchemaError, WireError
from wireproof.reference.rules import DEMANDED, Rules, Ruling, rules_with

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
    "consume",
    "convert",
    "decode",
    "encode",
    "evolve",
    "explain",
    "interpret",
    "lookup",
    "name",
    "negotiate",
    "produce",
    "recode",
    "rejects",
    "rules_with",
    "rulings",
    "serve",
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


@functools.cache
def _naming_numbers(dialect: str) -> NamesNumbers | None:
    """The dialect, if it has names for numbers. It is cached, because isinstance with a Protocol is slow."""
    named = dialect_named(dialect)
    return named if isinstance(named, NamesNumbers) else None


def rulings(dialect: str) -> Mapping[str, Ruling]:
    """A dialect's rulings by id."""
    return {ruling.id: ruling for ruling in dialect_named(dialect).rulings}


class Reference:
    """The reference under some readings. Its methods are the contract's ops; they raise WireError to refuse and
    NotImplementedError for what a dialect does not have."""

    dialects = dialects
    rejects = rejects

    name = name

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or DEMANDED
        self._settings: dict[str, Mapping[str, Any]] = {}
        self._configured: dict[str, Dialect] = {}

    @property
    def types(self) -> dict[str, dict[str, tuple[int, int] | None]]:
        """Dialect → type → versions; types whose only op is `convert` or `lookup` come last. This reads the catalogue's
        index."""
        dialects = map(self.dialect, DIALECTS)
        return {
            one.name: {**one.types, **dict.fromkeys(sorted((one.formats.keys() | one.looked_up) - one.types.keys()))}
            for one in dialects
        }

    @property
    def version(self) -> str:
        """The kit's."""
        from importlib import metadata

        return metadata.version("wireproof")

    def configure(self, settings: Mapping[str, Any], *, dialect: str) -> None:
        """The settings of a dialect's cases: `apis` and `cluster` for `serve`, `api_key` where a draft assigns none,
        `schemas` for messages that are not the kit's own, `registers` for `explain`. Raises SchemaError for a wrong
        setting."""
        self._configured[dialect] = dialect_named(dialect).configured(settings)
        self._settings[dialect] = settings

    def under(self, rules: Rules) -> Reference:
        """The same configuration under other readings. It is cheap: no schema is read again."""
        other = type(self)(rules)
        other._settings, other._configured = dict(self._settings), dict(self._configured)  # noqa: SLF001 (of its class)
        return other

    def dialect(self, dialect: str) -> Dialect:
        """The dialect as it was configured, under the readings taken. Raises UnknownType."""
        return (self._configured.get(dialect) or dialect_named(dialect)).under(self.rules)

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        return self._read(self._codec(type, dialect, version), data)

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        try:
            codec = self._codec(type, dialect, version)
        except DecodeError as error:  # a version argument that is refused both ways
            raise EncodeError(error.reason, error.detail) from None
        return self._write(codec, value)

    def recode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
        """Decodes and encodes again. An error's `half` tells which of the two steps refused."""
        half = "decode"
        try:
            value = self.decode(type, data, dialect=dialect, version=version)
            half = "encode"
            return self.encode(type, value, dialect=dialect, version=version)
        except WireError as error:
            error.half = half
            raise

    def explain(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Explanation:
        """A span for every byte read, and the value or the error. Numbers have names where the dialect or the setting
        `registers` (file name → text) gives some. Raises UnknownType, and ValueError for text that is no register."""
        try:
            codec = self._codec(type, dialect, version)
        except DecodeError as error:
            return Explanation((), None, error)
        explained = _codec.explain(codec, data, self.rules)
        naming = _naming_numbers(dialect)
        if naming is not None:
            registers = self._settings.get(dialect, {}).get("registers", {})
            return dataclasses.replace(explained, spans=tuple(naming.named(explained.spans, registers)))
        return explained

    def complete(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> Any:
        """The value with every missing key at its default: the form in which values are compared."""
        try:
            return self._codec(type, dialect, version).complete(value)
        except WireError:
            return value

    def lookup(self, type: str, data: bytes, key: Any, *, dialect: str, version: int | None = None) -> list[Any]:
        """All values of a header key, in order."""
        return self.dialect(dialect).lookup(type, data, key, version, self.rules)

    def convert(self, type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
        """The bytes, converted to another of the dialect's formats."""
        return self.dialect(dialect).convert(type, data, to, version, self.rules)

    def consume(
        self, data: bytes, *, position: int, isolation: str, aborted: Sequence[Mapping[str, int]], dialect: str
    ) -> dict[str, Any]:
        """What a consumer delivers of a partition's records, and where it reads on."""
        return self.dialect(dialect).consume(data, position, isolation, aborted, self.rules)

    def produce(
        self,
        records: Sequence[Mapping[str, Any]],
        *,
        magic: int,
        codec: str,
        options: Mapping[str, Any],
        dialect: str,
    ) -> bytes:
        """What a producer sends for the records of a partition."""
        return self.dialect(dialect).produce(records, magic, codec, options, self.rules)

    def serve(self, chunks: Iterable[bytes], *, dialect: str) -> tuple[bytes, bool]:
        return self.dialect(dialect).serve(chunks, self._settings.get(dialect, {}), self.rules)

    def interpret(self, request: bytes, response: bytes | None, *, dialect: str) -> dict[str, Any]:
        return self.dialect(dialect).interpret(request, response, self.rules)

    def negotiate(
        self, api_key: int, client: tuple[int, int], broker: tuple[int, int] | None, *, dialect: str
    ) -> int | None:
        return self.dialect(dialect).negotiate(api_key, client, broker)

    def evolve(self, old: Any, new: Any, *, dialect: str) -> list[dict[str, str]]:
        """The incompatible changes of the new schema; `old` may be a list, oldest first."""
        return self.dialect(dialect).evolve(old, new, self.rules)

    def _read(self, codec: Codec, data: bytes) -> Any:
        return _codec.decode(codec, data, self.rules)

    def _write(self, codec: Codec, value: Any) -> bytes:
        return _codec.encode(codec, value, self.rules)

    def _codec(self, type_name: str, dialect: str, version: int | None) -> Codec:
        return self.dialect(dialect).codec(type_name, version)


_reference = Reference()
configure = _reference.configure
decode = _reference.decode
encode = _reference.encode
recode = _reference.recode
explain = _reference.explain
complete = _reference.complete
lookup = _reference.lookup
convert = _reference.convert
consume = _reference.consume
produce = _reference.produce
serve = _reference.serve
interpret = _reference.interpret
negotiate = _reference.negotiate
evolve = _reference.evolve


def __getattr__(attribute: str) -> Any:
    if attribute in ("types", "version"):  # only for those who ask
        return getattr(_reference, attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
