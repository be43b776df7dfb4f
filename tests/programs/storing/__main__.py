"""Brokers that store records in memory, each with one peculiarity: `python storing NAME`, as the kit starts a program.

What differs is a method of a class, whose first line says what it does.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import threading
from collections.abc import Iterator

import cluster  # noqa: F401 (its classes are kinds)
import connections  # noqa: F401 (its classes are kinds)
import fetches  # noqa: F401 (its classes are kinds)
import formats  # noqa: F401 (its classes are kinds)
import groups  # noqa: F401 (its classes are kinds)
import logins  # noqa: F401 (its classes are kinds)
import odd  # noqa: F401 (its classes are kinds)
import offsets  # noqa: F401 (its classes are kinds)
import rewriting  # noqa: F401 (its classes are kinds)
import transactions  # noqa: F401 (its classes are kinds)
from store import Storing, listen, snake_case

_ARENA_MAX = -8


def all_kinds(kind: type[Storing] = Storing) -> Iterator[type[Storing]]:
    yield kind
    for each in kind.__subclasses__():
        yield from all_kinds(each)


KINDS = {snake_case(kind.__name__): kind for kind in all_kinds()}


def main(name: str) -> None:
    # Each thread takes 72 MiB of addresses else, and the kit limits these.
    threading.stack_size(1 << 18)
    ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
    sys.stdin.readline()
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        Storing.port = listening.getsockname()[1]
        described = {"name": name, "dialects": ["kafka"], "ops": ["serve"], "listens": f"127.0.0.1:{Storing.port}"}
        sys.stdout.write(f"{json.dumps(described)}\n")
        sys.stdout.flush()
        threading.Thread(target=listen, args=(KINDS[name], listening), daemon=True).start()
        sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
