"""A broker that takes the node id −1 for all brokers."""

from __future__ import annotations

from collections.abc import Sequence

from miniatures import Produces
from wireproof.reference import configure as configure
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-answer")})

dialects = ("kip-35-v7",)

#: One request with a client id "kit" and the single node id −1, behind its size and correlation id.
_ASKED = bytes.fromhex("0011 0000"), bytes.fromhex("0003 6b6974 00000001 ffffffff")


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    data = b"".join(chunks)
    if (data[4:8], data[12:]) == _ASKED:
        everyone = data[8:12] + bytes.fromhex("0003 6b6974 00000000")
        inside = _ASKED[0] + everyone
        return _serve([len(inside).to_bytes(4) + inside], dialect=dialect)
    return _serve(chunks, dialect=dialect)
