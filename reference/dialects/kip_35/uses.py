"""What a client or a broker makes of tags, of a properties file and of a ledger: types whose only op is `lookup`.

    ENDPOINT            a response, a protocol: the addresses of the brokers for it
    LARGEST_MESSAGE     a response, a client's own limit: the limit for each broker
    IDENTITY            a response, a node id: whether each broker is the one that is meant
    PROTOCOL_VERSION    a ledger in the page's text form, a ProtocolVersion: request types, and the version of each
    PROPERTIES          a broker's properties file, a tag's name: its value

Source: KIP-35 version 7, Key-Value tags, Example user-provided tags, ProtocolVersion; R-35-5, R-35-6, R-35-7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wireproof.reference.dialects.kip_35 import protocol_versions, tags
from wireproof.reference.dialects.kip_35.properties import PropertiesError
from wireproof.reference.dialects.kip_35.protocol_versions import LedgerError
from wireproof.reference.dialects.kip_35.tags import TagError
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.rules import Rules

Brokers = Sequence[Mapping[str, Any]]


def _endpoint(brokers: Brokers, protocol: Any, rules: Rules) -> list[Any]:
    told = [value for one in brokers for name, value in one["Tags"] if name == "endpoints"]
    there = [[*address] for value in told for address in tags.tag_value("endpoints", value, rules)]
    return [address for address in there if address[0] == protocol]


def _largest_message(brokers: Brokers, own_limit: Any, _: Rules) -> list[Any]:
    return [tags.largest_message(one["Tags"], own_limit) for one in brokers]


def _identity(brokers: Brokers, node_id: Any, _: Rules) -> list[Any]:
    return [tags.is_meant(one, node_id) for one in brokers]


def _protocol_version(ledger: str, number: Any) -> list[Any]:
    return [[*pair] for pair in sorted(protocol_versions.parse(ledger).requests(number).items())]


def _properties(text: str, name: Any) -> list[Any]:
    return [value for key, value in tags.from_properties(text) if key == name]


#: Types that hold a BrokerMetadataResponse.
OF_BROKERS: Mapping[str, Callable[[Brokers, Any, Rules], list[Any]]] = {
    "ENDPOINT": _endpoint,
    "IDENTITY": _identity,
    "LARGEST_MESSAGE": _largest_message,
}
#: Types that hold text.
OF_TEXT: Mapping[str, Callable[[str, Any], list[Any]]] = {
    "PROPERTIES": _properties,
    "PROTOCOL_VERSION": _protocol_version,
}


def of_brokers(type_name: str, brokers: Brokers, key: Any, rules: Rules) -> list[Any]:
    """Raises DecodeError."""
    with _refusing():
        return OF_BROKERS[type_name](brokers, key, rules)


def of_text(type_name: str, data: bytes, key: Any) -> list[Any]:
    """Raises DecodeError."""
    with _refusing():
        return OF_TEXT[type_name](data.decode(), key)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise DecodeError(Reason.INVALID_UTF8, str(error), error.start) from None
    except (LedgerError, PropertiesError, TagError) as error:
        raise DecodeError(Reason.OUT_OF_RANGE, str(error), None) from None
