"""Clients of tests that run, and what they are asked."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection
from typing import Any

from support.paths import TESTS
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Verdict
from wireproof.conformance.questions import find
from wireproof.conformance.vectors import scripts

#: Seconds for a client of tests, which waits a second for an answer, at most six times: only one that hangs needs more.
TIMEOUT = 30.0


def spec(name: str) -> str:
    """The kit's name for the client of tests with this peculiarity."""
    words = [sys.executable, "-I", "-S", str(TESTS / "programs" / "client.py"), name]
    return f"client:{shlex.join(words)} {{bootstrap}}"


def asked(name: str, ids: Collection[str] = (), timeout: float = TIMEOUT, **options: Any) -> dict[str, Verdict]:
    """The verdict on each of these scripts; without any on all. `options`: others of the connection."""
    questions = [find(f"kafka/unsupported-versions/scripts/{one}") for one in ids or scripts.load()]
    with Examiner(open_connection(spec(name), Options(timeout=timeout, **options))) as examiner:
        judged = examiner.judge(questions)
        return {one.case.id.partition("/scripts/")[2].partition("#")[0]: one.verdict for one in judged}
