"""The folder of a campaign: plain files, written at once, so that nothing is lost.

    corpus/<target>/<dialect>/<sha1>   inputs that took a new branch, or caused new behaviour
    findings/<name>.json               one finding each, open or known; always replaced as a whole
    mended/<name>.json                 findings that deviated no more when they were asked again
    campaign.jsonl                     the events of the campaign, one JSON object on each line
    avoided.txt                        names of inputs that ended a child; they are not run in its process again

Only one process writes these files, except the corpus. There, each file's name is the hash of its content, so there are
no duplicates. Other files there are not the campaign's: they stay, and are told.
"""

from __future__ import annotations

import contextlib
import errno
import json
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.asking.rows import RowError, judged_of
from wireproof.conformance.decoding import DecodingError, decode_json
from wireproof.conformance.files import read_bytes, read_text
from wireproof.conformance.writing import Folder, marked
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.inputs import LONGEST, digest

_LOG = "campaign.jsonl"
_AVOIDED = "avoided.txt"
_FINDING = marked(b'{\n  "finding": ')


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a finding's file. `first_seen`: in seconds since 1970. `executions`: their number before it.
    `times`: the number of deviations, including those that look alike. `known`: the entry of the known deviations that
    excused it when it was last asked."""

    finding: FuzzFinding
    implementation: str
    version: str | None
    spec: str
    repro: str
    first_seen: float
    executions: int
    times: int
    known: str | None = None


_kept = msgspec.json.Decoder(Kept)
_event = msgspec.json.Decoder(dict[str, Any])


class Store:
    """A campaign's folder, locked by one process at a time. Raises FuzzError if the folder cannot be used. `foreign`:
    the files in its corpora that no campaign wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[bytes] | None = None
        self.findings: dict[str, Kept] = {}
        self.mended: dict[str, Kept] = {}
        self.foreign: set[Path] = set()
        self.executions = 0
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        with _usable(self.folder):
            self._files = Folder(self.folder)
            self._files.make("findings")
            self._files.make("corpus")
            self._lock = self._files.hold(".lock", "another campaign is running there. End it, or give another folder")
            self._mend_log()
        self.findings = {kept.finding.name: kept for kept in read_findings(self.folder)}
        self.mended = {kept.finding.name: kept for kept in read_findings(self.folder, "mended")}
        self.executions = max((event.get("executions", 0) for event in self._events()), default=0)

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def corpus(self, target: str, dialect: str) -> Path:
        """The folder of a target's inputs. libFuzzer writes there, so it must hold no link."""
        name = f"corpus/{target}/{dialect}"
        with _usable(self.folder / name):
            folder = self._files.make(name)
            for entry in folder.iterdir():
                status = entry.lstat()
                if stat.S_ISREG(status.st_mode) and entry.name == digest(entry.read_bytes()):
                    continue
                if stat.S_ISLNK(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink > 1):
                    raise OSError(errno.ELOOP, "it is a link, and a corpus holds none", str(entry))
                self.foreign.add(entry)
        return folder

    def add(self, target: str, dialect: str, raw: bytes) -> None:
        """Write an input into a corpus."""
        name = f"corpus/{target}/{dialect}/{digest(raw)}"
        with _usable(self.folder / name):
            self._files.write(name, raw)

    def remove(self, target: str, dialect: str, raw: bytes) -> None:
        """Delete an input from a corpus."""
        name = f"corpus/{target}/{dialect}/{digest(raw)}"
        with _usable(self.folder / name):
            self._files.delete(name, lambda file: file.read(len(raw) + 1) == raw)

    def keep(self, kept: Kept) -> None:
        """Write a finding, and replace its file if there is one. It is mended no more."""
        self._write("findings", kept)
        self.findings[kept.finding.name] = kept
        if self.mended.pop(kept.finding.name, None):
            self._delete("mended", kept)

    def mend(self, kept: Kept) -> None:
        """Move a finding to those that deviate no more."""
        self._write("mended", kept)
        self.mended[kept.finding.name] = kept
        self._delete("findings", kept)
        del self.findings[kept.finding.name]

    def _write(self, place: str, kept: Kept) -> None:
        name = f"{place}/{kept.finding.name}.json"
        content = msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n"
        with _usable(self.folder / name):
            self._files.write(name, content, _FINDING)

    def _delete(self, place: str, kept: Kept) -> None:
        path = self.folder / place / f"{kept.finding.name}.json"
        with _usable(path):
            if not self._files.delete(f"{place}/{path.name}", _FINDING):
                raise FuzzError(f"{path}: it was changed since a campaign wrote it. Move it away.")

    def demand_implementation(self, name: str, spec: str) -> None:
        """Raise FuzzError if there are findings of another implementation: two may have findings of one name."""
        for kept in (*self.findings.values(), *self.mended.values()):
            if kept.implementation != name and kept.spec != spec:
                raise FuzzError(
                    f"{self.folder}: findings of {kept.implementation} ({kept.spec}) are kept there, and a folder is "
                    "for one implementation: give another one with --out"
                )

    def demand_room(self) -> None:
        """Raise FuzzError if no more inputs can be written. libFuzzer, which writes them, says nothing of it."""
        with _usable(self.folder):
            self._files.demand_room(LONGEST)

    def log(self, event: str, **members: Any) -> None:
        """Add a line to campaign.jsonl."""
        row = {"event": event, "time": round(time.time(), 3), **members}
        with _usable(self._log), self._open_log() as file:
            file.write(json.dumps(row).encode() + b"\n")

    def _open_log(self) -> IO[bytes]:
        return self._files.open_log(_LOG, marked(b'{"event": '))

    @property
    def _log(self) -> Path:
        return self.folder / _LOG

    def _mend_log(self) -> None:
        """Remove an incomplete last line."""
        with self._open_log() as file:
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)

    def _events(self) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(self._log.read_bytes().splitlines(), 1):
            try:
                yield decode_json(_event, line)
            except DecodingError:
                raise FuzzError(
                    f"{self._log}, line {number}: it is no JSON object. Take the line out, or the file."
                ) from None

    def avoided(self) -> tuple[str, ...]:
        """The names of the inputs to avoid."""
        path = self.folder / _AVOIDED
        with _usable(path):
            return tuple(read_text(path).split()) if path.exists() else ()

    def avoid(self, raw: bytes) -> None:
        """Add an input to those to avoid."""
        with _usable(self.folder / _AVOIDED), self._files.open_log(_AVOIDED, _names_avoided) as file:
            file.write(f"{digest(raw)}\n".encode())


def _names_avoided(file: IO[bytes]) -> bool:
    """Whether a file has the form of `avoided.txt`."""
    return re.fullmatch(rb"([0-9a-f]{40}\n)?", file.read(41)) is not None


@contextlib.contextmanager
def _usable(path: Path) -> Iterator[None]:
    """Raises FuzzError for an error of the operating system about a path."""
    try:
        yield
    except OSError as error:
        named = error.filename or path
        raise FuzzError(
            f"{named}: {error.strerror or error}. A campaign keeps what it finds in files there; "
            "what it told before is as it was."
        ) from None


#: The maximum size of a finding's file, in bytes.
_LARGEST = 64 << 20


def read_findings(folder: Path, place: str = "findings") -> list[Kept]:
    """All findings of a folder, sorted by name; `place`: `findings` or `mended`. Raises FuzzError for a damaged finding
    or a missing folder."""
    if not folder.is_dir():
        raise FuzzError(f"{folder}: there is no such folder. `wireproof fuzz run … --out {folder}` makes it.")
    return [read_finding(path) for path in sorted(folder.glob(f"{place}/*.json"))]


def read_finding(path: Path) -> Kept:
    """Read a finding's file. Raises FuzzError."""
    try:
        kept = decode_json(_kept, read_bytes(path, _LARGEST))
    except OSError as error:
        raise FuzzError(f"{path}: {error.strerror or error}") from None
    except DecodingError as error:
        raise FuzzError(f"{path}: this is no finding, or a damaged one: {error}. Take the file away.") from None
    if path.stem != kept.finding.name:
        raise FuzzError(f"{path}: it holds the finding {kept.finding.name}: the file was renamed, or changed")
    return kept


def judged(kept: Kept) -> Judged:
    """The judged question of a finding. Raises FuzzError."""
    try:
        return judged_of(kept.finding.row)
    except RowError as error:
        raise FuzzError(f"{kept.finding.name}: {error}") from None
