"""The record of a conversation: JSON lines."""

from __future__ import annotations

import time
from typing import IO, TYPE_CHECKING

import msgspec

from conformance.connection.base import ImplementationError

if TYPE_CHECKING:
    from pathlib import Path


class Transcript:
    """Appends `{"t": seconds, "dir": ">" or "<", "line": …}`; does nothing when there is no path."""

    def __init__(self, path: Path | None) -> None:
        """Raises ImplementationError when the file cannot be written."""
        try:
            self._file: IO[bytes] | None = None if path is None else path.open("ab")
        except OSError as error:
            raise ImplementationError(f"the transcript {path} cannot be written: {error.strerror}") from error
        self._start = time.monotonic()

    def sent(self, line: bytes) -> None:
        """A line to the implementation."""
        if self._file is not None:
            self._write(">", line)

    def heard(self, line: bytes) -> None:
        """A line from it."""
        if self._file is not None:
            self._write("<", line)

    def _write(self, direction: str, line: bytes) -> None:
        assert self._file is not None
        content: object
        try:
            msgspec.json.decode(line)
            content = msgspec.Raw(line.strip())
        except (msgspec.DecodeError, RecursionError):
            content = line.decode(errors="backslashreplace").rstrip("\n")
        entry = {"t": round(time.monotonic() - self._start, 6), "dir": direction, "line": content}
        self._file.write(msgspec.json.encode(entry) + b"\n")

    def flush(self) -> None:
        """Hand to the system what was recorded so far."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """No more comes. Safe to repeat."""
        if self._file is not None:
            self._file.close()
            self._file = None
