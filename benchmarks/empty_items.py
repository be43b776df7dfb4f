"""A pytest plugin that collects `EMPTY_ITEMS` items that do nothing, to measure the minimum cost of pytest.

They have the same tree as the suite: a file, a collector, and items with names of similar length.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


class EmptyItem(pytest.Item):
    """An item that passes."""

    def runtest(self) -> None:
        """Nothing."""

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, None, self.nodeid


class EmptyItems(pytest.Collector):
    """All of them."""

    def collect(self) -> Iterator[pytest.Item]:
        for number in range(int(os.environ["EMPTY_ITEMS"])):
            name = f"kafka/messages/MetadataResponse/12/{number:05}"
            item: pytest.Item = EmptyItem.from_parent(self, name=name, nodeid=f"{self.nodeid}::{name}")
            yield item


class EmptyRoot(pytest.File):
    """Where they hang in pytest's tree."""

    def collect(self) -> Iterator[EmptyItems]:
        yield EmptyItems.from_parent(self, name="empty", nodeid="empty")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> EmptyRoot | None:
    """Any file that is named on the command line."""
    root: EmptyRoot = EmptyRoot.from_parent(parent, path=file_path, nodeid="empty")
    return root
