"""Messages behind the version with which Kafka stores or sends them.

    VersionPrefixed => version:INT16 message       ; of a coordinator's key its type, which says what the record is

Source: MessageUtil.toVersionPrefixedBytes; Kafka's message definitions, ConsumerProtocolSubscription, and those of the
coordinators' records.
"""

from __future__ import annotations

from collections.abc import Mapping

from wireproof.reference import catalog
from wireproof.reference.catalog import Catalog

#: What stands before the name of a message in the name of its type.
PREFIX = "VersionPrefixed:"

#: Messages of the catalogue that stand behind their version. A newer version is read as the highest one (R-K-58 ‡).
IN_CATALOG = ("ConsumerProtocolAssignment", "ConsumerProtocolSubscription", "EndTxnMarker")
#: Coordinator's key → by the number before it the message, in its only version.
_KEYS: Mapping[str, Mapping[int, str]] = {
    "OffsetCommitKey": {0: "LegacyOffsetCommitKey", 1: "OffsetCommitKey"},
    "GroupMetadataKey": {2: "GroupMetadataKey"},
    "TransactionLogKey": {0: "TransactionLogKey"},
}
_VALUES = ("OffsetCommitValue", "GroupMetadataValue", "TransactionLogValue")


def names(chosen: Catalog) -> list[str]:
    """The messages that there are behind a version."""
    return [name for name in IN_CATALOG if name in chosen.messages] + [*_KEYS, *_VALUES]


def messages(name: str, chosen: Catalog) -> tuple[Catalog, Mapping[int, tuple[str, int]]]:
    """A message's catalogue, and by the number before it its name and version there."""
    if name in _KEYS:
        return catalog.coordinators(), {number: (message, 0) for number, message in _KEYS[name].items()}
    source = chosen if name in IN_CATALOG else catalog.coordinators()
    low, high = source.messages[name]
    return source, {version: (name, version) for version in range(low, high + 1)}
