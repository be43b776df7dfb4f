"""The dialect `kip-482-v1`: the first version of KIP-482's page, "optional fields".

schemas   messages, in code or as the page's JSON; all rules are checked
lift      turns a message of Kafka's into one of this dialect, with one more version
rulings   how the page is read where it is silent

The bytes: `reference.optional_fields` is the buffer, `reference.message` the structures that open with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wireproof.reference import evolution
from wireproof.reference.codec import Codec, NodeCodec
from wireproof.reference.dialects.base import Dialect, RefusedFor, UnknownType
from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.dialects.kip_482.lift import lift
from wireproof.reference.dialects.kip_482.rulings import RULINGS
from wireproof.reference.dialects.kip_482.schemas import MessageSchema, all_of, from_json, inner_array
from wireproof.reference.errors import DecodeError, Reason, SchemaError
from wireproof.reference.optional_fields import VARINT
from wireproof.reference.peers.broker import FIRST, WITH_TOPICS, opened
from wireproof.reference.peers.connection import Connection
from wireproof.reference.peers.framing import RequestFrame, ResponseFrame
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.rules import DEMANDED, Rules
from wireproof.reference.schema import plan
from wireproof.reference.schema.plan import OptionalBuffer, PlannedField, Struct

_BUFFER = "OPTIONAL_FIELDS"
_FRAME = "ResponseFrame:"
_TWO_PASSES = "an array of structures inside an optional field would be written in two passes"


def _header(name: str, **fields: str) -> Struct:
    """A header that the draft leaves as it was (R-482-6)."""
    planned = tuple(PlannedField(key, PRIMITIVES[type_], PRIMITIVES[type_].default) for key, type_ in fields.items())
    return Struct(name, planned, planned, {}, {}, frozenset(), flexible=False)


_HEADERS = {
    "RequestHeader": _header(
        "RequestHeader",
        RequestApiKey="INT16",
        RequestApiVersion="INT16",
        CorrelationId="INT32",
        ClientId="NULLABLE_STRING",
    ),
    "ResponseHeader": _header("ResponseHeader", CorrelationId="INT32"),
}


class _Messages:
    """The plans of headers and bodies, for frames (`plan.MessagePlans`)."""

    def __init__(self, messages: Iterable[MessageSchema], *, inner_arrays: bool) -> None:
        self.by_name = {message.name: message for message in messages}
        self.inner_arrays = inner_arrays
        self.apis = {
            message.api_key: message.name.removesuffix("Request")
            for message in self.by_name.values()
            if message.kind == "request" and message.api_key is not None
        }
        self._plans: dict[tuple[str, int], Struct] = {}

    def api_name(self, api_key: int) -> str | None:
        return self.apis.get(api_key)

    def plan(self, name: str, version: int) -> Struct:
        """A header in its only version, or a body. Raises as `body` does."""
        return _HEADERS[name] if name in _HEADERS else self.body(name, version)

    def body(self, name: str, version: int) -> Struct:
        """A message that was configured. Raises UnknownType, or DecodeError(unsupported-version); for a schema that
        these readings refuse (R-482-10 ‡) DecodeError(invalid-schema)."""
        if name not in self.by_name:
            raise UnknownType(f"no schema that was configured is called {name!r}")
        if not self.inner_arrays and (path := inner_array(self.by_name[name])):
            raise DecodeError(Reason.INVALID_SCHEMA, f"{name}: {path}: {_TWO_PASSES}", None)
        if (name, version) not in self._plans:
            self._plans[name, version] = plan.plan(self.by_name[name].schema, version)
        return self._plans[name, version]


class Kip482(Dialect):
    """The dialect, for the messages configured; for its methods see `reference.dialects.base.Dialect`."""

    name = "kip-482-v1"
    rulings = RULINGS
    refusal_rulings: Mapping[RefusedFor, str] = {
        Reason.TAG_ORDER: "R-482-5",
        Reason.TAG_DUPLICATE: "R-482-5",
        Reason.ZERO_LENGTH_FIELD: "R-482-3",
        Reason.NEGATIVE_LENGTH: "R-D-3",
        Reason.TRAILING_BYTES: "R-D-5",
    }
    bomb_ruling: str | None = None
    empty_areas: Mapping[str, str] = {
        "header-multimaps": "it has no headers of records",
        "delivery": "the page has no records",
    }

    def __init__(self, messages: Iterable[MessageSchema] = (), *, inner_arrays: bool = True) -> None:
        """`inner_arrays`: whether an optional structure may hold an array of structures (R-482-10 ‡, other: not)."""
        self.messages = _Messages(messages, inner_arrays=inner_arrays)
        self._strict: Kip482 | None = None

    def configured(self, settings: Mapping[str, Any]) -> Kip482:
        """`settings["schemas"]`: schema JSON. Raises SchemaError."""
        return Kip482(all_of(settings["schemas"])) if "schemas" in settings else self

    def under(self, rules: Rules) -> Kip482:
        if rules.optional_inner_arrays == "allowed":
            return self
        if self._strict is None:
            self._strict = Kip482(self.messages.by_name.values(), inner_arrays=False)
        return self._strict

    @property
    def types(self) -> Mapping[str, tuple[int, int] | None]:
        """`*` stands for the types of schemas that are not configured."""
        types: dict[str, tuple[int, int] | None] = dict.fromkeys(("VARINT", _BUFFER, "RequestFrame", "*"))
        for name, message in self.messages.by_name.items():
            span = (message.versions.low, message.versions.high)
            types[name] = span
            if message.versions.high in message.with_optional:
                types[f"{_BUFFER}:{name}"] = None
            if message.kind == "response" and message.api_key is not None:
                types[_FRAME + name.removesuffix("Response")] = span
        return types

    def area(self, type_name: str) -> str:
        return "tag-ordering" if type_name.partition(":")[0] == _BUFFER else super().area(type_name)

    def apis(self) -> Mapping[int, str]:
        return self.messages.apis

    def codec(self, type_name: str, version: int | None) -> Codec:
        if type_name == "VARINT":
            return NodeCodec(VARINT)
        if type_name == _BUFFER:
            return NodeCodec(OptionalBuffer())
        if type_name == "RequestFrame":
            return RequestFrame(self.messages)
        kind, _, name = type_name.rpartition(":")
        if kind == _BUFFER:
            return NodeCodec(self._optional_fields(name))
        if kind not in ("", _FRAME[:-1]):
            raise UnknownType(f"the dialect {self.name} has no type {type_name!r}")
        message = f"{name}Response" if kind else name
        if version is None:
            self.messages.body(message, self._last(message))  # is there such a message at all?
            raise DecodeError(Reason.UNSUPPORTED_VERSION, f"{type_name} needs a version", None)
        body = self.messages.body(message, version)
        return ResponseFrame(_HEADERS["ResponseHeader"], body) if kind else NodeCodec(body)

    def _last(self, name: str) -> int:
        message = self.messages.by_name.get(name)
        return message.versions.high if message else 0

    def _optional_fields(self, name: str) -> Struct:
        """The optional fields at the beginning of a message's body, alone; structures have their last version."""
        body = self.messages.body(name, self._last(name))
        if not body.optional:
            raise UnknownType(f"the last version of {name} has no optional fields")
        fields = tuple(body.tagged.values())
        return Struct(name, fields, (), body.tagged, {}, frozenset(), flexible=False, optional=True)

    def answer_type(self, api_key: int, version: int, inside: bytes) -> tuple[str, int | None, str] | None:  # noqa: ARG002 (what is in it does not matter)
        name = self.messages.api_name(api_key)
        return None if f"{name}Response" not in self.messages.by_name else (f"{_FRAME}{name}", version, "")

    def broker(
        self, address: tuple[str, int], topics: Mapping[str, int], rules: Rules = DEMANDED
    ) -> Callable[[], Connection]:
        """Kafka's broker, whose requests and responses have one more version with optional fields (R-482-15)."""
        kafka = Kafka()
        messages, apis = kafka.messages, kafka.answered(WITH_TOPICS)
        names = [f"{messages.api_name(key)}{kind}" for key in apis for kind in ("Request", "Response")]
        lifted = [lift(schema) for name in names if (schema := messages.catalog.load(name)) is not None]
        own = Kip482(lifted, inner_arrays=rules.optional_inner_arrays == "allowed")
        ranges = {key: (max(low, FIRST.get(key, 0)), high + 1) for key, (low, high) in apis.items()}
        return opened(own.messages, ranges, rules, address, topics, WITH_TOPICS)

    def compare(self, old: Any, new: Any, rules: Rules = DEMANDED) -> evolution.Comparison:
        releases: Sequence[Any] = old if isinstance(old, (list, tuple)) else [old]
        messages = [from_json(release) for release in (*releases, new)]
        if rules.optional_inner_arrays == "refused":
            for message in messages:
                if path := inner_array(message):
                    raise SchemaError(_TWO_PASSES, path)
        *made, newest = (message.schema for message in messages)
        policy = evolution.Policy(
            null_by_version=False,
            tagged_default_breaks=rules.optional_default == "breaks",
            plain_default_breaks=rules.optional_default == "breaks",
            default_ruling="R-482-17",
            rename_breaks=rules.renamed_tag == "reuse",
            rename_ruling="R-482-13",
            plain_rename_breaks=rules.renamed_mandatory == "breaks",
            replacement_breaks=rules.replaced_structure == "breaks",
        )
        return evolution.compare(made, newest, policy)
