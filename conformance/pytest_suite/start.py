"""Starts the implementations before the suite's own modules are imported: both take about as long."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from wireproof.conformance.connection.base import Options
from wireproof.conformance.connection.process.start import Starting

if TYPE_CHECKING:
    import pytest


def start(config: pytest.Config) -> Mapping[str, Starting]:
    """Start the implementations, by their specs. The end of pytest stops those to which nobody has connected.

    Errors are left to `plugin`, which checks all options in their order: what cannot be started here is started again.
    """
    started: dict[str, Starting] = {}
    if config.option.help or config.option.version:
        return started
    with contextlib.suppress(ValueError):  # of the options; ImplementationError is one, too
        options = connection_options(config)
        for spec in dict.fromkeys(config.option.impl):
            started[spec] = Starting(spec, options)
            config.add_cleanup(started[spec].close)
    return started


def connection_options(config: pytest.Config) -> Options:
    """The options of the connections. Raises ValueError."""
    option = config.getoption
    timeout, transcript = option("--case-timeout"), option("--transcript")
    dialects = option("--dialect") or [Options.dialect]
    return Options(
        timeout=Options.timeout if timeout is None else float(timeout),
        memory=option("--memory"),
        in_process=option("--in-process"),
        transcript=None if transcript is None else Path(transcript).absolute(),
        dialect=Options.dialect if Options.dialect in dialects else dialects[0],
        silence=Options.silence if option("--silence") is None else float(option("--silence")),
        allow_remote=option("--allow-remote"),
        allow_writes=option("--allow-writes"),
        load=option("--load"),
        tls_ca=None if option("--tls-ca") is None else Path(option("--tls-ca")).absolute(),
        sasl=option("--sasl"),
        prints=option("--prints"),
    )
