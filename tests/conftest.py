"""What all tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same width for every output, whatever terminal the tests run in."""
    monkeypatch.setenv("COLUMNS", "100")
