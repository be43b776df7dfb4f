"""A wrapper for Wireproof: it connects a codec to the kit, so that `pytest --impl=my_codec` can ask it.

It already runs: it contains a small codec for two types. Call your library instead, then add types one by one. Types
that are not in `types` are not asked. A wrapper imports nothing from the kit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

name = "my-codec"
version = "0.1"

#: By dialect: the offered types, each with its lowest and highest version, or None for a type without versions.
#: "ARRAY" stands for all arrays. Messages have their names: "ApiVersionsRequest": (0, 3). For a message that the
#: library can only read and write again, without values: {"versions": (0, 3), "ops": ["recode"]}.
types: dict[str, dict[str, Any]] = {"kafka": {"INT32": None, "STRING": None}}

#: The exceptions with which the library refuses bytes or values. Every other exception is a crash.
rejects = (ValueError, EOFError)


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """The value of these bytes, all of them. Raise NotImplementedError for a type that the library does not have.

    Bytes are bytes, arrays are lists, structs are dicts with the field names of the message schema; unknown tags are a
    list of (tag, bytes) under `_tags`. Report what the library does: your own checks would hide its bugs.
    """
    if dialect != "kafka" or type not in READERS:
        raise NotImplementedError(f"no reader for {type} of {dialect}, version {version}")
    value, end = READERS[type](data)
    # Keep this check only if the library tells its callers how many bytes it has read.
    if end != len(data):
        raise ValueError(f"{len(data) - end} bytes are left over")
    return value


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    """The bytes of this value."""
    if dialect != "kafka" or type not in WRITERS:
        raise NotImplementedError(f"no writer for {type} of {dialect}, version {version}")
    return WRITERS[type](value)


def read_int32(data: bytes) -> tuple[int, int]:
    """Four bytes, big-endian; the value, and where it ends."""
    if len(data) < 4:
        raise EOFError("four bytes are needed")
    return int.from_bytes(data[:4], "big", signed=True), 4


def read_string(data: bytes) -> tuple[str, int]:
    """Two bytes of length, then so many of UTF-8."""
    if len(data) < 2:
        raise EOFError("the length is cut off")
    end = 2 + int.from_bytes(data[:2], "big", signed=True)
    if end < 2:
        raise ValueError("the length is negative: null is not allowed here")
    if end > len(data):
        raise EOFError(f"{end - len(data)} bytes of text are missing")
    return data[2:end].decode(), end


def write_string(value: str | None) -> bytes:
    """As `read_string` reads it."""
    if value is None:
        raise ValueError("null is not allowed here")
    text = value.encode()
    return len(text).to_bytes(2, "big", signed=True) + text


READERS: dict[str, Callable[[bytes], tuple[Any, int]]] = {"INT32": read_int32, "STRING": read_string}
WRITERS: dict[str, Callable[[Any], bytes]] = {
    "INT32": lambda value: value.to_bytes(4, "big", signed=True),
    "STRING": write_string,
}

# Other functions of a wrapper. Each is a pure function; leave out those that the library does not have.
#
#   recode(type, data, *, dialect, version=None) -> bytes
#       Read the bytes, and write the result again. Without this function the kit calls encode(decode(data)). A wrapper
#       that offers only this needs no values at all.
#   lookup(type, data, key, *, dialect, version=None) -> list
#       All values of this header key, in order.
#   convert(type, data, to, *, dialect, version=None) -> bytes
#       The same data in another format; the contract lists the formats, such as "magic-1".
#   consume(data, *, position, isolation, aborted, dialect) -> dict
#       For a consumer: what an application is given of a partition's records, {"records": […], "position": n}.
#   produce(records, *, magic, codec, options, dialect) -> bytes
#       For a producer: what it sends for these records, in this format, with "none" or a codec.
#   serve(chunks, *, dialect) -> (bytes, bool)
#       For a broker: the bytes that it sends for these chunks on a new connection, and whether it then closes it.
#   interpret(request, response, *, dialect) -> dict
#       For a client: the meaning of this response frame (None: the connection was closed). {"outcome": "accepted"},
#       "unsupported", "retry" (with "version"), "error" (with "error") or "malformed".
#   negotiate(api_key, client, broker, *, dialect) -> int | None
#       The version to use, from two (lowest, highest) pairs; broker is None if the broker does not list the key.
#   configure(settings, *, dialect)
#       Called before the first question, with settings that some questions need: "schemas", "apis", …
#
# Further attributes:
#
#   dialects = ("kafka",)
#   rebuilds = {"RecordBatch": ["maxTimestamp"]}    fields that its writer sets by itself
#   readings = {"R-K-5": "other"}                   contested points of the protocol that the library reads in
#                                                   another way; `wireproof readings` finds them
#
# An exception's attributes `reason` ("truncated"), `offset` (the first wrong byte) and `half` ("decode" or "encode",
# for recode) are shown in the report.
