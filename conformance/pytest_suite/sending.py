"""What is told about an item: the report of its call alone, if nobody needs those of its setup and its teardown.

They say nothing, and take as long as running most items. Of pytest's own reporters only two need them: --junitxml, and
--durations. They are made if another plugin listens to reports.

xdist's workers also leave out the notices of an item's start and end: sending takes longer still. The controller makes
again what its reporters need, in pytest's order, so they notice no difference. A worker sends everything if another
plugin in it listens to reports or notices.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from typing import Literal

#: The attribute of a report that was sent alone.
ALONE = "wireproof_alone"
#: The beginnings of the modules whose hooks need nothing but the report of the call: pytest's, xdist's (which runs its
#: module of the workers under a name of its own), and ours.
_KNOWN = ("_pytest.", "xdist.", "__channelexec__", "conformance.")


def sends_alone(config: pytest.Config) -> bool:
    """Whether this process is an xdist worker that sends nothing but the report of each item's call."""
    hook = config.hook
    return hasattr(config, "workerinput") and implemented_only_in(
        _KNOWN, hook.pytest_runtest_logstart, hook.pytest_runtest_logreport, hook.pytest_runtest_logfinish
    )


def tells_calls_alone(config: pytest.Config) -> bool:
    """Whether no reporter in this process needs the reports of setup and teardown."""
    report = config.hook.pytest_runtest_logreport
    if config.option.durations is not None or not implemented_only_in(_KNOWN, report):
        return False
    return not any(one.function.__module__ == "_pytest.junitxml" for one in report.get_hookimpls())


def implemented_only_in(modules: tuple[str, ...], *hooks: Any) -> bool:
    """Whether only modules with these beginnings of their names implement any of the hooks."""
    implemented = [implementation for one in hooks for implementation in one.get_hookimpls()]
    return all(implementation.function.__module__.startswith(modules) for implementation in implemented)


def passed(item: pytest.Item | pytest.TestReport, when: Literal["setup", "teardown"]) -> pytest.TestReport:
    """The report of a phase in which nothing happened."""
    return pytest.TestReport(item.nodeid, item.location, {}, "passed", None, when)


def _passed_there(report: pytest.TestReport, when: Literal["setup", "teardown"]) -> pytest.TestReport:
    """The report of a phase of the same item, in the same worker, in which nothing happened."""
    made = passed(report, when)
    for name in ("node", "item_index", "worker_id", "testrun_uid"):
        if hasattr(report, name):
            setattr(made, name, getattr(report, name))
    return made


class Received:
    """The plugin of xdist's controller that completes what was sent alone."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @functools.cached_property
    def _calls_alone(self) -> bool:
        """Looked for at the first report: all reporters are there by then."""
        return tells_calls_alone(self._config)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> object:
        """Before the report of a call come the start and the setup, after it the teardown and the end."""
        if not getattr(report, ALONE, False):
            return (yield)
        hook = self._config.hook
        hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
        if not self._calls_alone:
            hook.pytest_runtest_logreport(report=_passed_there(report, "setup"))
        result = yield
        if not self._calls_alone:
            hook.pytest_runtest_logreport(report=_passed_there(report, "teardown"))
        hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
        return result
