"""The limits of an implementation's process."""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence

#: Sets the limits of its own process, then becomes the command. A shell needs a millisecond for it, Python fifteen,
#: and a program that dies at hundreds of cases is started as often. Where a limit cannot be set, the shell says so on
#: stderr and goes on; the kit watches the memory in use too.
_BECOME = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"'


def limited(memory: int, command: Sequence[str]) -> tuple[str, ...]:
    """A command that sets the limits of `apply`, in MiB, and becomes this command."""
    kibibytes = _at_most(resource.RLIMIT_DATA, memory * 1024 * 1024) // 1024
    return ("/bin/sh", "-c", _BECOME, "limits", str(kibibytes), *command)


def apply(memory: int) -> None:
    """Limit this process and its children to `memory` MiB of data, and switch off core files."""
    _lower(resource.RLIMIT_DATA, memory * 1024 * 1024)
    _lower(resource.RLIMIT_CORE, 0)


def _at_most(what: int, limit: int) -> int:
    """The limit, or the highest that this process may have."""
    _, hard = resource.getrlimit(what)
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)


def _lower(what: int, limit: int) -> None:
    limit = _at_most(what, limit)
    try:
        resource.setrlimit(what, (limit, limit))
    except (OSError, ValueError) as error:  # some kernels have no such limit; the kit watches the memory in use too
        sys.stderr.write(f"no limit set: {error}\n")
