"""A fast version of pytest's run protocol, for items without setup, teardown and output.

It makes the reports of all three phases, because reporters wait for them, but does not call the phases' hooks. An
xdist worker leaves those that say nothing to its controller (`sending`). An item runs in pytest's usual way if another
plugin implements one of the phases' hooks, if it has a mark, or with --pdb.
"""

from __future__ import annotations

import pytest

from conformance.suite import sending


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
        self._alone = sending.sends_alone(config)

    def run(self, item: pytest.Item) -> bool | None:
        """Run an item. None: pytest has to run it in its usual way."""
        if self._whole or next(item.iter_markers(), None) is not None:
            return None
        hook = item.ihook
        if self._alone:
            report = self._call(item)
            setattr(report, sending.ALONE, True)
            hook.pytest_runtest_logreport(report=report)
            return True
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        hook.pytest_runtest_logreport(report=sending.passed(item, "setup"))
        hook.pytest_runtest_logreport(report=self._call(item))
        hook.pytest_runtest_logreport(report=sending.passed(item, "teardown"))
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _call(self, item: pytest.Item) -> pytest.TestReport:
        """Run the item, and report it."""
        call = pytest.CallInfo.from_call(item.runtest, "call", reraise=(pytest.exit.Exception, KeyboardInterrupt))
        report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
        return report
