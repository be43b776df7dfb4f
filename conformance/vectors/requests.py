"""The request of each api with which a broker is asked at every version: `vectors/requests.json`, read and checked when
it is first needed."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, Literal

import msgspec

from wireproof.conformance.model import Effect
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.encoding import from_json
from wireproof.conformance.vectors.model import VectorError
from wireproof.reference.errors import WireError
from wireproof.reference.schema.plan import Array, Node, Struct

DIALECT = "kafka"
_FILE = "requests.json"


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """`reads_from`: the lowest version in which it reads; those below it cannot say that nothing is to be made."""

    effect: Effect
    reads_from: int = 0
    value: dict[str, Any] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal[1]
    requests: dict[str, _Entry]


@functools.cache
def _entries() -> Mapping[str, _Entry]:
    """Raises VectorError for a file that is wrong."""
    return parse((resources.files("wireproof.vectors") / _FILE).read_bytes())


def parse(content: bytes) -> Mapping[str, _Entry]:
    """The requests in such a file, by the api's name. Raises VectorError: also for a field that no version has."""
    try:
        entries = msgspec.json.decode(content, type=_File).requests
        unknown = {}
        for api, entry in entries.items():
            entry.value = from_json(entry.value)
            unknown[api] = sorted(_unknown(entry.value, plans(api)))
    except (msgspec.MsgspecError, ValueError) as error:
        raise VectorError(f"vectors/{_FILE}: {error}") from None
    for api, names in unknown.items():
        if names:
            raise VectorError(f"vectors/{_FILE}: {api} has no field {', '.join(names)}")
    return entries


def plans(api: str, which: str = "Request") -> list[Node]:
    """The plans of all versions of a request, or of a Response. Raises ValueError for an api that there is not."""
    span = reference_codec().dialect(DIALECT).types.get(f"{api}{which}")
    if span is None:
        raise ValueError(f"there is no api {api}")
    return [_plan(api, version, which) for version in range(span[0], span[1] + 1)]


def _unknown(value: Any, nodes: Sequence[Node]) -> Iterator[str]:
    """The names in a value that are no field of any of these nodes, whatever their depth."""
    match value:
        case dict():
            fields = [field for node in nodes if isinstance(node, Struct) for field in node.fields]
            for name, item in value.items():
                found = [field.node for field in fields if field.name == name]
                yield from _unknown(item, found) if found else (name,)
        case list():
            elements = [node.element for node in nodes if isinstance(node, Array)]
            for item in value:
                yield from _unknown(item, elements)


def effect(api: str, version: int | None = None) -> Effect:
    """What the request of an api may do to a broker; for an api that the file lacks, the most. `version`: None for one
    of those that can say that nothing is to be made."""
    entry = _entries().get(api)
    if entry is None:
        return Effect.CLUSTER
    return Effect.WRITE if version is not None and version < entry.reads_from else entry.effect


def frame(api: str, key: int, version: int) -> bytes:
    """A frame with the request of an api. The correlation id is the key plus 1. Raises WireError for a version that
    there is not."""
    entry = _entries().get(api)
    return frame_of(api, key, version, key + 1, {} if entry is None else entry.value)


def frame_of(api: str, key: int, version: int, correlation_id: int, value: Any) -> bytes:
    """A frame with a request, which has those fields of the value that its version has. Raises WireError."""
    header = {"RequestApiKey": key, "RequestApiVersion": version, "CorrelationId": correlation_id}
    body = of_version(value, _plan(api, version))
    whole = {"header": {**header, "ClientId": "wireproof"}, "body": body}
    return reference_codec().encode("RequestFrame", whole, dialect=DIALECT)


def has_version(api: str, version: int) -> bool:
    """Whether the current catalogue has this version of an api's request."""
    try:
        _plan(api, version)
    except WireError:
        return False
    return True


def answer_plan(api: str, version: int) -> Struct:
    """The plan of a response. Raises WireError for a version that there is not."""
    return _plan(api, version, "Response")


def _plan(api: str, version: int, which: str = "Request") -> Struct:
    node = reference_codec().dialect(DIALECT).codec(f"{api}{which}", version).node  # type: ignore[attr-defined]
    assert isinstance(node, Struct)
    return node


def of_version(value: Any, node: Node) -> Any:
    """A value with only the fields that a version has. Fields that are missing are at their defaults."""
    match node, value:
        case Struct(), dict():
            return {
                field.name: of_version(value[field.name], field.node) for field in node.fields if field.name in value
            }
        case Array(), list():
            return [of_version(item, node.element) for item in value]
    return value
