"""Hooks of other pytest plugins, for the suite's items. None of these plugins has to be installed."""

from __future__ import annotations

import pytest

from conformance.suite.items import SuiteItem


class Neighbours:
    """A plugin with hooks of other plugins."""

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item) -> bool | None:
        """A hook of pytest-timeout: the suite's items get no timer, because an item may wait for a whole block of
        questions. Each question has its own limit, --case-timeout."""
        return True if isinstance(item, SuiteItem) else None
