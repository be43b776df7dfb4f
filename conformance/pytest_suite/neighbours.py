"""What the suite's items need from other plugins, which need not be there: no timers. An item may wait for a whole
block of questions, and each question has its own limit, --case-timeout."""

from __future__ import annotations

import functools

import pytest

from wireproof.conformance.pytest_suite.items import SuiteItem


class Neighbours:
    """A plugin with hooks of other plugins."""

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item) -> bool | None:
        """A hook of pytest-timeout: the suite's items get no timer."""
        return True if isinstance(item, SuiteItem) else None


def without_timer(config: pytest.Config) -> None:
    """Take pytest's own timer away, which `faulthandler_timeout` in a project's settings starts for each item. Stacks
    of crashes are still shown."""
    plugin = config.pluginmanager.unregister(name="faulthandler")
    if plugin is not None:
        config.add_cleanup(functools.partial(plugin.pytest_unconfigure, config))
