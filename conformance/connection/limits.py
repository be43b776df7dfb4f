"""The limits of an implementation's process.

As a program, `python -I -S limits.py MEMORY COMMAND [ARGUMENT…]` (MEMORY in MiB) sets the limits and then becomes the
command. It imports nothing of the kit, so it starts in a few milliseconds.
"""

from __future__ import annotations

import os
import resource
import signal
import sys


def apply(memory: int) -> None:
    """Limit this process and its children to `memory` MiB of data, and switch off core files."""
    _lower(resource.RLIMIT_DATA, memory * 1024 * 1024)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(what: int, limit: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    try:
        resource.setrlimit(what, (limit, limit))
    except (OSError, ValueError) as error:  # some kernels have no such limit; the kit watches the memory in use too
        sys.stderr.write(f"no limit set: {error}\n")


def main(arguments: list[str]) -> None:
    """Set the limits, then become the command."""
    memory, command = int(arguments[0]), arguments[1:]
    apply(memory)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and the command would inherit that
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 (the user's own command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror}\n")
        sys.exit(126)


if __name__ == "__main__":
    main(sys.argv[1:])
