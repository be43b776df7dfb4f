"""The frames in captured bytes: the beginning and the type of each, and how the type is known. Pure.

A request frame names its type: its header begins with the api key and version. A response frame only has the
correlation id of its request, so responses are read together with their requests.
"""

from __future__ import annotations

import dataclasses
import functools
import struct
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from wireproof.conformance.judging.rulings import deciding_rulings
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.errors import WireproofError
from wireproof.reference import DecodeError, Explanation, Reason
from wireproof.reference.peers.framing import MAX_FRAME, SIZE_BYTES

#: The maximum number of frames: nobody reads a longer page.
MOST_FRAMES = 5_000


class NotToldError(WireproofError):
    """Bytes of unknown type. The text says what was tried, and what to do."""


@dataclass(frozen=True, slots=True)
class CapturedFrame:
    """A frame: the bytes from `start` up to `end` of the capture.

    `type`, `version`: the type used to read it ("RequestFrame", None; "ResponseFrame:Metadata", 12); None, None if the
    type is unknown. `why`: how the type is known. `sized`: whether its size comes before it. `explanation`: with
    offsets in the capture. `rulings`: the ids of the rulings that a refusal rests on.
    """

    start: int
    end: int
    type: str | None
    version: int | None
    why: str
    sized: bool
    explanation: Explanation
    rulings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes with the size before them. `bare`: there is no size before them. `size` is None then, and also if fewer
    than four bytes are left for it."""

    start: int
    end: int
    size: int | None
    bare: bool = False

    @property
    def header(self) -> int:
        """The offset of the header."""
        return self.start if self.bare else self.start + SIZE_BYTES

    @property
    def whole(self) -> bool:
        return self.size == self.end - self.start - SIZE_BYTES

    @property
    def cut(self) -> bool:
        """Whether the size is possible, but larger than the rest of the data."""
        return self.size is not None and self.end - self.start - SIZE_BYTES < self.size <= MAX_FRAME

    def __str__(self) -> str:
        if self.bare:
            return "no size stands before it"
        if self.size is None:
            return f"of its size {self.end - self.start} bytes are there"
        if self.whole:
            return f"size {self.size} fits"
        if self.size == 0:
            return "size 0 does not count the correlation id behind it"
        if self.cut:
            return f"size {self.size}, of which {self.end - self.start - SIZE_BYTES} bytes are there"
        return f"size {self.size} is no frame's"


@dataclass(frozen=True, slots=True)
class _Request:
    """The first fields of a request. `name` and `versions`: None for an unknown api key. `correlation_id`: None if the
    bytes end before it."""

    api_key: int
    version: int
    correlation_id: int | None
    name: str | None
    versions: tuple[int, int] | None

    @property
    def known(self) -> bool:
        """Whether this api and version exist."""
        return self.versions is not None and self.versions[0] <= self.version <= self.versions[1]

    def __str__(self) -> str:
        if self.versions is None:
            return f"api key {self.api_key} is no api of this catalogue"
        said = f"api key {self.api_key} is {self.name}"
        if self.known:
            return f"{said}, version {self.version}"
        low, high = self.versions
        there = f"version {low}" if low == high else f"versions {low} to {high}"
        return f"{said}, which has {there}, not {self.version}"


@dataclass(frozen=True)
class Capture:
    """The bytes of one side of a connection, from the beginning of a frame on."""

    data: bytes
    dialect: str

    def requests(self) -> list[CapturedFrame]:
        """The request frames in order, or a single request without a size before it. Raises NotToldError."""
        return [self._request_frame(piece) for piece in self._request_pieces]

    def responses(self, requests: Capture) -> list[CapturedFrame]:
        """The response frames, each read as the answer to the request in `requests` with the same correlation id. A
        single response and a single request belong together even with different ids. Raises NotToldError."""
        if not self.data:
            raise NotToldError("there are no bytes, and so no frame")
        heads = (requests._request_at(piece.header) for piece in requests._pieces_of_requests())
        asked = {number: request for number, request in enumerate(heads, 1) if request is not None}
        ids = {request.correlation_id for request in asked.values() if request.correlation_id is not None}
        pieces = self._pieces if all(piece.whole for piece in self._pieces) else self._divided(ids)
        if self._int32(0) in ids and self._int32(SIZE_BYTES) not in ids and not all(piece.whole for piece in pieces):
            pieces = [self._bare]
        only = next(iter(asked), None) if len(asked) == len(pieces) == 1 else None
        frames = []
        for piece in pieces:
            correlation_id = self._int32(piece.header) if piece.end >= piece.header + 4 else None
            matching = (number for number, request in asked.items() if request.correlation_id == correlation_id)
            number = only if correlation_id is None else next(matching, only)
            request = None if number is None else asked.pop(number)  # its id may come again in a later request
            why = f"{piece}; {_whose(correlation_id, number, request)}"
            frames.append(self._untold(piece, why) if request is None else self._answer(piece, request, why))
        return frames

    # --- Where frames begin -------------------------------------------------------------------------------------------

    @functools.cached_property
    def _pieces(self) -> list[_Piece]:
        """The data, divided by its sizes. After a wrong size, all the rest is one piece."""
        return self._divided(frozenset())

    def _divided(self, ids: AbstractSet[int]) -> list[_Piece]:
        """As above, but also where one of these correlation ids follows a size of 0 and belongs to it."""
        frames = []
        start = 0
        while start < len(self.data):
            size = self._int32(start)
            possible = size is not None and 0 <= size <= len(self.data) - start - SIZE_BYTES
            end = start + SIZE_BYTES + size if size is not None and possible else len(self.data)
            if size == 0 and self._int32(end) in ids:
                end += 4
            frames.append(_Piece(start, end, size))
            if len(frames) > MOST_FRAMES:
                raise NotToldError(f"there are more than {MOST_FRAMES} frames in it: give a part of them at a time")
            start = end
        return frames

    @functools.cached_property
    def _request_pieces(self) -> list[_Piece]:
        """The requests. With sizes, if the sizes fit and a known api follows; else without sizes, if all bytes can be
        read in this way; else in the more likely way. Raises NotToldError."""
        sized, bare = self._request_at(SIZE_BYTES), self._request_at(0)
        if not self.data or bare is None:
            raise NotToldError(f"{len(self.data)} bytes: a request needs 4 for its api key and version")
        fit = all(piece.whole for piece in self._pieces)
        if sized is not None and sized.known and fit:
            return self._pieces
        if bare.known and self._request_frame(self._bare).explanation.error is None:
            return [self._bare]
        # Api key 0 with a version that Produce does not have is more likely a response's correlation id.
        if sized is not None and (sized.known or (fit and sized.versions is not None and sized.api_key)):
            return self._pieces
        if bare.known and bare.api_key and not fit:  # the size of most frames begins with two bytes 0
            return [self._bare]
        raise NotToldError(self._tried(sized, bare))

    def _pieces_of_requests(self) -> list[_Piece]:
        """As `_request_pieces`, if these are surely requests: sizes that fit are then enough, before any api key.
        Raises NotToldError."""
        try:
            return self._request_pieces
        except NotToldError:
            first = self._request_at(SIZE_BYTES)
            if first is None or first.versions is not None or not all(piece.whole for piece in self._pieces):
                raise
            return self._pieces

    def _tried(self, sized: _Request | None, bare: _Request) -> str:
        with_size = "too short" if sized is None else f"{self._pieces[0]}, {sized}"
        return (
            "These bytes do not say what they are.\n"
            f"  read as a request frame: {with_size}\n"
            f"  read as a request without its size: {bare}\n"
            f"{_advice(self.dialect)}"
        )

    @property
    def _bare(self) -> _Piece:
        """All the data, as one frame without its size."""
        return _Piece(0, len(self.data), None, bare=True)

    def _int32(self, at: int) -> int | None:
        return int.from_bytes(self.data[at : at + 4], "big", signed=True) if at + 4 <= len(self.data) else None

    def _request_at(self, at: int) -> _Request | None:
        """The request whose header begins at this byte. None if the data ends before the end of its version."""
        if at + 4 > len(self.data):
            return None
        api_key, version = struct.unpack_from(">hh", self.data, at)
        dialect = reference_codec().dialect(self.dialect)
        name, versions = dialect.apis().get(api_key), dialect.api_versions(api_key)
        return _Request(api_key, version, self._int32(at + 4), name, versions)

    # --- The types of frames ------------------------------------------------------------------------------------------

    def _request_frame(self, piece: _Piece) -> CapturedFrame:
        request = self._request_at(piece.header)
        why = f"{piece}, {request}" if request else str(piece)
        type_name = reference_codec().dialect(self.dialect).request_type(request.api_key if request else 0)
        if type_name is None:
            return self._untold(piece, why)
        frame = self._explained(piece, type_name, None, why)
        if request is not None and request.api_key == 0 and frame.explanation.error is not None:
            why = f"{frame.why}; a response with correlation id {request.version} looks alike: see --request"
            return dataclasses.replace(frame, why=why)
        return frame

    def _answer(self, piece: _Piece, request: _Request, why: str) -> CapturedFrame:
        inside = self.data[piece.header : piece.end]
        if piece.cut and piece.size is not None:  # the frame goes on after the end of the capture
            inside = inside.ljust(min(piece.size, 5), b"\0")
        answer_type = reference_codec().dialect(self.dialect).answer_type(request.api_key, request.version, inside)
        if answer_type is None:
            return self._untold(piece, why)
        type_name, version, reason = answer_type
        return self._explained(piece, type_name, version, f"{why}; {reason}" if reason else why)

    def _untold(self, piece: _Piece, why: str) -> CapturedFrame:
        return CapturedFrame(piece.start, piece.end, None, None, why, not piece.bare, Explanation((), None, None), ())

    def _explained(self, piece: _Piece, type_name: str, version: int | None, why: str) -> CapturedFrame:
        raw = self.data[piece.start : piece.end]
        shift = piece.start
        if piece.bare:
            raw = struct.pack(">i", len(raw)) + raw
            shift -= SIZE_BYTES
        elif piece.cut:  # what is there can be read nevertheless
            raw = struct.pack(">i", len(raw) - SIZE_BYTES) + raw[SIZE_BYTES:]
        explanation = reference_codec().explain(type_name, raw, dialect=self.dialect, version=version)
        rulings: tuple[str, ...] = ()
        if explanation.error is not None and not piece.cut:
            rulings = deciding_rulings(type_name, raw, self.dialect, version, explanation.error, explanation.spans)
        if piece.cut:
            explanation = _as_cut(explanation, piece)
        explanation = _shifted(explanation, shift)
        return CapturedFrame(piece.start, piece.end, type_name, version, why, not piece.bare, explanation, rulings)


def _advice(dialect: str) -> str:
    """Advice for bytes whose type is unknown, with types of the dialect as examples."""
    described = reference_codec().dialect(dialect)
    spans = ((key, name, described.api_versions(key)) for key, name in sorted(described.apis().items()))
    for key, name, span in spans:
        answer = None if span is None else described.answer_type(key, span[1], bytes(2 * SIZE_BYTES))
        if answer is None:
            continue
        type_name, version, _ = answer
        of_version = "" if version is None else f" --version {version}"
        advice = (
            "A response frame does not name its api: give the request that it answers with --request, or say its "
            f"TYPE, such as {type_name}{of_version}."
        )
        if f"{name}Response" == type_name:
            return advice
        return f"{advice} A message without its header needs a TYPE too, such as {name}Response{of_version}."
    return "Say their TYPE."


def _whose(correlation_id: int | None, number: int | None, request: _Request | None) -> str:
    """The request to which a response belongs, and why."""
    if request is None:
        if correlation_id is None:
            return "there is no correlation id in it"
        return f"no request has its correlation id, {correlation_id}"
    if correlation_id is None:
        return f"there is no correlation id in it, and one request, {number}: {request}"
    same = "that" if request.correlation_id == correlation_id else f"not {request.correlation_id}, that"
    return f"its correlation id, {correlation_id}, is {same} of request {number}: {request}"


def _as_cut(explanation: Explanation, piece: _Piece) -> Explanation:
    """The explanation of a frame that goes on after the end of the capture, with its real size."""
    if not explanation.spans:  # an unknown version: no byte was read
        return explanation
    size, *rest = explanation.spans
    left = piece.end - piece.start - SIZE_BYTES
    error = DecodeError(Reason.TRUNCATED, f"frame size {piece.size}, but {left} bytes are left", 0, "size")
    return Explanation((dataclasses.replace(size, value=piece.size), *rest), None, error)


def _shifted(explanation: Explanation, by: int) -> Explanation:
    """The explanation with offsets increased by `by`. A size before the beginning is left out."""
    spans = tuple(
        dataclasses.replace(span, start=span.start + by, end=span.end + by)
        for span in explanation.spans
        if span.start + by >= 0
    )
    error = explanation.error
    if error is not None and error.offset is not None:
        error = DecodeError(error.reason, error.detail, error.offset + by, error.path)
    return Explanation(spans, explanation.value, error)
