"""What runs in a copy of this process: its exit code, its errors, and its end by somebody else."""

from __future__ import annotations

import os
import sys

import pytest

from wireproof.conformance.connection.process.supervisor import FAILED, supervised


def test_its_exit_code_is_given() -> None:
    assert supervised(lambda: 3) == 3
    assert supervised(lambda: sys.exit(5)) == 5


def test_an_error_is_shown_and_fails(capfd: pytest.CaptureFixture[str]) -> None:
    assert supervised(lambda: 1 // 0) == FAILED
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_who_ends_it_makes_it_fail(capfd: pytest.CaptureFixture[str]) -> None:
    assert supervised(lambda: os._exit(0)) == FAILED
    assert "ended the process with exit code 0" in capfd.readouterr().err
