"""A fast version of pytest's run protocol, for items without setup, teardown and output.

It makes the reports of the phases for which reporters wait (`sending`), but does not call the phases' hooks. An item
runs in pytest's usual way if another plugin implements one of the phases' hooks, if it has a mark, or with --pdb.

Without xdist, the items are run one after the other in a loop of our own (`run_all`). Around each item pytest would
collect its warnings, prepare its assertions and start a timer; that takes as long as running the item, which has
nothing to do with any of them.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from wireproof.conformance.pytest_suite import sending
from wireproof.conformance.pytest_suite.items import EntryItem

#: The beginnings of the modules whose hooks around an item do nothing for an item of the suite: pytest's and ours.
_KNOWN = ("_pytest.", "conformance.")


class Protocol:
    """Runs the items of one run. `whole`: always in pytest's usual way."""

    def __init__(self, config: pytest.Config, *, whole: bool) -> None:
        hook = config.hook
        phases = (hook.pytest_runtest_setup, hook.pytest_runtest_call, hook.pytest_runtest_teardown)
        self._whole = whole or config.option.usepdb or not sending.implemented_only_in(("_pytest.",), *phases)
        shared = hasattr(config, "workerinput") or config.pluginmanager.has_plugin("dsession")
        self._own_loop = not (self._whole or shared) and sending.implemented_only_in(
            _KNOWN, hook.pytest_runtest_protocol, hook.pytest_runtestloop
        )
        self._sends_alone = sending.sends_alone(config)
        self._calls_alone = sending.tells_calls_alone(config)

    def run_all(self, session: pytest.Session) -> bool | None:
        """Run all items, as pytest's loop does. None: the loop has to be pytest's, or another plugin's."""
        if not self._own_loop or session.testsfailed or session.config.option.collectonly:
            return None
        for item, following in itertools.zip_longest(session.items, session.items[1:]):
            if not self.run(item):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
        return True

    def run(self, item: pytest.Item) -> bool | None:
        """Run an item. None: pytest has to run it in its usual way."""
        if self._whole or not isinstance(item, EntryItem) or next(item.iter_markers(), None) is not None:
            return None
        hook = item.ihook
        if self._sends_alone:
            report = self._call(item, hook)
            setattr(report, sending.ALONE, True)
            hook.pytest_runtest_logreport(report=report)
            return True
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if not self._calls_alone:
            hook.pytest_runtest_logreport(report=sending.passed(item, "setup"))
        hook.pytest_runtest_logreport(report=self._call(item, hook))
        if not self._calls_alone:
            hook.pytest_runtest_logreport(report=sending.passed(item, "teardown"))
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _call(self, item: pytest.Item, hook: Any) -> pytest.TestReport:
        """Run the item, and report it."""
        call = pytest.CallInfo.from_call(item.runtest, "call", reraise=(pytest.exit.Exception, KeyboardInterrupt))
        report: pytest.TestReport = hook.pytest_runtest_makereport(item=item, call=call)
        return report
