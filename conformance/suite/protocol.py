"""A fast version of pytest's run protocol, for items without setup, teardown and output.

It makes the reports of all three phases, because reporters wait for them, but does not call the phases' hooks. An item
runs in pytest's usual way if another plugin implements one of these hooks, if it has a mark, or with --pdb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from typing import Literal


class Protocol:
    """Runs the items of one run. `whole`: always in pytest's usual way."""

    def __init__(self, config: pytest.Config, *, whole: bool) -> None:
        hook = config.hook
        hooks = (hook.pytest_runtest_setup, hook.pytest_runtest_call, hook.pytest_runtest_teardown)
        implemented = [implementation for one in hooks for implementation in one.get_hookimpls()]
        self._whole = (
            whole
            or config.option.usepdb
            or not all(implementation.function.__module__.startswith("_pytest.") for implementation in implemented)
        )

    def run(self, item: pytest.Item) -> bool | None:
        """Run an item. None: pytest has to run it in its usual way."""
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
