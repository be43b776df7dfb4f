"""Python implementations that misbehave at one question, INT32 `ffffffff`, and answer every other rightly.

`unruly:aborts` and so on. Each question that is begun is noted in the file that UNRULY_LOG names.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CULPRIT = b"\xff\xff\xff\xff"


class Manner:
    """Decodes INT32, and does `act` at the culprit."""

    name = "unruly"
    version = "1.2"

    def __init__(self, act: Callable[[], Any], rejects: tuple[type[Exception], ...] = (ValueError,)) -> None:
        self._act = act
        self.rejects = rejects

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        """The number; or whatever comes of the act."""
        if log := os.environ.get("UNRULY_LOG"):
            with Path(log).open("a") as file:
                file.write(f"{type} {data.hex()}\n")
        return self._act() if data == CULPRIT else int.from_bytes(data, signed=True)


def _hang(busily: bool = False) -> Any:
    if noted := os.environ.get("PROGRAMS_HANGING"):
        with Path(noted).open("a") as file:
            file.write(f"{os.getpid()}\n")
    while True:
        if not busily:
            time.sleep(60)


def _raise(error: BaseException) -> Any:
    raise error


def _eat() -> Any:
    hoard = []
    while True:
        hoard.append(b"x" * (1 << 24))


def _eat_shared() -> Any:
    """Memory that RLIMIT_DATA does not count."""
    hoard = [mmap.mmap(-1, 1 << 29)]
    for offset in range(0, 1 << 29, 4096):
        hoard[0][offset] = 1
    time.sleep(60)


def _parse() -> Any:
    return json.loads("{")


def _recurse() -> Any:
    return _recurse()


def _print() -> Any:
    sys.stdout.write("debugging\n")
    sys.stdout.flush()
    os.write(1, b'{"seq":1,"value":5}\n')
    return -1


def _flood_stderr() -> Any:
    for _ in range(64):
        sys.stderr.write("noise " * 20_000 + "\n")
    return -1


def _read_stdin() -> Any:
    return len(sys.stdin.read())


def _fork() -> Any:
    os.fork()
    return -1


def _leave_thread() -> Any:
    threading.Thread(target=time.sleep, args=(60,)).start()
    return -1


def _leave_grandchild_and_die() -> Any:
    if os.fork() == 0:
        time.sleep(60)
    os.abort()


def _close_everything() -> Any:
    os.closerange(0, 256)
    return -1


def _alarm() -> Any:
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(60)


aborts = Manner(os.abort)
segfaults = Manner(lambda: ctypes.string_at(0))
exits = Manner(lambda: os._exit(3))
leaves = Manner(lambda: sys.exit("bye"))
interrupts = Manner(lambda: _raise(KeyboardInterrupt()))
_EMPTY: dict[str, int] = {}
fails = Manner(lambda: _EMPTY["missing"])
fails_in_library = Manner(_parse, rejects=())
refuses = Manner(lambda: _raise(ValueError("no")))
lacks = Manner(lambda: _raise(NotImplementedError("not yet")))
recurses = Manner(_recurse)
hangs = Manner(lambda: _hang())
spins = Manner(lambda: _hang(busily=True))
eats = Manner(_eat)
eats_shared = Manner(_eat_shared)
asks_too_much = Manner(lambda: len(bytes(1 << 40)))
prints = Manner(_print)
floods_stderr = Manner(_flood_stderr)
reads_stdin = Manner(_read_stdin)
forks = Manner(_fork)
leaves_thread = Manner(_leave_thread)
leaves_grandchild = Manner(_leave_grandchild_and_die)
closes_everything = Manner(_close_everything)
alarms = Manner(_alarm)
odd_value = Manner(object)
