"""The record of a conversation: JSON lines."""

from __future__ import annotations

import contextlib
import time
from typing import IO, TYPE_CHECKING

import msgspec

from wireproof.conformance.connection.base import ImplementationError
from wireproof.conformance.decoding import DecodingError, decode_json
from wireproof.conformance.writing import marked, open_log

if TYPE_CHECKING:
    from pathlib import Path


class TranscriptError(ImplementationError):
    """A transcript that could be started but not continued: the disk is full."""


_anything = msgspec.json.Decoder()
#: Says of a file whether it is a transcript.
IS_TRANSCRIPT = marked(b'{"t":')


def open_transcript(path: Path) -> IO[bytes]:
    """A transcript, to whose end lines are added. Raises OSError, also for a file with something else in it."""
    return open_log(path, IS_TRANSCRIPT)


class Transcript:
    """Appends `{"t": seconds, "dir": ">" or "<", "line": …}`; does nothing when there is no path.

    When a write fails, the method raises TranscriptError; later calls do nothing.
    """

    def __init__(self, path: Path | None) -> None:
        """Raises ImplementationError when the file cannot be written."""
        try:
            self._file: IO[bytes] | None = None if path is None else open_transcript(path)
        except OSError as error:
            raise ImplementationError(f"the transcript {path} cannot be written: {error.strerror}") from error
        self._path = path
        self._start = time.monotonic()

    def sent(self, line: bytes) -> None:
        """Record a line to the implementation."""
        if self._file is not None:
            self._write(">", line)

    def heard(self, line: bytes) -> None:
        """Record a line from the implementation."""
        if self._file is not None:
            self._write("<", line)

    def _write(self, direction: str, line: bytes) -> None:
        assert self._file is not None
        content: object
        try:
            decode_json(_anything, line)
            content = msgspec.Raw(line.strip())
        except DecodingError:
            content = line.decode(errors="backslashreplace").rstrip("\n")
        entry = {"t": round(time.monotonic() - self._start, 6), "dir": direction, "line": content}
        try:
            self._file.write(msgspec.json.encode(entry) + b"\n")
        except OSError as error:
            raise self._unwritten(error) from None

    def flush(self) -> None:
        """Write out the lines recorded so far."""
        if self._file is not None:
            try:
                self._file.flush()
            except OSError as error:
                raise self._unwritten(error) from None

    def close(self) -> None:
        """Close the file. Safe to repeat."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None

    def _unwritten(self, error: OSError) -> TranscriptError:
        self.close()
        return TranscriptError(f"the transcript {self._path} cannot be written: {error.strerror}")
