"""The dialect `wire-format`: the proposals for Kafka's wire format from before 0.8.

rulings     how the page is read where it is silent
messages    message sets of Kafka 0.7, which the proposals carry
values      the values of message sets, for generated cases
parts       the building blocks of the layouts
layouts     the four messages, each a whole frame
sets        the message sets of a request, each with its part of the response
waiting     acknowledgements, timeouts, long polls, replicas: functions of the time
broker      a broker's answers
client      how a client understands responses, in any order
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from wireproof.reference.codec import Codec
from wireproof.reference.dialects.base import Dialect, Entries, RefusedFor, UnknownType
from wireproof.reference.dialects.wire_format import broker, client, messages
from wireproof.reference.dialects.wire_format.layouts import FETCH_ID, PRODUCE_ID, VERSION, codecs
from wireproof.reference.dialects.wire_format.rulings import RULINGS
from wireproof.reference.errors import DecodeError, Reason, SchemaError, shown
from wireproof.reference.peers import connection
from wireproof.reference.rules import DEMANDED, Rules


class WireFormat(Dialect):
    """The dialect; for its methods see `reference.dialects.base.Dialect`. `produce_id`, `fetch_id`: the
    request_type_ids (R-WF-13)."""

    name = "wire-format"
    rulings = RULINGS
    refusal_rulings: Mapping[RefusedFor, str] = {
        ("FetchRequest", Reason.COUNT_MISMATCH): "R-WF-7",
        Reason.CORRUPT_COMPRESSION: "R-WF-14",
        Reason.COUNT_MISMATCH: "R-WF-6",
        Reason.CRC_MISMATCH: "R-WF-14",
        Reason.INVALID_WRAPPER: "R-WF-14",
        Reason.NEGATIVE_LENGTH: "R-D-3",
        Reason.NULL_NOT_ALLOWED: "R-WF-2",
        Reason.RESOURCE_LIMIT: "R-WF-14",
        Reason.TRAILING_BYTES: "R-D-5",
        Reason.UNKNOWN_API: "R-WF-13",
        Reason.UNSUPPORTED_COMPRESSION: "R-WF-14",
        Reason.UNSUPPORTED_MAGIC: "R-WF-14",
        Reason.UNSUPPORTED_VERSION: "R-WF-13",
    }
    bomb_ruling: str | None = None
    areas: Mapping[str, str] = {"MESSAGE_SET": "framing"}
    entries: Mapping[str, Entries] = {
        "MESSAGE_SET": Entries(messages.guarded, lambda _: False),  # the content of wrappers is kept as bytes
    }
    answers_in_any_order = True
    empty_areas: Mapping[str, str] = {
        "varints": "it has no varints: lengths and counts have fixed widths",
        "tag-ordering": "it has no tags",
        "header-multimaps": "its messages have no headers",
        "schema-evolution": "its types have no schemas that could change",
        "delivery": "what a consumer is given of a fetch is asked as decode",
    }

    def __init__(self, produce_id: int = PRODUCE_ID, fetch_id: int = FETCH_ID) -> None:
        self._apis = {produce_id: "Produce", fetch_id: "Fetch"}
        self.codecs = codecs(produce_id, fetch_id)

    def configured(self, settings: Mapping[str, Any]) -> WireFormat:
        """`settings["request_type_ids"]`: {"Produce": id, "Fetch": id}, two different INT16s. Raises SchemaError."""
        match settings.get("request_type_ids"):
            case None:
                return self
            case {"Produce": int(produce_id), "Fetch": int(fetch_id), **odd} if (
                not odd and produce_id != fetch_id and all(-(2**15) <= one < 2**15 for one in (produce_id, fetch_id))
            ):
                return WireFormat(produce_id, fetch_id)
            case other:
                detail = f"request_type_ids {shown(other)}: {{'Produce': id, 'Fetch': id}}, two int16, is expected"
                raise SchemaError(detail, "request_type_ids")

    @property
    def types(self) -> Mapping[str, tuple[int, int] | None]:
        """None of them has versions: a frame contains its version."""
        return dict.fromkeys(self.codecs)

    def apis(self) -> Mapping[int, str]:
        return self._apis

    def codec(self, type_name: str, version: int | None) -> Codec:
        """`version`: None or the only one."""
        if type_name not in self.codecs:
            raise UnknownType(f"the dialect {self.name} has no type {type_name!r}; it has {', '.join(self.codecs)}")
        if version not in (None, VERSION):
            detail = f"{type_name} has version {VERSION}, not {shown(version)}"
            raise DecodeError(Reason.UNSUPPORTED_VERSION, detail, None)
        return self.codecs[type_name]

    def refusal_ruling(self, type_name: str, error: DecodeError, *, announced: bool) -> str | None:
        """There are rulings on the sizes of message sets and of messages, but none on a frame's size."""
        field = error.path.rpartition(".")
        match error.reason, field[2]:
            case Reason.TRUNCATED | Reason.NEGATIVE_LENGTH, "messages":
                return "R-WF-3"
            case Reason.TRUNCATED | Reason.NEGATIVE_LENGTH, "size" if field[0]:
                return "R-WF-10"
        return super().refusal_ruling(type_name, error, announced=announced)

    def api_versions(self, api_key: int) -> tuple[int, int] | None:
        """Types have no versions, but requests contain one."""
        return (VERSION, VERSION) if api_key in self._apis else None

    def request_type(self, api_key: int) -> str | None:
        name = self._apis.get(api_key)
        return None if name is None else f"{name}Request"

    def answer_type(self, api_key: int, version: int, inside: bytes) -> tuple[str, int | None, str] | None:  # noqa: ARG002 (a response says its version itself)
        name = self._apis.get(api_key)
        return None if name is None else (f"{name}Response", None, "")

    def serve(self, chunks: Iterable[bytes], settings: Mapping[str, Any], rules: Rules) -> tuple[bytes, bool]:  # noqa: ARG002 (all that can be set is set)
        made = broker.WireFormatBroker(self.codecs, self._apis, rules, broker.Logs())
        return connection.serve(made, made.last_first(chunks) if rules.pipelined == "last-first" else chunks)

    def broker(
        self,
        address: tuple[str, int],  # noqa: ARG002 (no response names it)
        topics: Mapping[str, int],  # noqa: ARG002 (it has every topic)
        rules: Rules = DEMANDED,
    ) -> Callable[[], connection.Connection]:
        return partial(broker.WireFormatBroker, self.codecs, self._apis, rules, broker.Logs())

    def interpret(self, request: bytes, response: bytes | None, rules: Rules) -> dict[str, Any]:
        return client.WireFormatClient(self.codecs, self._apis, rules).interpret(request, response)
