"""Checks the options of `pytest --impl`, and registers the plugins of the suite."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from wireproof.conformance import garbage
from wireproof.conformance.connection.process.start import Starting
from wireproof.conformance.pytest_suite.implementations import Implementations
from wireproof.conformance.pytest_suite.items import FOLDER, Collection
from wireproof.conformance.pytest_suite.options import Settings, usage_error
from wireproof.conformance.pytest_suite.output import Output
from wireproof.conformance.pytest_suite.results import Results
from wireproof.conformance.pytest_suite.selection import Chosen, keyword
from wireproof.conformance.pytest_suite.signals import Signals
from wireproof.reference import catalog
from wireproof.reference.errors import SchemaError

#: The names of pytest's plugin behind --lf and --ff and of one that it registers, and where it keeps what failed.
_LAST_FAILED, _ITS_PART, _FAILURES = "lfplugin", "lfplugin-collwrapper", "cache/lastfailed"
#: The name of pytest's plugin behind --sw, and where it keeps at which item it stopped.
_STEPWISE, _STOPPED = "stepwiseplugin", "cache/stepwise"


def install(config: pytest.Config, started: Mapping[str, Starting]) -> None:
    """Register the plugins of the suite. `started`: the implementations that have been started."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise pytest.UsageError(f"wireproof runs on Linux and macOS, not on {sys.platform}: it limits child processes")
    try:
        _ = catalog.current().index
    except SchemaError as error:
        raise usage_error(f"the catalogue: {error.detail}") from None
    settings = Settings.of(config)
    chosen = Chosen.of(config, settings)
    settings = chosen.narrowed(settings)
    config.add_cleanup(garbage.freeze)  # before pytest's own last collection of garbage
    _without_timer(config)
    if not settings.properties:
        # The plugin's hooks do nothing for these items, but the last one would import all of hypothesis.
        config.pluginmanager.unregister(name="hypothesispytest")
    config.args = [str(FOLDER)]
    config.option.keyword = keyword(config.option.keyword)
    _rename_failures(config, settings.implementations)
    for plugin in _plugins(config, settings, chosen, started):
        config.pluginmanager.register(plugin, f"wireproof-{type(plugin).__name__.lower()}")


def _plugins(
    config: pytest.Config, settings: Settings, chosen: Chosen, started: Mapping[str, Starting]
) -> Sequence[object]:
    """The plugins of this process: of an xdist worker, or of one that also reports."""
    implementations = Implementations(settings, started)
    collection = Collection(implementations, chosen)
    if hasattr(config, "workerinput"):
        from wireproof.conformance.pytest_suite.workers import Worker  # xdist may not be installed elsewhere

        return implementations, collection, Worker(implementations, collection)
    signals = Signals()
    config.add_cleanup(signals.end)
    results = Results(settings, implementations, signals)
    output = Output(settings, implementations, collection, results, signals)
    return implementations, collection, signals, results, output, Distribution(implementations, collection, results)


class Distribution:
    """A plugin: with xdist, the controller gets one more."""

    def __init__(self, implementations: Implementations, collection: Collection, results: Results) -> None:
        self._parts = implementations, collection, results

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config, specs: Sequence[Any]) -> None:  # noqa: ARG002 (xdist's)
        from wireproof.conformance.pytest_suite.workers import Controller

        config.pluginmanager.register(Controller(*self._parts), "wireproof-controller")


def _rename_failures(config: pytest.Config, specs: Sequence[str]) -> None:
    """What failed last time is asked again (--lf, --ff, --sw) under the name that the implementation has now: a copy of
    it, or its program at another path. Nothing is renamed if implementations of several names failed."""
    cache = getattr(config, "cache", None)
    if cache is None or len(specs) != 1:
        return
    plugin = config.pluginmanager.get_plugin(_LAST_FAILED)
    if plugin is not None and plugin.active:
        last = cache.get(_FAILURES, {})
        names = {one.partition("::")[0] for one in last}
        if len(names) == 1 and specs[0] not in names:
            cache.set(_FAILURES, {_named(specs[0], one): failed for one, failed in last.items()})
            _make_again(config, _LAST_FAILED, _ITS_PART)
    if config.pluginmanager.has_plugin(_STEPWISE) and (stopped := cache.get(_STOPPED, None)):
        if isinstance(stopped, str):  # before pytest 8.4
            cache.set(_STOPPED, _named(specs[0], stopped))
        elif stopped["last_failed"]:
            cache.set(_STOPPED, stopped | {"last_failed": _named(specs[0], stopped["last_failed"])})
        _make_again(config, _STEPWISE)


def _named(spec: str, item: str) -> str:
    """The id of an item under another implementation's name."""
    return f"{spec}::{item.partition('::')[2]}"


def _make_again(config: pytest.Config, name: str, *parts: str) -> None:
    """Make a plugin of pytest anew, without the parts that it registered: it reads the cache when it is made."""
    plugin: Any = config.pluginmanager.get_plugin(name)
    for one in (name, *parts):
        if config.pluginmanager.has_plugin(one):
            config.pluginmanager.unregister(name=one)
    config.pluginmanager.register(type(plugin)(config), name)


def _without_timer(config: pytest.Config) -> None:
    """Take pytest's own timer away, which `faulthandler_timeout` in a project's settings starts for each item: an item
    may wait for a whole block of questions. Stacks of crashes are still shown."""
    plugin = config.pluginmanager.unregister(name="faulthandler")
    if plugin is not None:
        config.add_cleanup(functools.partial(plugin.pytest_unconfigure, config))
