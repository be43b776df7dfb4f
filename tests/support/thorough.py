"""What CI asks in part, for the time that it takes: `WIREPROOF_THOROUGH=1`, or `tox -e thorough`, asks all of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def some(every: Sequence[T], one_in: int, begin: int = 0) -> Sequence[T]:
    """Each `one_in`-th, from the one numbered `begin` on; all of them where the tests are to be thorough."""
    return every if os.environ.get("WIREPROOF_THOROUGH") == "1" else every[begin % one_in :: one_in]
