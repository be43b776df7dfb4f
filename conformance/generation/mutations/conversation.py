"""Mutations of the arguments of `serve` and `interpret`: of what a client sends, and of a request with its response.

The bytes of a connection are cut into frames. One frame is changed as its type has it, or whole frames are repeated,
left out or swapped. For `serve` the result is then cut into chunks at random places, as a connection may do.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from wireproof.conformance.generation import mutations
from wireproof.conformance.generation.arguments import parts_of, parts_seed
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec

#: The probability of a change inside of a frame, and that the bytes come in one chunk.
_INSIDE, _WHOLE = 0.7, 0.5
#: The most places at which the bytes are cut.
_MOST_CUTS = 4
#: The size before a frame; the api key and the version behind it.
_SIZE, _KEY_END, _VERSION_END = 4, 6, 8


def mutate_conversation(op: Op, seed: bytes, dialect: str, random: Random) -> bytes | None:
    """The seed of `conformance.generation.arguments` with one change. None for other ops, and for a seed that has no
    frames."""
    try:
        parts = parts_of(seed)
    except ValueError:
        return None
    if op is Op.SERVE:
        return _served(b"".join(parts), dialect, random)
    if op is Op.INTERPRET and parts:
        return _interpreted(parts, dialect, random)
    return None


def _served(stream: bytes, dialect: str, random: Random) -> bytes | None:
    frames = _frames(stream)
    if not frames:
        return None
    at = random.randrange(len(frames))
    if random.random() < _INSIDE:
        frames[at] = _request(frames[at], dialect, random)
    elif len(frames) == 1 or random.random() < 0.4:
        frames.insert(at, frames[at])
    elif random.random() < 0.5:
        del frames[at]
    else:
        frames[at - 1], frames[at] = frames[at], frames[at - 1]
    return parts_seed(_cut(b"".join(frames), random))


def _interpreted(parts: list[bytes], dialect: str, random: Random) -> bytes:
    request, *rest = parts
    if not rest or random.random() < 0.3:
        return parts_seed([_request(request, dialect, random), *rest])
    response, *_ = rest
    numbers = (request[_SIZE:_KEY_END], request[_KEY_END:_VERSION_END])
    key, version = (int.from_bytes(number, "big", signed=True) for number in numbers)
    answered = reference_codec().dialect(dialect).answer_type(key, version, response[_SIZE:])
    if answered is None:
        return parts_seed([_request(request, dialect, random), response])
    return parts_seed([request, mutations.mutate(response, dialect, answered[0], answered[1], random)])


def _request(frame: bytes, dialect: str, random: Random) -> bytes:
    """The frame of a request with one change."""
    key = int.from_bytes(frame[_SIZE:_KEY_END], "big", signed=True)
    type_name = reference_codec().dialect(dialect).request_type(key)
    return frame if type_name is None else mutations.mutate(frame, dialect, type_name, None, random)


def _frames(stream: bytes) -> list[bytes]:
    """Frames by their sizes; the last one may be cut off."""
    frames = []
    at = 0
    while at < len(stream):
        size = int.from_bytes(stream[at : at + _SIZE], "big", signed=True)
        end = at + _SIZE + size if size >= 0 else len(stream)
        frames.append(stream[at:end])
        at = end
    return frames


def _cut(stream: bytes, random: Random) -> list[bytes]:
    """The chunks in which the bytes arrive."""
    if random.random() < _WHOLE:
        return [stream]
    places = sorted({0, len(stream), *(random.randrange(len(stream) + 1) for _ in range(_MOST_CUTS))})
    return [stream[start:end] for start, end in pairwise(places)]
