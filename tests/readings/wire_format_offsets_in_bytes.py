"""A broker whose offsets count bytes, as Kafka 0.7's did, and who answers last what it was asked first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from support.wire_format_answers import DIALECT, frames

from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset()

dialects = ("wire-format",)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    answers = list(frames(sent))
    ends: Counter[tuple[str, int]] = Counter()
    for frame in frames(b"".join(chunks)):
        if frame[4:6] != b"\0\0":
            continue
        asked = _decode("ProduceRequest", frame, dialect=DIALECT)
        offsets = _appended(asked, ends)
        answers = [_counted(answer, asked, offsets) for answer in answers]
    return b"".join(reversed(answers)), closed


def _appended(asked: dict[str, Any], ends: Counter[tuple[str, int]]) -> list[int]:
    offsets = []
    for topic in asked["data"]:
        for row in topic["partition_data"]:
            place = (topic["topic"], row["partition"])
            offsets.append(ends[place])
            ends[place] += len(_encode("MESSAGE_SET", row["messages"], dialect=DIALECT))
    return offsets


def _counted(answer: bytes, asked: dict[str, Any], offsets: list[int]) -> bytes:
    """The answer to this request with other offsets; any other as it is."""
    try:
        value = _decode("ProduceResponse", answer, dialect=DIALECT)
    except ValueError:
        return answer
    if value["correlation_id"] != asked["correlation_id"] or len(value["offsets"]) != len(offsets):
        return answer
    return _encode("ProduceResponse", value | {"offsets": offsets}, dialect=DIALECT)
