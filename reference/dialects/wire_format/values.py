"""The values of message sets: plain messages of both magics, wrappers, and perhaps a partial message at the end."""

from __future__ import annotations

from typing import Any

from wireproof.reference.cursor import Writer
from wireproof.reference.dialects.wire_format.messages import (
    CODEC,
    GZIP,
    PARTIAL,
    SNAPPY,
    append_message_set,
    is_partial,
)
from wireproof.reference.rules import Rules
from wireproof.reference.schema.shapes import (
    Among,
    Constant,
    Either,
    Fields,
    Integers,
    Items,
    Made,
    Octets,
    Shape,
    signed,
)

#: The size of the field `size`.
_SIZE = 4
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
    from wireproof.reference.records.compression import deflate  # takes its time to load; wrappers alone need it

    payload = deflate(drawn["codec"], _set(drawn["messages"]))
    return {"magic": 1, "attributes": drawn["attributes"] | drawn["codec"], "payload": payload}


_WRAPPER = Made(
    Fields(
        {
            "attributes": signed(8, without=CODEC),
            "codec": Among((GZIP, SNAPPY)),
            "messages": Items(_PLAIN, least=1),
        }
    ),
    _wrapper,
)


def _cut(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """A set with a partial message: a prefix of the tail that was drawn, never all of it. There is none after an empty
    set, or where the prefix can't be the beginning of a message."""
    messages: list[dict[str, Any]] = drawn["messages"]
    rest: bytes = drawn["tail"][:-1][: drawn["bytes"]]
    return [*messages, {PARTIAL: rest}] if messages and rest and is_partial(rest[:4], len(rest)) else messages


#: The beginning of a message of any size.
_ANNOUNCED = Made(
    Fields({"size": Integers(0, 2**31 - 1), "begun": Octets()}),
    lambda drawn: drawn["size"].to_bytes(_SIZE) + drawn["begun"],
)

MESSAGE_SET: Shape = Made(
    Fields(
        {
            "messages": Items(Either((_PLAIN, _WRAPPER))),
            "tail": Either((Made(Items(_PLAIN, least=1), _set), _ANNOUNCED, Octets())),
            "bytes": Either((Constant(0), Integers(1, _SIZE), Integers(_SIZE + 1, 24))),
        }
    ),
    _cut,
)
