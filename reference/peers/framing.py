"""Frames: a size, a header, a body. The header's version follows from the api and its version.

    RequestFrame  => size:INT32 RequestHeader(v) body ; ResponseFrame => size:INT32 ResponseHeader(v) body
    size counts the bytes after it

Source: Kafka's protocol guide, "Protocol Request/Response"; KIP-482 and KIP-511 for the header versions.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wireproof.reference import message
from wireproof.reference.codec import Codec
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, shown
from wireproof.reference.primitives import append_int32, read_int16, read_int32, read_window
from wireproof.reference.schema.plan import MessagePlans, Struct

T = TypeVar("T")

#: The largest frame that a broker accepts (the default of its socket.request.max.bytes).
MAX_FRAME = 100 * 1024 * 1024
SIZE_BYTES = 4

API_VERSIONS = 18
CONTROLLED_SHUTDOWN = 7


def request_header_version(api_key: int, version: int, flexible: bool) -> int:
    """0 for ControlledShutdown 0 alone, 2 for flexible versions, else 1."""
    if api_key == CONTROLLED_SHUTDOWN and version == 0:
        return 0
    return 2 if flexible else 1


def response_header_version(api_key: int, flexible: bool) -> int:
    """1 for flexible versions, except ApiVersions: a client must read its answer whatever version the broker has."""
    return 1 if flexible and api_key != API_VERSIONS else 0


def needed(buffer: bytes | bytearray | memoryview) -> int:
    """How many more bytes the first frame in `buffer` needs: the rest of the size's 4 bytes, then the rest of the
    frame; 0 when it is complete. Raises DecodeError for an impossible size."""
    if len(buffer) < SIZE_BYTES:
        return SIZE_BYTES - len(buffer)
    size: int = struct.unpack_from(">i", buffer)[0]
    if size < 0:
        raise DecodeError(Reason.NEGATIVE_LENGTH, f"frame size {size} is negative", 0)
    if size > MAX_FRAME:
        raise DecodeError(Reason.RESOURCE_LIMIT, f"frame size {size}; at most {MAX_FRAME} is accepted", 0)
    return max(0, SIZE_BYTES + size - len(buffer))


class Frames:
    """Divides the bytes of a connection into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def __len__(self) -> int:
        """How many bytes are in no frame that was removed."""
        return len(self._buffer)

    def add(self, chunk: bytes) -> None:
        self._buffer += chunk

    def next(self) -> bytes | None:
        """Removes the first frame, and returns its content; None while it is incomplete. Raises DecodeError for an
        impossible size."""
        if needed(self._buffer):
            return None
        end = SIZE_BYTES + int.from_bytes(self._buffer[:SIZE_BYTES])
        frame = bytes(self._buffer[SIZE_BYTES:end])
        del self._buffer[:end]
        return frame


def read_frame(reader: Reader, read: Callable[[Reader], T]) -> T:
    """Read a frame's content with `read`, which has to use all of it."""
    reader.path = "size"
    window = read_window(reader, read_int32, "frame size")
    value = read(window)
    window.path = ""
    if window.rules.trailing_bytes == "refused":
        window.demand_end(Reason.TRAILING_BYTES, "the frame's body")
    return value


def append_frame(writer: Writer, append: Callable[[Writer], None]) -> None:
    """A frame with the content that `append` writes."""
    inner = writer.inner()
    append(inner)
    append_int32(writer, len(inner.out))
    writer.out += inner.out


def request_plans(messages: MessagePlans, api_key: int, version: int) -> tuple[Struct, Struct]:
    """The plans of header and body for a request. Raises DecodeError(unknown-api or unsupported-version)."""
    name = messages.api_name(api_key)
    if name is None:
        raise DecodeError(Reason.UNKNOWN_API, f"there is no api with key {shown(api_key)}", None)
    body = messages.plan(f"{name}Request", version)
    header = messages.plan("RequestHeader", request_header_version(api_key, version, body.flexible))
    return header, body


@dataclass(frozen=True, slots=True)
class RequestFrame(Codec):
    """{"header": …, "body": …}: the header's key and version say how the body is read."""

    messages: MessagePlans

    def read(self, reader: Reader) -> Any:
        return read_frame(reader, self._inside)

    def _inside(self, reader: Reader) -> dict[str, Any]:
        if reader.remaining < 4:
            # Key and version come first in every header; it is too short for them.
            message.read(self.messages.plan("RequestHeader", 1), reader, "header")
        api_key, version = struct.unpack(">hh", reader.peek(4))
        try:
            header, body = request_plans(self.messages, api_key, version)
        except DecodeError as error:
            raise self._at_fault(reader, error) from None
        return {"header": message.read(header, reader, "header"), "body": message.read(body, reader, "body")}

    @staticmethod
    def _at_fault(reader: Reader, error: DecodeError) -> DecodeError:
        """The same error at the key or the version, whichever it is about; both are read for their spans."""
        for name in ("RequestApiKey", "RequestApiVersion"):
            start = reader.pos
            reader.path = f"header.{name}"
            read_int16(reader)
            if error.reason is Reason.UNKNOWN_API:
                break
        return reader.error(error.reason, error.detail, start)

    def append(self, writer: Writer, value: Any) -> None:
        header, body = self._plans(value)

        def inside(inner: Writer) -> None:
            message.append(header, inner, value["header"], "header")
            message.append(body, inner, value["body"], "body")

        append_frame(writer, inside)

    def complete(self, value: Any) -> Any:
        try:
            header, body = self._plans(value)
        except EncodeError:
            return value
        return {
            "header": message.complete(header, value["header"]),
            "body": message.complete(body, value["body"]),
        }

    def _plans(self, value: Any) -> tuple[Struct, Struct]:
        match value:
            case {"header": {"RequestApiKey": int(api_key), "RequestApiVersion": int(version)}, "body": _, **rest}:
                if not rest:
                    try:
                        return request_plans(self.messages, api_key, version)
                    except DecodeError as error:
                        raise EncodeError(error.reason, error.detail, "header") from None
        raise EncodeError(
            Reason.OUT_OF_RANGE, "a request frame is {header: {RequestApiKey, RequestApiVersion, …}, body}"
        )


@dataclass(frozen=True, slots=True)
class ResponseFrame(Codec):
    """{"header": …, "body": …} of one api's response at one version. The bytes do not say which api and version: the
    request does."""

    header: Struct
    body: Struct

    @classmethod
    def of(cls, messages: MessagePlans, api_key: int, name: str, version: int) -> ResponseFrame:
        body = messages.plan(f"{name}Response", version)
        header = messages.plan("ResponseHeader", response_header_version(api_key, body.flexible))
        return cls(header, body)

    def read(self, reader: Reader) -> Any:
        def inside(inner: Reader) -> dict[str, Any]:
            header = message.read(self.header, inner, "header")
            return {"header": header, "body": message.read(self.body, inner, "body")}

        return read_frame(reader, inside)

    def append(self, writer: Writer, value: Any) -> None:
        match value:
            case {"header": Mapping() as header, "body": Mapping() as body, **rest} if not rest:
                pass
            case _:
                raise EncodeError(Reason.OUT_OF_RANGE, "a response frame is {header: {…}, body: {…}}")

        def inside(inner: Writer) -> None:
            message.append(self.header, inner, header, "header")
            message.append(self.body, inner, body, "body")

        append_frame(writer, inside)

    def complete(self, value: Any) -> Any:
        match value:
            case {"header": header, "body": body, **rest} if not rest:
                return {
                    "header": message.complete(self.header, header),
                    "body": message.complete(self.body, body),
                }
        return value
