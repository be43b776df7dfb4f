"""A wrapper for Wireproof: it puts a codec behind the contract, so that `pytest --impl=my_codec` can ask it.

It runs as it is, with a codec of its own for two types. Call your library in their place, then add types one by one:
what is not in `types` is not asked. Nothing is imported from the kit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

name = "my-codec"
version = "0.1"

#: By dialect: the types on offer, each with its lowest and highest version, or None where it has no versions.
#: "ARRAY" stands for all arrays. Messages go by their names: "ApiVersionsRequest": (0, 3), or, where the library only
#: reads and writes again, without values: {"versions": (0, 3), "ops": ["recode"]}.
types: dict[str, dict[str, Any]] = {"kafka": {"INT32": None, "STRING": None}}

#: The exceptions by which the library says "I refuse these bytes" or "this value". Every other one is a crash.
rejects = (ValueError, EOFError)


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    """The value of these bytes, all of them. What the library does not know: NotImplementedError.

    Bytes are bytes, arrays lists, structs dicts with the field names of the message schema, unknown tags under
    `_tags` a list of (tag, bytes). Report what the library does: checks of your own hide what its users meet.
    """
    if dialect != "kafka" or type not in READERS:
        raise NotImplementedError(f"no reader for {type} of {dialect}, version {version}")
    value, end = READERS[type](data)
    # Keep this check only if the library tells its callers how much it has read.
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

# What else a wrapper may offer, where the library has it. Each is a pure function; leave out what it has not.
#
#   recode(type, data, *, dialect, version=None) -> bytes
#       What the library writes for what it has read. Where there is none, encode(decode(data)) is asked. A wrapper
#       that offers only this needs no values at all.
#   lookup(type, data, key, *, dialect, version=None) -> list
#       All values of this header key, in order.
#   convert(type, data, to, *, dialect, version=None) -> bytes
#       The same in another format, as the contract's types name them: "magic-1".
#   serve(chunks, *, dialect) -> (bytes, bool)
#       A broker: what it sends for these chunks on a fresh connection, and whether it then closes it.
#   interpret(request, response, *, dialect) -> dict
#       A client: what it makes of this response frame (None: the connection was closed). {"outcome": "accepted"},
#       "unsupported", "retry" (with "version"), "error" (with "error") or "malformed".
#   negotiate(api_key, client, broker, *, dialect) -> int | None
#       Which version it uses, from two (lowest, highest) pairs; broker is None where it does not list the key.
#   configure(settings, *, dialect)
#       Called before the first question with what some of them need: "schemas", "apis", …
#
# And as attributes:
#
#   dialects = ("kafka",)
#   rebuilds = {"RecordBatch": ["maxTimestamp"]}    fields that its writer sets by itself
#   readings = {"R-K-5": "other"}                   contested points of the protocol that it is known to read in
#                                                   another way; `wireproof readings` finds them out
#
# An exception's attributes `reason` ("truncated"), `offset` (the first byte at fault) and `half` ("decode" or
# "encode", for recode) are shown in the report.
