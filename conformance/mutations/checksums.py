"""Mutations of CRCs: correct a wrong one, or break a right one."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from conformance.mutations.layout import Draft, Layout
from conformance.mutations.mutation import Mutation, pick


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
