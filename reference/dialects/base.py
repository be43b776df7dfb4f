"""What a dialect offers to the rest of the kit."""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from reference import type_names
from reference.codec import Codec
from reference.cursor import Span
from reference.errors import DecodeError, Reason
from reference.evolution import Comparison
from reference.rules import DEMANDED, Rules, Ruling
from reference.schema import load_json

#: Types around messages: headers and frames.
_FRAMING = re.compile(r"(Request|Response)(Header|Frame)")

#: What a refusal is for: a reason, or one of a type that has another ruling for it.
RefusedFor = Reason | tuple[str, Reason]


class UnknownType(NotImplementedError):  # noqa: N818 (a name that is none, not a fault)
    """A type name that the dialect does not have."""


@dataclass(frozen=True, slots=True)
class Entries:
    """A type of batches or messages, each of which has a CRC.

    `guarded`: for valid bytes that begin with a batch or message, the range of offsets from its CRC to the end of what
    the CRC covers. `compressed`: whether anything in a value is compressed; then its bytes are not determined.
    `ends_partially`: whether valid bytes end with an incomplete batch or message, which is dropped on reading.
    """

    guarded: Callable[[bytes], range]
    compressed: Callable[[Any], bool]
    ends_partially: Callable[[bytes], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class Format:
    """The format that `convert` makes: a type, which may belong to another dialect."""

    dialect: str
    type: str
    version: int | None = None


class Dialect(abc.ABC):
    """A version of the protocol. What a dialect has no answer for raises NotImplementedError, which is what it
    inherits."""

    name: str
    rulings: tuple[Ruling, ...]
    #: The ruling that a refusal rests on, whatever is read otherwise elsewhere.
    refusal_rulings: Mapping[RefusedFor, str]
    #: The ruling on lengths and counts that promise more than is there, if the dialect has one.
    bomb_ruling: str | None
    #: type → the area of its generated cases, where `area` does not know it otherwise.
    areas: Mapping[str, str] = {}
    #: The types of batches and messages.
    entries: Mapping[str, Entries] = {}
    #: What `convert` takes: type → a format's name → what it gives. Types that are converted alone stand here too.
    formats: Mapping[str, Mapping[str, Format]] = {}
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
        """The area in which generated cases of a type are counted. A header or a frame is framing; every other type
        without an area of its own is a message."""
        known = self.areas.get(type_name) or type_names.area(type_name)
        return known or ("framing" if _FRAMING.match(type_name) else "messages")

    def answer_type(self, api_key: int, version: int, inside: bytes) -> tuple[str, int | None, str] | None:  # noqa: ARG002
        """The type as which the response to such a request is read, its version, and a reason where that does not
        follow from the request. `inside`: the response frame from the correlation id on. None: the dialect does not
        say."""
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
        """What bytes of a type are in another format, which the dialect names. Raises DecodeError for bytes that are
        none, EncodeError for what the other format can't hold and must not lose."""
        raise NotImplementedError(f"{self.name} does not say how formats are converted")

    def serve(self, chunks: Iterable[bytes], settings: Mapping[str, Any], rules: Rules) -> tuple[bytes, bool]:
        """All that a conforming broker sends for these chunks on a fresh connection, and whether it then closed."""
        raise NotImplementedError(f"{self.name} does not say what a broker answers")

    def interpret(self, request: bytes, response: bytes | None, rules: Rules) -> dict[str, Any]:
        """What a conforming client makes of a response frame to its request frame (None: the connection closed)."""
        raise NotImplementedError(f"{self.name} does not say what a client makes of an answer")

    def negotiate(self, api_key: int, client: tuple[int, int], broker: tuple[int, int] | None) -> int | None:
        """The version that a conforming client uses, None when there is none."""
        raise NotImplementedError(f"{self.name} does not say how versions are chosen")

    def evolve(self, old: Any, new: Any, rules: Rules = DEMANDED) -> list[dict[str, str]]:
        """What a schema breaks, {"kind", "path"} each, against an old one or a list of them, oldest first. Raises
        SchemaError."""
        return [found.as_json() for found in self.compare(old, new, rules).breaks]

    def read_schema(self, content: bytes) -> Any:
        """A file's content as `compare` takes it. Raises SchemaError."""
        return load_json(content)

    def compare(self, old: Any, new: Any, rules: Rules = DEMANDED) -> Comparison:
        """All changes between such schemas. Raises SchemaError."""
        raise NotImplementedError(f"{self.name} has no schemas")


@runtime_checkable
class NamesNumbers(Protocol):
    """What some dialects offer besides: numbers on their wire have names for people."""

    def named(self, spans: Sequence[Span], registers: Mapping[str, str]) -> list[Span]:
        """Spans that also say the names of the numbers in them. `registers`: file name → text that gives such names,
        beside those that the dialect has itself. Raises ValueError, naming file and line, for text that does not."""
        ...

    def register_problems(self, registers: Mapping[str, str]) -> list[str]:
        """What is wrong among registers that can be read, a line each. Raises ValueError as `named` does."""
        ...
