"""A run with brokers leaves nothing behind, however it ends, and contacts nobody but the brokers."""

from __future__ import annotations

import contextlib
import getpass
import ipaddress
import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import psutil
import pytest
from support.listening import running, spec
from support.paths import TESTS

#: What is asked: vectors, the sweep, and faults but for the longest. The broker answers at once, or never.
ASKED = ("--area=unsupported-versions", "--area=messages", "--area=faults", "-k", "not dropped", "--silence=0.1")
#: So many runs at a time, and the seconds that one may take.
AT_ONCE, LONGEST = 4, 120
MARK = "RUN_OF_A_TEST"


class Run:
    """A run of pytest, with a folder of its own for temporary files."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        self.report, self.temporary = folder / "report.jsonl", folder / "tmp"
        self.temporary.mkdir(parents=True)
        self._mark = uuid.uuid4().hex
        kit = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--report={self.report}"]
        self.process = subprocess.Popen(
            [*kit, *ASKED, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {MARK: self._mark, "TMPDIR": str(self.temporary)} | environment,
        )

    def lines(self) -> int:
        """The lines of the report so far."""
        return self.report.read_bytes().count(b"\n") if self.report.exists() else 0

    def processes(self) -> list[psutil.Process]:
        """Those that it has started, and itself."""
        found = []
        for one in psutil.process_iter():
            try:
                if one.environ().get(MARK) == self._mark and one.status() != psutil.STATUS_ZOMBIE:
                    found.append(one)
            except psutil.Error:
                continue
        return found

    def ports(self) -> set[int]:
        """Those on which one of its brokers listens."""
        found = set()
        with contextlib.suppress(psutil.Error):
            for one in psutil.Process(self.process.pid).children(recursive=True):
                connections = one.net_connections("tcp")
                found |= {each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN}
        return found

    def left(self) -> list[str]:
        """What is still there, half a minute after its end at most: processes, and files of theirs."""
        deadline = time.monotonic() + 30
        while (found := self._there()) and time.monotonic() < deadline:
            time.sleep(0.2)
        return found

    def _there(self) -> list[str]:
        files = []
        for folder, folders, names in os.walk(self.temporary):  # a folder that goes away meanwhile is left out
            folders[:] = [each for each in folders if each != f"pytest-of-{getpass.getuser()}"]
            files += [Path(folder, each) for each in (*folders, *names)]
        return [*map(str, files), *(map(str, self.processes()) if not files else ())]


def whole(folder: Path, *words: str) -> int:
    """The lines of the report of a run that nobody ends."""
    run = Run(folder, *words)
    assert run.process.wait(LONGEST) == 0
    assert run.left() == []
    return run.lines()


def killed(folder: Path, lines: int, *words: str) -> list[str]:
    """What is left of a run that is killed as soon as its report has so many lines."""
    run = Run(folder, *words)
    try:
        while not (ports := run.ports()):
            assert run.process.poll() is None
            time.sleep(0.1)
        while run.lines() < lines:
            assert run.process.poll() is None, f"it ended before its report had {lines} lines"
            time.sleep(0.01)
    finally:
        run.process.kill()
        status = run.process.wait()
    assert status == -signal.SIGKILL
    return [*run.left(), *(f"port {port}" for port in ports if listens(port))]


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(("moments", "words"), [(14, ()), (6, ("-n2",))], ids=["alone", "workers"])
def test_nothing_is_left_when_the_kit_is_killed(moments: int, words: Sequence[str], tmp_path: Path) -> None:
    words = (f"--impl={spec('conforming')}", *words)
    count = whole(tmp_path / "whole", *words)
    assert count > 80
    chosen = [0, *Random(41).sample(range(1, count - 1), moments - 1)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        left = [*pool.map(lambda at: killed(tmp_path / str(at), at, *words), chosen)]
    assert {at: found for at, found in zip(chosen, left, strict=True) if found} == {}


def test_nobody_is_contacted_but_the_brokers(tmp_path: Path) -> None:
    noted = tmp_path / "addresses"
    with running("conforming") as address:
        words = (f"--impl={address}", "--load=3", f"--impl={spec('conforming')}")
        run = Run(
            tmp_path / "run",
            "-p",
            "notes_addresses",
            *words,
            NOTED_ADDRESSES=str(noted),
            PYTHONPATH=str(TESTS / "programs"),
        )
        assert run.process.wait(LONGEST) == 0
    contacted = [json.loads(line) for line in noted.read_text().splitlines()]
    hosts = Counter(where[0] if isinstance(where, list) else where for _, where in contacted)
    assert all(ipaddress.ip_address(host).is_loopback for host in hosts), hosts
    assert hosts["127.0.0.1"] > 500
