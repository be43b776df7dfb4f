"""What a proxy may rewrite in answers.

A client goes on to the addresses of brokers in an answer. A proxy that wants its connections to come to it has to
rewrite them in every api that tells such an address. Everything else passes as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_NODE_ENDPOINTS = ("NodeEndpoints[].Host", "NodeEndpoints[].Port")
#: Where clients are told the addresses of brokers: api → the paths of fields of its response.
DEMANDED: Mapping[str, Sequence[str]] = {
    "DescribeCluster": ("Brokers[].Host", "Brokers[].Port"),
    "Fetch": _NODE_ENDPOINTS,
    "FindCoordinator": ("Host", "Port", "Coordinators[].Host", "Coordinators[].Port"),
    "Metadata": ("Brokers[].Host", "Brokers[].Port"),
    "Produce": _NODE_ENDPOINTS,
    "ShareAcknowledge": _NODE_ENDPOINTS,
    "ShareFetch": _NODE_ENDPOINTS,
}
#: Addresses that only the machines of a cluster use: they may be rewritten, and may be left.
PERMITTED: Mapping[str, Sequence[str]] = {
    "BeginQuorumEpoch": _NODE_ENDPOINTS,
    "DescribeQuorum": ("Nodes[].Listeners[].Host", "Nodes[].Listeners[].Port"),
    "EndQuorumEpoch": _NODE_ENDPOINTS,
    "FetchSnapshot": _NODE_ENDPOINTS,
    "UpdateRaftVoter": ("CurrentLeader.Host", "CurrentLeader.Port"),
    "Vote": _NODE_ENDPOINTS,
}
#: Addresses that are no broker's: those of the instances of an application.
KEPT = frozenset({"StreamsGroupDescribe", "StreamsGroupHeartbeat"})


def paths(api: str) -> Sequence[str]:
    """The fields that may be rewritten in an api's response."""
    return DEMANDED.get(api) or PERMITTED.get(api) or ()


def cleared(value: Any, fields: Sequence[str]) -> tuple[Any, list[Any]]:
    """A value with null in the place of these fields, as far as it has them; and what stood there."""
    found: list[Any] = []
    for path in fields:
        value = _cleared(value, path.split("."), found)
    return value, found


def _cleared(value: Any, names: Sequence[str], found: list[Any]) -> Any:
    if not names:
        found.append(value)
        return None
    name, is_array = names[0].removesuffix("[]"), names[0].endswith("[]")
    if not isinstance(value, Mapping) or name not in value:
        return value
    inner = value[name]
    if is_array:
        items = inner if isinstance(inner, list) else []
        return {**value, name: [_cleared(item, names[1:], found) for item in items] if items else inner}
    return {**value, name: _cleared(inner, names[1:], found)}


def addressed(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all fields `Host` and `Port` in a value that has both of them in one structure."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name in ("Host", "Port") and {"Host", "Port"} <= value.keys():
                yield f"{path}{name}"
            yield from addressed(item, f"{path}{name}.")
    elif isinstance(value, list):
        for item in value:
            yield from addressed(item, f"{path.removesuffix('.')}[].")
