"""Folders of the clone that tests use."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
LIBRARIES = ROOT / "implementations"
