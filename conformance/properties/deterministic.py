"""Examples by hypothesis that depend on nothing but the strategy, their number and the seed.

hypothesis' own source of random values sometimes takes a constant instead, and it collects these constants from the
modules that the process has loaded. With another test or driver in the same process the examples would be others. Here
no constants are taken; border values come from our strategies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import SearchStrategy

_SEED = 1
_BACKEND = "wireproof"


class WithoutConstants(HypothesisProvider):
    """hypothesis' own random values, without constants from loaded modules."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.{WithoutConstants.__qualname__}"


def each(strategy: SearchStrategy[Any], count: int, take: Callable[[Any], None]) -> None:
    """Give `count` examples to `take`, always the same ones. If it raises, give smaller ones while it raises, and let
    the last exception out."""

    @with_seed(_SEED)
    @settings(
        backend=_BACKEND,
        max_examples=count,
        derandomize=False,  # hypothesis would set it where CI is, and then choose by the source of the function
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(strategy)
    def given_each(drawn: Any) -> None:
        take(drawn)

    given_each()
