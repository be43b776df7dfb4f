"""The processes of xdist: each worker runs whole scopes of items, and tells the controller what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import msgspec
import pytest
from xdist.scheduler import LoadScopeScheduling

from wireproof.conformance.model import Verdict
from wireproof.conformance.pytest_suite.failures import Crash, Failure, SentFailure
from wireproof.conformance.pytest_suite.implementations import Implementations, scopes
from wireproof.conformance.pytest_suite.items import VERDICTS, Collection
from wireproof.conformance.pytest_suite.results import Results
from wireproof.conformance.questions.selection import NotAsked

#: The attribute of a report with a failure in brief, the members of `Crash`. The failure itself is sent as text.
_CRASH = "wireproof_crash"
#: The members of a worker's output: what was not asked, whether it left out items of the suite, how many of
#: them without a word to pytest, and how its implementations ended if they ended wrongly.
_NOT_ASKED = "wireproof_not_asked"
_DESELECTED = "wireproof_deselected"
_REMOVED = "wireproof_removed"
_ENDS = "wireproof_ends"
#: Implementation spec → the name of a counter → its counts.
_Counts = dict[str, dict[str, dict[str, int]]]


class Worker:
    """A plugin of a worker: what it sends is plain data."""

    def __init__(self, implementations: Implementations, collection: Collection) -> None:
        self._implementations = implementations
        self._collection = collection

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Any:
        report = yield
        if hasattr(report, VERDICTS):
            setattr(report, VERDICTS, msgspec.json.encode(getattr(report, VERDICTS)).decode())
        if isinstance(report.longrepr, Failure):
            setattr(report, _CRASH, astuple(report.longrepr.reprcrash))
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        counts = {spec: one.not_asked for spec, one in self._implementations.by_spec.items()}
        output = session.config.workeroutput  # type: ignore[attr-defined]
        output[_NOT_ASKED] = msgspec.json.encode(counts).decode()
        output[_DESELECTED] = self._collection.deselected
        output[_REMOVED] = self._collection.removed
        ends = {spec: one.ends for spec, one in self._implementations.by_spec.items()}
        output[_ENDS] = msgspec.json.encode(ends).decode()


class Controller:
    """A plugin of the controller: takes what workers send, and distributes the items."""

    def __init__(self, implementations: Implementations, collection: Collection, results: Results) -> None:
        self._implementations = implementations
        self._collection = collection
        self._results = results

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        sent = getattr(report, VERDICTS, None)
        if isinstance(sent, str):
            setattr(report, VERDICTS, msgspec.json.decode(sent, type=list[Verdict]))
        if isinstance(report.longrepr, str) and hasattr(report, _CRASH):
            report.longrepr = SentFailure(report.longrepr, Crash(*getattr(report, _CRASH)))

    @pytest.hookimpl
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self._results.progress.plan(ids)

    @pytest.hookimpl
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker has ended."""
        output = getattr(node, "workeroutput", {})
        for spec, counts in msgspec.json.decode(output.get(_NOT_ASKED, "{}"), type=_Counts).items():
            self._implementations.by_spec[spec].not_asked = NotAsked(**{name: Counter(counts[name]) for name in counts})
        self._collection.deselected = self._collection.deselected or output.get(_DESELECTED, False)
        self._collection.removed = max(self._collection.removed, output.get(_REMOVED, 0))
        for spec, ends in msgspec.json.decode(output.get(_ENDS, "{}"), type=dict[str, list[Verdict]]).items():
            self._implementations.by_spec[spec].ends += ends

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Our scopes, unless --dist asks for another scheduling."""
        options = config.known_args_namespace
        return None if options.dist != "no" or options.distload else ScopeScheduling(config, log)


class ScopeScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """xdist's scheduling by scopes, with ours: each runs on one worker, so that no question is asked twice.

    Marks and `--dist=loadgroup` would do the same without `_split_scope`, but change the ids in reports.
    """

    def schedule(self) -> None:
        if self.collection is None:
            ids = next(iter(self.registered_collections.values()))
            self._scopes = {one: str(number) for one, number in zip(ids, scopes(ids), strict=True)}
        super().schedule()

    def _split_scope(self, nodeid: str) -> str:
        return self._scopes[nodeid]
