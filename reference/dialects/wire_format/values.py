"""Which message sets there are: plain messages of both magics, wrappers, and at the end the rest of one cut off."""

from __future__ import annotations

from typing import Any

from reference.cursor import Writer
from reference.dialects.wire_format.messages import CODEC, GZIP, PARTIAL, SNAPPY, append_message_set
from reference.rules import Rules
from reference.shapes import Constant, Either, Fields, Integers, Items, Made, Octets, Shape, signed

_PLAIN = Either(
    (
        Fields({"magic": Constant(0), "payload": Octets()}),
        Fields({"magic": Constant(1), "attributes": signed(8, without=CODEC), "payload": Octets()}),
    )
)


def _set(messages: list[dict[str, Any]]) -> bytes:
    writer = Writer(Rules())
    append_message_set(writer, messages)
    return bytes(writer.out)


def _wrapper(drawn: dict[str, Any]) -> dict[str, Any]:
    from reference.records.compression import deflate  # takes its time to load; wrappers alone need it

    payload = deflate(drawn["codec"], _set([drawn["first"], *drawn["more"]]))
    return {"magic": 1, "attributes": drawn["attributes"] | drawn["codec"], "payload": payload}


_WRAPPER = Made(
    Fields(
        {
            "attributes": signed(8, without=CODEC),
            "codec": Either((Constant(GZIP), Constant(SNAPPY))),
            "first": _PLAIN,
            "more": Items(_PLAIN),
        }
    ),
    _wrapper,
)


def _cut(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """So many bytes of one more message stand at the end; none where it has no more, or nothing stands before it."""
    messages: list[dict[str, Any]] = drawn["messages"]
    rest = _set([drawn["last"]])
    part = rest[: drawn["bytes"]]
    return [*messages, {PARTIAL: part}] if messages and 0 < len(part) < len(rest) else messages


MESSAGE_SET: Shape = Made(
    Fields({"messages": Items(Either((_PLAIN, _WRAPPER))), "last": _PLAIN, "bytes": Integers(0, 24)}), _cut
)
