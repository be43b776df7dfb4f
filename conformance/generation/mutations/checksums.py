"""Mutations of CRCs: correct a wrong one, or break a right one. And a quick way to correct that of a batch whose bytes
were changed without a look at its structure."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from crc32c import crc32c

from wireproof.conformance.generation.mutations.layout import Draft, Layout, Mutation, pick


def _mended(layout: Layout, _: Random, __: Layout | None) -> Draft | None:
    draft = Draft(layout)
    draft.data(mend=True)
    return draft if layout.checksums else None


def _broken(layout: Layout, random: Random, _: Layout | None) -> Draft | None:
    checksum = pick(random, layout.checksums)
    if checksum is None:
        return None
    draft = Draft(layout)
    raw = layout.raw(checksum.at)
    bit = random.choice(range(8 * len(raw)))
    draft.put(checksum.at, (int.from_bytes(raw, "big") ^ 1 << bit).to_bytes(len(raw), "big"))
    return draft


MUTATIONS: Mapping[str, Mutation] = {"crc-mend": _mended, "crc-break": _broken}

# Where a batch has its length, what follows that, its magic, its CRC and what that covers; the size of its header.
_LENGTH, _COUNTED, _MAGIC, _CRC, _COVERED, _HEADER = 8, 12, 16, 17, 21, 61


def is_batch(data: bytes) -> bool:
    """Whether bytes begin with the whole header of a record batch, whatever its length and its CRC are."""
    return len(data) >= _HEADER and data[_MAGIC] == 2


def sealed(data: bytes) -> bytes:
    """A record batch with the right CRC, and with another length where its own is impossible. What is no batch stays as
    it is."""
    if not is_batch(data):
        return data
    end = _COUNTED + int.from_bytes(data[_LENGTH:_COUNTED], "big", signed=True)
    length = data[_LENGTH:_COUNTED]
    if not _HEADER <= end <= len(data):
        end = len(data)
        length = (end - _COUNTED).to_bytes(4, "big")
    crc = crc32c(data[_COVERED:end]).to_bytes(4, "big")
    return data[:_LENGTH] + length + data[_COUNTED:_CRC] + crc + data[_COVERED:]
