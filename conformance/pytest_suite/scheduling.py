"""Distributes scopes among xdist's workers. Each scope runs on one worker, so that no question is asked twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdist.scheduler import LoadScopeScheduling

from wireproof.conformance.pytest_suite.scopes import scopes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdist.workermanage import WorkerController


class ScopeScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """xdist's scheduling, with our scopes. It forgets items that are done: counting them each time would take longer
    than running them."""

    _scopes: Mapping[str, str]
    _places: Mapping[str, int]

    def schedule(self) -> None:
        if self.collection is None:
            ids = next(iter(self.registered_collections.values()))
            self._scopes = {one: str(number) for one, number in zip(ids, scopes(ids), strict=True)}
            self._places = {one: place for place, one in enumerate(ids)}
        super().schedule()

    def mark_test_complete(
        self,
        node: WorkerController,
        item_index: int,
        duration: float = 0,  # noqa: ARG002 (xdist's signature)
    ) -> None:
        assert self.collection is not None
        identifier = self.collection[item_index]
        units = self.assigned_work[node]
        scope = self._split_scope(identifier)
        del units[scope][identifier]
        if not units[scope]:
            del units[scope]
        self._reschedule(node)

    def _split_scope(self, nodeid: str) -> str:
        return self._scopes[nodeid]

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        return sum(map(len, workload.values()))

    def _assign_work_unit(self, node: WorkerController) -> None:
        scope, unit = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = unit
        node.send_runtest_some([self._places[one] for one in unit])
