"""What is left of a record's, batch's or message's bytes without what follows from the rest: sizes, CRCs, compression.

A negative vector mends these around its fault, so without them it differs from its twin in its fault alone.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator

from wireproof import reference
from wireproof.reference import Explanation, Span

#: The types that have such fields, by their dialects.
TYPES = {*itertools.product(["kafka"], ["Record", "RecordBatch", "RecordSet", "MessageSet"])}
TYPES |= {("wire-format", "MESSAGE_SET")}
#: The type of what is inside compressed content.
_INSIDE = {"RecordBatch": "Record", "RecordSet": "MessageSet", "MessageSet": "MessageSet", "MESSAGE_SET": "MESSAGE_SET"}
_GZIP = b"\x1f\x8b\x08"
#: Fields that follow from others, from the outermost on: what is mended may be these alone, or more of them.
_MENDED = ({"crc"}, {"crc", "batchLength", "size"}, {"crc", "batchLength", "size", "length"})
#: Where a batch's CRC stands, which is not read when the batch is too short.
_BATCH_CRC = Span("crc", 17, 21, "crc", None)

Pair = tuple[bytes, bytes]


def pairs(dialect: str, type_name: str, version: int | None, negative: bytes, twin: bytes) -> Iterator[Pair]:
    """The two without fields that follow from others, but for one at which the negative is refused (of a length that is
    not filled, it is what the length counts that may be at fault); then with gzip content as what it holds."""
    broken = reference.explain(type_name, negative, dialect=dialect, version=version)
    whole = reference.explain(type_name, twin, dialect=dialect, version=version)
    fault = broken.error.offset if broken.error is not None else None
    unfilled = broken.error is not None and broken.error.reason is reference.Reason.LENGTH_MISMATCH
    for names, spared in itertools.product(_MENDED, (fault, None) if unfilled else (fault,)):
        mended = _mended(type_name, broken, names, fault)
        same = _mended(type_name, whole, names, fault)[: len(mended)]
        gone, gone_too = ([span for span in spans if span.start != spared] for spans in (mended, same))
        yield _cut(negative, gone), _cut(twin, gone_too)
        if fault is not None and negative[fault:].startswith(_GZIP) and twin[fault:].startswith(_GZIP):
            heads = _cut(negative[:fault], gone), _cut(twin[:fault], gone_too)
            inner = _inflated(negative[fault:]), _inflated(twin[fault:])
            for left, right in (inner, *pairs(dialect, _INSIDE[type_name], version, *inner)):
                yield heads[0] + left, heads[1] + right


def _mended(type_name: str, found: Explanation, names: set[str], content: int | None) -> list[Span]:
    """The fields of these names; a length right before compressed content, too."""
    spans = [
        span
        for span in found.spans
        if span.path.rpartition(".")[2] in names or (span.what == "length" and span.end == content)
    ]
    if type_name == "RecordBatch" and all(span.start != _BATCH_CRC.start for span in spans):
        spans.append(_BATCH_CRC)
    return sorted(spans, key=lambda span: span.start)


def _cut(data: bytes, spans: list[Span]) -> bytes:
    out, at = bytearray(), 0
    for span in spans:
        out += data[at : span.start]
        at = max(at, span.end)
    return bytes(out + data[at:])


def _inflated(content: bytes) -> bytes:
    try:
        return zlib.decompress(content, wbits=31)
    except zlib.error:
        return content
