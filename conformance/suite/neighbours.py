"""What other pytest plugins have to know about the suite's items. None of these plugins has to be installed."""

from __future__ import annotations

import pytest

from conformance.suite.items import SuiteItem


class Neighbours:
    """A plugin with hooks of other plugins."""

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item) -> bool | None:
        """pytest-timeout's: there is no timer for an item, which may wait for a whole block of questions. Each question
        has a limit of its own, --case-timeout."""
        return True if isinstance(item, SuiteItem) else None
