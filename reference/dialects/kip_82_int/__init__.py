"""The dialect `kip-82-int-keys`: KIP-82's draft in which a message's headers are a map from int32 keys to bytes.

rulings     how the page is read where it is silent
headers     the bytes of the map; partial reading, up to a key
messages    messages of magic 0, 1 and 2; sets, compressed wrappers; the magic that each version carries
codecs      the codecs of these types, and the values of each
bodies      Produce and Fetch 0 to 3
broker      what a broker keeps, and gives in which version
convert     messages of one magic into another, and what is lost
records     a producer's and a consumer's record, interceptors
registry    the key space: owners and names of keys
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from wireproof.reference.codec import Codec
from wireproof.reference.cursor import Reader, Span
from wireproof.reference.dialects.base import Dialect, Entries, Format, RefusedFor, UnknownType
from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.dialects.kip_82_int import bodies, headers, registry
from wireproof.reference.dialects.kip_82_int.rulings import RULINGS
from wireproof.reference.errors import Reason
from wireproof.reference.peers import converting
from wireproof.reference.peers.broker import opened
from wireproof.reference.peers.connection import Connection
from wireproof.reference.records import MESSAGE_CRC, ends_partially, guarded_from, is_compressed
from wireproof.reference.rules import DEMANDED, Rules

_TYPES: Mapping[str, tuple[int, int] | None] = {
    "HEADERS": None,
    "MESSAGE_AND_OFFSET": None,
    "MESSAGE_SET": None,
    **dict.fromkeys(bodies.NAMES, bodies.VERSIONS),
}

_NULL_OR_NEGATIVE = (Reason.NULL_NOT_ALLOWED, Reason.NEGATIVE_LENGTH)
#: The CRC has the same place in messages of all magics.
_GUARDED = partial(guarded_from, MESSAGE_CRC)


class Kip82Int(Dialect):
    """The dialect; for its methods see `reference.dialects.base.Dialect`, and `NamesNumbers` there."""

    name = "kip-82-int-keys"
    rulings = RULINGS
    types = _TYPES
    refusal_rulings: Mapping[RefusedFor, str] = {
        Reason.KEY_ORDER: "R-82i-3",
        Reason.KEY_DUPLICATE: "R-82i-3",
        Reason.NULL_NOT_ALLOWED: "R-82i-4",
        Reason.NEGATIVE_LENGTH: "R-82i-4",
        Reason.CRC_MISMATCH: "R-82i-5",
        Reason.LENGTH_MISMATCH: "R-82i-5",
        Reason.UNSUPPORTED_MAGIC: "R-82i-9",
        Reason.UNSUPPORTED_COMPRESSION: "R-82i-11",
        Reason.INVALID_WRAPPER: "R-82i-11",
        Reason.RESOURCE_LIMIT: "R-82i-11",
        Reason.TRAILING_BYTES: "R-D-5",
        # In Produce and Fetch a null or negative length is outside of the messages.
        **{(body, reason): "R-D-3" for body in bodies.NAMES for reason in _NULL_OR_NEGATIVE},
    }
    bomb_ruling: str | None = None
    empty_areas: Mapping[str, str] = {
        "varints": "it has no varints: lengths and counts have fixed widths",
        "tag-ordering": "it has no tags; the order of header keys is in header-multimaps",
        "schema-evolution": "its types have no schemas that could change",
        "delivery": "what a consumer is given is asked as lookup",
    }
    areas: Mapping[str, str] = {
        "HEADERS": "header-multimaps",
        "MESSAGE_AND_OFFSET": "framing",
        "MESSAGE_SET": "framing",
    }
    entries: Mapping[str, Entries] = {
        "MESSAGE_AND_OFFSET": Entries(_GUARDED, lambda message: is_compressed([message])),
        "MESSAGE_SET": Entries(_GUARDED, is_compressed, ends_partially),
    }
    message_set = "MESSAGE_SET"
    records_field = "MESSAGE_SET"
    formats: Mapping[str, Mapping[str, Format]] = {
        "MESSAGE_SET": {f"magic-{magic}": Format("kip-82-int-keys", "MESSAGE_SET") for magic in (0, 1, 2)}
    }

    def apis(self) -> Mapping[int, str]:
        return bodies.APIS

    def codec(self, type_name: str, version: int | None) -> Codec:
        if type_name in bodies.NAMES:
            return bodies.codec(type_name, version)
        if type_name not in _TYPES:
            raise UnknownType(f"the dialect {self.name} has no type {type_name!r}")
        from wireproof.reference.dialects.kip_82_int.codecs import CODECS

        return CODECS[type_name]

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:  # noqa: ARG002 (the types with headers have no versions)
        """At most one value: each key stands once. A number that is no int32 is no header's key."""
        reader = Reader(data, rules)
        match type_name:
            case "HEADERS":
                return [value for found_key, value in headers.headers_up_to(reader, key) if found_key == key]
            case "MESSAGE_AND_OFFSET":
                from wireproof.reference.dialects.kip_82_int import messages

                values = messages.lookup(reader, key)
                reader.path = ""
                if rules.trailing_bytes == "refused":
                    reader.demand_end(Reason.TRAILING_BYTES, "the message")
                return values
        raise NotImplementedError(f"headers are looked up in HEADERS and MESSAGE_AND_OFFSET, not in {type_name}")

    def convert(self, type_name: str, data: bytes, to: str, version: int | None, rules: Rules) -> bytes:  # noqa: ARG002 (sets have no versions)
        if type_name not in self.formats:
            raise NotImplementedError(f"MESSAGE_SET is converted, and not {type_name}")
        from wireproof.reference.dialects.kip_82_int import convert

        return convert.converted(data, to, rules)

    def broker(
        self, address: tuple[str, int], topics: Mapping[str, int], rules: Rules = DEMANDED
    ) -> Callable[[], Connection]:
        """Kafka's broker with the draft's Produce and Fetch; the page is about no other request."""
        from wireproof.reference.dialects.kip_82_int import broker

        kafka, responses = Kafka(), converting.responses(broker.HeadedMessages(rules))
        apis = {key: bodies.VERSIONS if key in bodies.APIS else own for key, own in kafka.answered(responses).items()}
        return opened(broker.Plans(kafka.messages), apis, rules, address, topics, responses)

    def named(self, spans: Sequence[Span], registers: Mapping[str, str]) -> list[Span]:
        """The spans, with the registered names of header keys (R-82i-7)."""
        return registry.named(spans, registry.load(registers))

    def register_problems(self, registers: Mapping[str, str]) -> list[str]:
        return [str(problem) for problem in registry.load(registers).problems]
