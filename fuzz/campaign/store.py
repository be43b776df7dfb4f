"""The folder of a campaign: plain files, written at once, so that nothing is lost.

    corpus/<target>/<dialect>/<sha1>   inputs that took a new branch, or caused new behaviour
    findings/<name>.json               one finding each, always replaced as a whole
    campaign.jsonl                     the events of the campaign, one JSON object on each line
    avoided.txt                        names of inputs that ended a child; they are not run in its process again

Only one process writes these files, except the corpus. There, each file's name is the hash of its content, so there are
no duplicates, and damaged files are noticed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.asking.rows import RowError, judged_of
from wireproof.conformance.files import read_bytes
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.inputs import LONGEST, digest


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a finding's file. `first_seen`: in seconds since 1970. `executions`: their number before it.
    `times`: the number of deviations, including those that look alike."""

    finding: FuzzFinding
    implementation: str
    version: str | None
    spec: str
    repro: str
    first_seen: float
    executions: int
    times: int


class Store:
    """A campaign's folder, locked by one process at a time. Raises FuzzError if the folder cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[bytes] | None = None
        self.findings: dict[str, Kept] = {}
        self.executions = 0
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        folder = self.folder
        with _usable(folder):
            (folder / "findings").mkdir(parents=True, exist_ok=True)
            (folder / "corpus").mkdir(exist_ok=True)
            self._hold()
            for left in folder.glob("findings/*.tmp"):
                left.unlink()
            self._mend_log()
        self.findings = {kept.finding.name: kept for kept in read_findings(folder)}
        self.executions = max((event.get("executions", 0) for event in self._events()), default=0)

    def _hold(self) -> None:
        self._lock = (self.folder / ".lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FuzzError(
                f"{self.folder}: another campaign is running there. End it, or give another folder."
            ) from None

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
        """The folder of a target's inputs. Damaged files are deleted."""
        folder = self.folder / "corpus" / target / dialect
        with _usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for entry in folder.iterdir():
                if entry.is_file() and entry.name != digest(entry.read_bytes()):
                    entry.unlink()
        return folder

    def keep(self, kept: Kept) -> None:
        """Write a finding, and replace its file if there is one."""
        path = self.folder / "findings" / f"{kept.finding.name}.json"
        content = msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n"
        with _usable(path):
            unfinished = path.with_suffix(".tmp")
            unfinished.write_bytes(content)
            unfinished.replace(path)
        self.findings[kept.finding.name] = kept

    def demand_room(self) -> None:
        """Raise FuzzError if no more inputs can be written. libFuzzer, which writes them, says nothing of it."""
        path = self.folder / "findings" / "room.tmp"
        with _usable(path):
            try:
                path.write_bytes(bytes(LONGEST))
            finally:
                path.unlink(missing_ok=True)

    def log(self, event: str, **members: Any) -> None:
        """Add a line to campaign.jsonl."""
        row = {"event": event, "time": round(time.time(), 3), **members}
        path = self._log
        with _usable(path), path.open("ab") as file:
            file.write(json.dumps(row).encode() + b"\n")

    @property
    def _log(self) -> Path:
        return self.folder / "campaign.jsonl"

    def _mend_log(self) -> None:
        """Remove an incomplete last line."""
        if not self._log.exists():
            return
        with self._log.open("r+b") as file:
            content = file.read()
            end = content.rfind(b"\n") + 1
            if end != len(content):
                file.truncate(end)

    def _events(self) -> Iterator[dict[str, Any]]:
        if self._log.exists():
            for number, line in enumerate(self._log.read_bytes().splitlines(), 1):
                try:
                    event = json.loads(line)
                except ValueError:
                    event = None
                if not isinstance(event, dict):
                    raise FuzzError(
                        f"{self._log}, line {number}: it is no JSON object. Take the line out, or the file."
                    )
                yield event

    def avoided(self) -> tuple[str, ...]:
        """The names of the inputs to avoid."""
        path = self.folder / "avoided.txt"
        with _usable(path):
            return tuple(path.read_text("utf-8").split()) if path.exists() else ()

    def avoid(self, raw: bytes) -> None:
        """Add an input to those to avoid."""
        path = self.folder / "avoided.txt"
        with _usable(path), path.open("a", encoding="utf-8") as file:
            file.write(f"{digest(raw)}\n")


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


def read_findings(folder: Path) -> list[Kept]:
    """All findings of a folder, sorted by name. Raises FuzzError for a damaged finding or a missing folder."""
    if not folder.is_dir():
        raise FuzzError(f"{folder}: there is no such folder. `wireproof fuzz run … --out {folder}` makes it.")
    return [read_finding(path) for path in sorted(folder.glob("findings/*.json"))]


def read_finding(path: Path) -> Kept:
    """Read a finding's file. Raises FuzzError."""
    try:
        kept = msgspec.json.decode(read_bytes(path, _LARGEST), type=Kept)
    except OSError as error:
        raise FuzzError(f"{path}: {error.strerror or error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
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
