"""Common code of the wrappers. Like them it imports nothing of the kit."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


#: Message → names that `wire_name` does not get right: Kafka writes a few in lower case, and 4.4 renamed two.
SPELLED = {
    "CreateTopicsRequest": {"TimeoutMs": "timeoutMs", "ValidateOnly": "validateOnly"},
    "UpdateFeaturesRequest": {"TimeoutMs": "timeoutMs"},
    "StreamsGroupHeartbeatResponse": {"AcceptableRecoveryLag": "AcceptableRecoveryLagLegacy"},
    "TxnOffsetCommitRequest": {"GenerationId": "GenerationIdOrMemberEpoch"},
}
#: The fields of a batch, and of a record.
BATCH_FIELDS = frozenset(
    (
        "baseOffset",
        "partitionLeaderEpoch",
        "attributes",
        "lastOffsetDelta",
        "baseTimestamp",
        "maxTimestamp",
        "producerId",
        "producerEpoch",
        "baseSequence",
        "records",
    )
)
RECORD_FIELDS = frozenset(("attributes", "timestampDelta", "offsetDelta", "key", "value", "headers"))


class TrailingBytesError(ValueError):
    """A reader has not read all bytes."""

    reason = "trailing-bytes"

    def __init__(self, offset: int) -> None:
        super().__init__(f"bytes left over from offset {offset}")
        self.offset = offset


def read_whole(read: Callable[[io.BytesIO], Any], data: bytes) -> Any:
    """The result of `read` on a stream of `data`. Raises TrailingBytesError when it does not read the whole stream."""
    stream = io.BytesIO(data)
    value = read(stream)
    if stream.tell() < len(data):
        raise TrailingBytesError(stream.tell())
    return value


def wire_name(field: str) -> str:
    """A field's name as Kafka's schemas write it: `ApiKey` for `api_key`."""
    return "".join(word.capitalize() for word in field.split("_"))


def others_than(fields: frozenset[str], value: dict[str, Any]) -> dict[str, Any]:
    """The other fields of a value. They are passed to the library unchanged, which may refuse them."""
    return {key: item for key, item in value.items() if key not in fields}


def distinct_tags(tags: Iterable[tuple[int, bytes]]) -> dict[int, bytes]:
    """Tags as a dict, for a library that takes no other form. Raises NotImplementedError when one is given twice."""
    tags = tuple(tags)
    if len(dict(tags)) < len(tags):
        raise NotImplementedError("the library takes tags as a dict: none can be given twice")
    return dict(tags)


def failed(error: Exception, response: bytes | None) -> dict[str, Any]:
    """The outcome of a client's question that ended in this exception of the library's.

    An exception with a code has the error code of the response. With any other one the library closes the connection:
    because of this response, or because there was none.
    """
    if response is None:
        return {"outcome": "error", "error": None}
    code = getattr(error, "errno", None)
    return {"outcome": "malformed"} if code is None else {"outcome": "error", "error": code}
