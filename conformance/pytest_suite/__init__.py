"""The suite of `pytest --impl`: `pytest_wireproof` registers the options, then calls `install`.

starting    starts the implementations, before the modules below are imported
settings    the options
chosen      ids as arguments, and in -k
items       the items that pytest collects
styles      failures in the styles of --tb
ahead       asks questions before their items run
neighbours  hooks of other plugins
pages       chooses the failures that get a page
scopes      groups of items that one xdist worker gets
scheduling  how xdist distributes these groups
progress    the number of items that have run
recording   the report file, written during the run
stopping    signals that end a run
ending      the end of a run: its output, and problems that fail it
plugin      pytest's hooks
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def install(config: pytest.Config) -> None:
    """Make this pytest run the suite instead of its usual collection."""
    from wireproof.conformance.pytest_suite import starting

    started = starting.start(config)
    from wireproof.conformance.pytest_suite import plugin  # while the implementations get ready

    plugin.install(config, started)
