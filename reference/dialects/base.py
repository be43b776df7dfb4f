"""The interface of a dialect: all that the rest of the kit knows of it."""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from wireproof.reference.codec import Codec
from wireproof.reference.cursor import Span
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.evolution import Comparison
from wireproof.reference.peers.connection import Connection
from wireproof.reference.records.compression import LZ4
from wireproof.reference.rules import DEMANDED, Rules, Ruling
from wireproof.reference.schema import load_json, type_names

#: Types around messages: headers and frames.
_FRAMING = re.compile(r"(Request|Response)(Header|Frame)")

#: A reason, or a type and a reason where that type has another ruling for it.
RefusedFor = Reason | tuple[str, Reason]


class UnknownType(NotImplementedError):  # noqa: N818 (a name that is none, not a fault)
    """A type name that the dialect does not have."""


@dataclass(frozen=True, slots=True)
class Entries:
    """A type of batches or messages, each of which has a CRC.

    `guarded`: for valid bytes that begin with a batch or message, the range of offsets from its CRC to the end of what
    the CRC covers. `compressed`: whether anything in a value is compressed; then its bytes are not determined.
    `ends_partially`: whether valid bytes end with an incomplete batch or message, which is dropped on reading.
    `batches`: whether valid bytes begin with a record batch of Kafka's (magic 2).
    """

    guarded: Callable[[bytes], range]
    compressed: Callable[[Any], bool]
    ends_partially: Callable[[bytes], bool] = lambda _: False
    batches: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """The format that `convert` makes: a type, which may belong to another dialect."""

    dialect: str
    type: str
    version: int | None = None


class Dialect(abc.ABC):
    """A version of the protocol. A method that a dialect does not override raises NotImplementedError, unless it has a
    default."""

    #: The id. The dialect's module or package has the same name with `_` for `-`, or the beginning of it.
    name: str
    rulings: tuple[Ruling, ...]
    #: The ruling that a refusal rests on, by its reason.
    refusal_rulings: Mapping[RefusedFor, str]
    #: The ruling on lengths and counts that promise more than is there, if the dialect has one.
    bomb_ruling: str | None
    #: type → the area of its generated cases, where `area` does not know it otherwise.
    areas: Mapping[str, str] = {}
    #: The types of batches and messages.
    entries: Mapping[str, Entries] = {}
    #: What `convert` can do: type → name of the target format → that format. A type whose only op is `convert` is here
    #: too.
    formats: Mapping[str, Mapping[str, Format]] = {}
    #: Types whose only op is `lookup`.
    looked_up: frozenset[str] = frozenset()
    #: The type of message sets that are the value of a compressed message. If it has versions, they are magics.
    message_set: str | None = None
    #: The type of the bytes in fields named Records.
    records_field: str | None = None
    #: Types whose batches may hold Kafka's control records.
    control_batches: frozenset[str] = frozenset()
    #: The rules by which a writer's bytes are read: they refuse what a reader has to read, but no writer may write.
    written: Rules = DEMANDED
    #: The highest number of a compression codec in `attributes`: 3 is LZ4, 4 is zstd.
    highest_codec: int = LZ4
    #: Whether lengths and counts are unsigned varints.
    unsigned_lengths: bool = False
    #: Whether a broker may answer pipelined requests in any order.
    answers_in_any_order: bool = False
    #: Area → why the dialect has no vectors in it.
    empty_areas: Mapping[str, str] = {}

    @property
    @abc.abstractmethod
    def types(self) -> Mapping[str, tuple[int, int] | None]:
        """type name → (lowest, highest) version, None where the type has no versions; "ARRAY" for every array."""
        ...

    def configured(self, settings: Mapping[str, Any]) -> Dialect:  # noqa: ARG002
        """The dialect under the settings of `configure`, where its types depend on them. Raises SchemaError."""
        return self

    def under(self, rules: Rules) -> Dialect:  # noqa: ARG002
        """The dialect under some readings, where its types depend on them."""
        return self

    @abc.abstractmethod
    def apis(self) -> Mapping[int, str]:
        """api key → the api's name."""
        ...

    @abc.abstractmethod
    def codec(self, type_name: str, version: int | None) -> Codec:
        """Raises UnknownType, or DecodeError(unsupported-version) for a version that the type does not have."""
        ...

    def api_versions(self, api_key: int) -> tuple[int, int] | None:
        """The lowest and highest version of an api; None for a key that is none."""
        name = self.apis().get(api_key)
        return None if name is None else self.types.get(f"{name}Request")

    def request_type(self, api_key: int) -> str | None:  # noqa: ARG002
        """The type that reads a whole request frame with this api key; None when the dialect has no such type."""
        return "RequestFrame" if "RequestFrame" in self.types else None

    def area(self, type_name: str) -> str:
        """The area of a type's generated cases: the one in `areas`, else framing for headers and frames, else
        messages."""
        known = self.areas.get(type_name) or type_names.area(type_name)
        return known or ("framing" if _FRAMING.match(type_name) else "messages")

    def answer_type(self, api_key: int, version: int, inside: bytes) -> tuple[str, int | None, str] | None:  # noqa: ARG002
        """The type and version of the response to such a request, and a reason where they do not follow from the
        request. `inside`: the response frame from the correlation id on. None: the dialect does not say."""
        return None

    def refusal_ruling(self, type_name: str, error: DecodeError, *, announced: bool) -> str | None:
        """The ruling that a refusal rests on, if there is one. `announced`: a length or count was read that is larger
        than what follows."""
        if announced and self.bomb_ruling is not None:
            return self.bomb_ruling
        return self.refusal_rulings.get((type_name, error.reason), self.refusal_rulings.get(error.reason))

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:
        """All values of a header key, in order. Raises DecodeError."""
        raise NotImplementedError(f"{self.name} has no headers to be looked up")

    def convert(self, type_name: str, data: bytes, to: str, version: int | None, rules: Rules) -> bytes:
        """Bytes of a type, converted to another of the dialect's `formats`. Raises DecodeError for bytes that are
        refused, EncodeError for data that the other format can't hold and that must not be lost."""
        raise NotImplementedError(f"{self.name} does not say how formats are converted")

    def consume(
        self, data: bytes, position: int, isolation: str, aborted: Sequence[Mapping[str, int]], rules: Rules
    ) -> dict[str, Any]:
        """What a consumer delivers of a partition's records, and the offset at which it reads on: see
        `reference.records.consume`. Raises DecodeError."""
        raise NotImplementedError(f"{self.name} does not say what a consumer delivers")

    def produce(
        self, records: Sequence[Mapping[str, Any]], magic: int, codec: str, options: Mapping[str, Any], rules: Rules
    ) -> bytes:
        """What a producer sends for the records of a partition: see `reference.records.produce`. Raises EncodeError."""
        raise NotImplementedError(f"{self.name} does not say what a producer sends")

    def serve(self, chunks: Iterable[bytes], settings: Mapping[str, Any], rules: Rules) -> tuple[bytes, bool]:
        """All that a conforming broker sends for these chunks on a fresh connection, and whether it then closed."""
        raise NotImplementedError(f"{self.name} does not say what a broker answers")

    @abc.abstractmethod
    def broker(
        self, address: tuple[str, int], topics: Mapping[str, int], rules: Rules = DEMANDED
    ) -> Callable[[], Connection]:
        """A conforming broker that keeps what is produced: the function gives its side of a new connection. `address`:
        the host and the port that it names as its own; `topics`: name → partitions of topics that are there from the
        beginning, where the dialect has topics that have to be made."""
        ...

    def interpret(self, request: bytes, response: bytes | None, rules: Rules) -> dict[str, Any]:
        """What a conforming client makes of a response frame to its request frame (None: the connection closed)."""
        raise NotImplementedError(f"{self.name} does not say what a client makes of an answer")

    def negotiate(self, api_key: int, client: tuple[int, int], broker: tuple[int, int] | None) -> int | None:
        """The version that a conforming client uses, None when there is none."""
        raise NotImplementedError(f"{self.name} does not say how versions are chosen")

    def evolve(self, old: Any, new: Any, rules: Rules = DEMANDED) -> list[dict[str, str]]:
        """The incompatible changes of a schema, {"kind", "path"} each, against an old one or a list of them, oldest
        first. Raises SchemaError."""
        return [change.as_json() for change in self.compare(old, new, rules).breaks]

    def read_schema(self, content: bytes) -> Any:
        """A file's content as `compare` takes it. Raises SchemaError."""
        return load_json(content)

    def compare(self, old: Any, new: Any, rules: Rules = DEMANDED) -> Comparison:
        """All changes between such schemas. Raises SchemaError."""
        raise NotImplementedError(f"{self.name} has no schemas")


@runtime_checkable
class NamesNumbers(Protocol):
    """An extra that some dialects offer: registered names for numbers on the wire."""

    def named(self, spans: Sequence[Span], registers: Mapping[str, str]) -> list[Span]:
        """The spans, with the names of the numbers in them. `registers`: file name → text of a register, beside the
        dialect's own names. Raises ValueError, naming file and line, for text that is no register."""
        ...

    def register_problems(self, registers: Mapping[str, str]) -> list[str]:
        """The problems of registers that can be read, a line each. Raises ValueError as `named` does."""
        ...
