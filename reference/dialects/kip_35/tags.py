"""A broker's key-value tags: formats and uses of the builtin tags, and tags that users add.

Tags are a list of (key, value), as in a broker's entry of BrokerMetadataResponse. Order and duplicates are kept, and
any key is allowed. A lookup by key gives the first tag with that key.

`lookup` asks for the parsed values, and `uses` for what a client and a broker make of them.

Source: KIP-35 version 7, Key-Value tags and Example user-provided tags; R-35-5, R-35-6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from wireproof.errors import WireproofError
from wireproof.reference.dialects.kip_35 import properties
from wireproof.reference.dialects.kip_35.properties import PropertiesError
from wireproof.reference.errors import DecodeError, Reason, shown
from wireproof.reference.rules import Rules

Tags = Sequence[tuple[str, str]]

#: The prefix of a property that is a tag.
PREFIX = "tag."

_DECIMAL = re.compile(r"[0-9]{1,10}")
_VERSION_INT = re.compile(r"0x[0-9a-fA-F]{8}")
_CODEC = re.compile(r"([0-9]{1,3})=([A-Za-z0-9_-]+)")
_FORMAT = re.compile(r"v([0-9]{1,3})")
_ENDPOINT = re.compile(r"([A-Za-z][A-Za-z0-9_+.-]*)://(\[[0-9A-Fa-f:.%]+\]|[^/:\[\]\s]+):([0-9]{1,5})")
_INT32_MAX = 2**31 - 1


class TagError(WireproofError):
    """The value of a builtin tag does not have the documented form; the text names the tag."""


class Endpoint(NamedTuple):
    """An address of a broker: "ssl", "host", 9192. An IPv6 address has no brackets."""

    protocol: str
    host: str
    port: int


def _number(key: str, value: str, most: int = _INT32_MAX) -> int:
    if not _DECIMAL.fullmatch(value) or int(value) > most:
        raise TagError(f"{key} is {shown(value)}; a decimal number from 0 to {most} is expected")
    return int(value)


def _version_int(key: str, value: str) -> int:
    """One byte a part: "0x00090000" is 0.9.0.0."""
    if not _VERSION_INT.fullmatch(value):
        raise TagError(f'{key} is {shown(value)}; 0x and eight hex digits are expected, such as "0x00090000"')
    return int(value, 16)


def _codecs(key: str, value: str) -> dict[int, str]:
    """Codec bits of a message's attributes → the codec's name: "1=gzip,2=snappy"."""
    names: dict[int, str] = {}
    for part in _parts(value):
        match = _CODEC.fullmatch(part)
        if match is None:
            raise TagError(f'{key} has {shown(part)}; bits and a name are expected, such as "1=gzip"')
        bits = int(match[1])
        if bits in names:
            raise TagError(f"{key} gives the bits {bits} twice")
        names[bits] = match[2]
    return names


def _formats(key: str, value: str) -> list[int]:
    """Message formats: "v1,v2"."""
    versions = []
    for part in _parts(value):
        match = _FORMAT.fullmatch(part)
        if match is None:
            raise TagError(f'{key} has {shown(part)}; v and a number are expected, such as "v1"')
        versions.append(int(match[1]))
    return versions


def _endpoints(key: str, value: str) -> list[Endpoint]:
    """A broker's addresses: "plaintext://host:9092,ssl://host:9192"."""
    endpoints = []
    for part in _parts(value):
        match = _ENDPOINT.fullmatch(part)
        if match is None or not 0 < int(match[3]) < 2**16:
            raise TagError(f'{key} has {shown(part)}; "protocol://host:port" is expected')
        endpoints.append(Endpoint(match[1], match[2].strip("[]"), int(match[3])))
    return endpoints


def _parts(value: str) -> list[str]:
    return value.split(",") if value else []


def _text(key: str, value: str) -> str:  # noqa: ARG001 (any text is one)
    return value


#: The builtin tags: key → its parser, which takes key and value and raises TagError.
BUILTIN: Mapping[str, Callable[[str, str], Any]] = {
    "broker.id": _number,
    "broker.version": _text,
    "broker.version.int": _version_int,
    "compression.codecs": _codecs,
    "message.max.bytes": _number,
    "message.formats": _formats,
    "endpoints": _endpoints,
}


def parse(key: str, value: str | None) -> Any:
    """A tag's value: int, str, {bits: name}, [int] or [Endpoint] for a builtin key, else the text; None for null
    (R-35-17 ‡). Raises TagError."""
    return None if value is None else BUILTIN.get(key, _text)(key, value)


def tag_value(key: str, value: str | None, rules: Rules) -> Any:
    """A tag's value as the contract has it: {bits: name} is a list of pairs, an Endpoint a list of three. Raises
    DecodeError for a builtin tag without the documented form."""
    try:
        meaning = parse(key, value)
    except TagError as error:
        raise DecodeError(Reason.OUT_OF_RANGE, str(error), None) from None
    if key == "endpoints" and rules.ipv6_host == "bracketed":
        return [one._replace(host=f"[{one.host}]") if ":" in one.host else one for one in meaning]
    return [[bits, name] for bits, name in meaning.items()] if isinstance(meaning, dict) else meaning


def first(tags: Tags, key: str) -> Any:
    """The parsed value of the first tag of this key; None where there is none. Raises TagError."""
    return next((parse(key, value) for name, value in tags if name == key), None)


# --- Uses of the builtin tags -----------------------------------------------------------------------------------------


def identity(broker: Mapping[str, Any]) -> int:
    """The id of a bootstrap broker, from its entry in BrokerMetadataResponse: a client does not know it before. Raises
    TagError when its tag and its NodeId differ."""
    node_id: int = broker["NodeId"]
    tagged = first(broker["Tags"], "broker.id")
    if tagged is not None and tagged != node_id:
        raise TagError(f"broker.id is {tagged}, but the entry's NodeId is {node_id}")
    return node_id


def is_meant(broker: Mapping[str, Any], node_id: int) -> bool:
    """Whether a client has reached the right broker, with the id that topic metadata gave: through a proxy or address
    translation it may be another. Raises TagError."""
    return identity(broker) == node_id


def endpoint(tags: Tags, protocol: str) -> Endpoint | None:
    """The address of this broker for a protocol, such as "ssl"; None without one. Raises TagError."""
    there: list[Endpoint] = first(tags, "endpoints") or []
    return next((one for one in there if one.protocol.lower() == protocol.lower()), None)


def common_codec(tags: Tags, wanted: Iterable[str]) -> tuple[int, str] | None:
    """The first wanted codec that the broker supports, with its bits; None: send uncompressed. Raises TagError."""
    there: dict[int, str] = first(tags, "compression.codecs") or {}
    bits = {name: number for number, name in there.items()}
    return next(((bits[name], name) for name in wanted if name in bits), None)


def largest_message(tags: Tags, own_limit: int) -> int:
    """The maximum size of a message, for a client with this limit of its own. Raises TagError."""
    limit: int | None = first(tags, "message.max.bytes")
    return own_limit if limit is None else min(own_limit, limit)


# --- User tags --------------------------------------------------------------------------------------------------------


def from_properties(text: str) -> list[tuple[str, str]]:
    """The tags in a broker's properties file: `tag.aws.zone = eu-central-1` gives ("aws.zone", "eu-central-1").

    Other properties are ignored. Raises PropertiesError for a name that is empty or builtin.
    """
    tags = []
    for name, value in properties.load(text).items():
        if not name.startswith(PREFIX):
            continue
        key = name.removeprefix(PREFIX)
        if not key:
            raise PropertiesError(f'{name} = {shown(value)}: a name is expected behind "{PREFIX}"')
        if key in BUILTIN:
            raise PropertiesError(f"{name}: the broker sets {key} itself; give the tag another name")
        tags.append((key, value))
    return tags
