"""pytest's protocol for an item that has nothing to set up or tear down, and prints and logs nothing while it runs.

The reports of all three phases are made, as reporters wait for them; the phases' hooks are not called. Where somebody
else has put something into these hooks, or marked an item, or a debugger is wanted, the item takes pytest's usual way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from typing import Literal


class Protocol:
    """How the items of one run are run. `whole`: with all phases, whatever the item."""

    def __init__(self, config: pytest.Config, *, whole: bool) -> None:
        hook = config.hook
        hooks = (hook.pytest_runtest_setup, hook.pytest_runtest_call, hook.pytest_runtest_teardown)
        implemented = [found for one in hooks for found in one.get_hookimpls()]
        self._whole = (
            whole
            or config.option.usepdb
            or not all(found.function.__module__.startswith("_pytest.") for found in implemented)
        )

    def run(self, item: pytest.Item) -> bool | None:
        """Run an item. None: it has to take the usual way."""
        if self._whole or next(item.iter_markers(), None) is not None:
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        hook.pytest_runtest_logreport(report=_passed(item, "setup"))
        call = pytest.CallInfo.from_call(item.runtest, "call", reraise=(pytest.exit.Exception, KeyboardInterrupt))
        hook.pytest_runtest_logreport(report=hook.pytest_runtest_makereport(item=item, call=call))
        hook.pytest_runtest_logreport(report=_passed(item, "teardown"))
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


def _passed(item: pytest.Item, when: Literal["setup", "teardown"]) -> pytest.TestReport:
    return pytest.TestReport(item.nodeid, item.location, {}, "passed", None, when)
