"""The dialect `kip-82-string-keys`: KIP-82's revision with string keys. Headers are a multimap at the end of a message.

numbers    uintVar, intVar, lengths
messages   messages and their headers
batch      the batch around messages
codecs     the codecs of these types, and the values of each
headers    the class Headers
clients    records of producer and consumer
convert    conversion to and from shipped records, and to older messages
broker     what a broker keeps, and gives in which version
rulings    how open points are read

The page compares two revisions, and removed and added text run together ("int32uintVar"): the new text is on the right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from wireproof.reference import catalog
from wireproof.reference.codec import Codec, decode
from wireproof.reference.dialects.base import Dialect, Entries, Format, RefusedFor, UnknownType
from wireproof.reference.dialects.kafka import CatalogMessages, Kafka
from wireproof.reference.dialects.kip_82_string_keys.rulings import RULINGS, lacking
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.peers import converting
from wireproof.reference.peers.broker import opened
from wireproof.reference.peers.connection import Connection
from wireproof.reference.records import MESSAGE_CRC, guarded_from, is_compressed
from wireproof.reference.rules import DEMANDED, Rules

_TYPES = ("UVARINT", "INTVAR", "HEADER", "HEADERS", "MESSAGE", "BATCH")


class Kip82StringKeys(Dialect):
    """The dialect; for its methods see `reference.dialects.base.Dialect`. It is a format of messages: it has no
    requests."""

    name = "kip-82-string-keys"
    rulings = RULINGS
    refusal_rulings: Mapping[RefusedFor, str] = {
        Reason.VARINT_OVERFLOW: "R-D-1",
        Reason.NEGATIVE_LENGTH: "R-D-3",
        Reason.TRAILING_BYTES: "R-D-5",
        Reason.CRC_MISMATCH: "R-82s-10",
        Reason.UNSUPPORTED_MAGIC: "R-82s-10",
        Reason.UNSUPPORTED_COMPRESSION: "R-82s-10",
        Reason.CORRUPT_COMPRESSION: "R-82s-10",
        Reason.RESOURCE_LIMIT: "R-82s-10",
    }
    bomb_ruling: str | None = None
    empty_areas: Mapping[str, str] = {
        "tag-ordering": "it has no tags; the order of headers is in header-multimaps",
        "messages": "it is a format of messages inside of requests, and has no requests",
        "schema-evolution": "its types have no schemas that could change",
        "delivery": "what a consumer is given is asked as lookup",
    }
    areas: Mapping[str, str] = {
        "UVARINT": "varints",
        "INTVAR": "varints",
        "HEADER": "header-multimaps",
        "HEADERS": "header-multimaps",
        "MESSAGE": "header-multimaps",
        "BATCH": "framing",
    }
    entries: Mapping[str, Entries] = {
        "BATCH": Entries(partial(guarded_from, MESSAGE_CRC), lambda batch: is_compressed([batch])),
    }
    unsigned_lengths = True
    formats: Mapping[str, Mapping[str, Format]] = {
        "BATCH": {
            "magic-0": Format("kafka", "MessageSet", 0),
            "magic-1": Format("kafka", "MessageSet", 1),
            "shipped": Format("kafka", "RecordSet"),
        },
        "RecordSet": {"draft": Format("kip-82-string-keys", "BATCH")},
    }

    @property
    def types(self) -> Mapping[str, tuple[int, int] | None]:
        return dict.fromkeys(_TYPES)

    def apis(self) -> Mapping[int, str]:
        return {}

    def codec(self, type_name: str, version: int | None) -> Codec:  # noqa: ARG002 (no type has versions)
        if type_name not in _TYPES:
            raise UnknownType(f"the dialect {self.name} has no type {type_name!r}")
        from wireproof.reference.dialects.kip_82_string_keys.codecs import CODECS

        return CODECS[type_name]

    def refusal_ruling(self, type_name: str, error: DecodeError, *, announced: bool) -> str | None:
        if error.reason is Reason.TRUNCATED:
            return lacking(type_name, error.path, announced=announced)
        return super().refusal_ruling(type_name, error, announced=announced)

    def convert(self, type_name: str, data: bytes, to: str, version: int | None, rules: Rules) -> bytes:  # noqa: ARG002 (no type has versions)
        if type_name not in self.formats:
            raise NotImplementedError(f"{', '.join(self.formats)} are converted, and not {type_name}")
        from wireproof.reference.dialects.kip_82_string_keys import convert

        return convert.converted(type_name, data, to, rules)

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:
        if type_name not in ("HEADERS", "MESSAGE"):
            raise NotImplementedError(f"headers are looked up in HEADERS and MESSAGE, not in {type_name}")
        decoded = decode(self.codec(type_name, version), data, rules)
        headers = decoded["headers"] if type_name == "MESSAGE" else decoded
        return [value for name, value in headers if name == key]

    def broker(
        self, address: tuple[str, int], topics: Mapping[str, int], rules: Rules = DEMANDED
    ) -> Callable[[], Connection]:
        """Kafka's broker, whose Produce and Fetch carry the draft's batches; the page has no requests of its own."""
        from wireproof.reference.dialects.kip_82_string_keys import broker

        responses = converting.responses(broker.Batches(rules))
        messages = CatalogMessages(catalog.with_removed(catalog.current()))
        apis = {**Kafka().answered(responses), **broker.VERSIONS}
        return opened(messages, apis, rules, address, topics, responses)
