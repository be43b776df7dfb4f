"""Tools that a part of the tests needs: where one is missing the test is skipped, and fails under CI."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skip for this reason; under CI fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def skip_without(*tools: str) -> None:
    """Skip where one of these programs is not on PATH."""
    for tool in tools:
        if shutil.which(tool) is None:
            missing(f"there is no {tool} on PATH")
