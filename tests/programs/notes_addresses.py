"""A plugin of pytest, `-p notes_addresses`: writes each address that its process connects to, sends to or looks up into
the file that NOTED_ADDRESSES names, in a line each."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

#: Event of an audit hook → the place of the address in its arguments.
_EVENTS = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1, "socket.getaddrinfo": 0}
_FILE = Path(os.environ["NOTED_ADDRESSES"])


def note(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _EVENTS and arguments[_EVENTS[event]] is not None:
        with _FILE.open("a") as file:
            file.write(f"{json.dumps([event, arguments[_EVENTS[event]]], default=repr)}\n")


sys.addaudithook(note)
