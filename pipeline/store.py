"""The output folder of a job. It keeps what was done, so that a job goes on where it ended.

    cases/<key>/*.parquet      one group of cases
    verdicts/<key>/*.parquet   the verdicts on one group of cases for one implementation
    batches/<key>/*.parquet    the verdicts on the batches of some log segments
    frames/<key>/*.parquet     the verdicts on the frames of some captures
    groups.jsonl               a line for each finished group: its key, its table, its number of rows
    runs.jsonl                 a line for each run: what was asked for, and the keys of its groups
    audits.jsonl               a line for each audit: its paths, and the keys of its groups
    spark.log                  what Spark says

A group's key is a digest of everything that decides its content. So a group is used again by any later run that would
make the same one, and a change of the kit or of an implementation gives it another key. A group without a line in
`groups.jsonl` was not finished: it is made again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

import msgspec

from wireproof.pipeline.errors import PipelineError

_MARK = "wireproof-pipeline.json"
#: The mark of a group's folder that is whole, as Spark itself sets it.
WHOLE = "_SUCCESS"
_FORMAT = 1


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished group."""

    key: str
    table: str
    rows: int


class RunImplementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An implementation in a run, with the keys of its groups of verdicts."""

    spec: str
    name: str
    version: str | None
    digest: str
    groups: tuple[str, ...]


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished run of at least one implementation. `started_ms`: since 1970."""

    number: int
    started_ms: int
    seed: int
    cases: int
    dialects: tuple[str, ...]
    types: tuple[str, ...]
    case_groups: tuple[str, ...]
    implementations: tuple[RunImplementation, ...]


class AuditRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished audit: its paths, and the keys of its groups by table. `started_ms`: since 1970."""

    started_ms: int
    paths: tuple[str, ...]
    groups: dict[str, tuple[str, ...]]


def key_of(*parts: object) -> str:
    """A short digest of these parts."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:20]


class Store(AbstractContextManager["Store"]):
    """An output folder, held by one job at a time. Raises PipelineError if it cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[str] | None = None
        self.groups: dict[str, Group] = {}
        self.runs: list[Run] = []
        try:
            self._open()
        except OSError as error:
            self.close()
            raise PipelineError(f"--out {folder}: {error.strerror or error}") from None
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        mark = self.folder / _MARK
        if self.folder.is_dir() and not mark.is_file() and any(self.folder.iterdir()):
            raise PipelineError(
                f"--out {self.folder}: the folder holds other things. Give a new folder, or one of an earlier job."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self.folder / ".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PipelineError(
                f"--out {self.folder}: another job uses this folder. Wait for its end, or give another folder."
            ) from None
        if not mark.is_file():
            mark.write_text(json.dumps({"format": _FORMAT}), encoding="utf-8")
        self.groups = {
            group.key: group
            for group in self._lines("groups.jsonl", Group)
            if (self.path(group.table, group.key) / WHOLE).is_file()
        }
        self.runs = list(self._lines("runs.jsonl", Run))

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other jobs use the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def path(self, table: str, key: str) -> Path:
        """The folder of a group."""
        return self.folder / table / key

    def paths(self, table: str, keys: tuple[str, ...]) -> list[str]:
        """The folders of these groups, as Spark takes them."""
        return [str(self.path(table, key).absolute()) for key in keys]

    def clear(self, table: str, key: str) -> Path:
        """Remove what an unfinished job left of a group; its folder."""
        path = self.path(table, key)
        if path.exists():
            shutil.rmtree(path)
        self.groups.pop(key, None)
        return path

    def finished(self, group: Group) -> None:
        """Write down that a group is whole."""
        self._append("groups.jsonl", group)
        self.groups[group.key] = group

    def ended(self, run: Run) -> None:
        """Write down a run."""
        self._append("runs.jsonl", run)
        self.runs.append(run)

    def audited(self, audit: AuditRun) -> None:
        """Write down an audit."""
        self._append("audits.jsonl", audit)

    def _append(self, name: str, line: msgspec.Struct) -> None:
        with (self.folder / name).open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def _lines(self, name: str, kind: type[Any]) -> Iterator[Any]:
        path = self.folder / name
        for number, line in enumerate(path.read_bytes().split(b"\n")[:-1] if path.is_file() else (), 1):
            try:
                yield msgspec.json.decode(line, type=kind)
            except msgspec.MsgspecError as error:
                raise PipelineError(
                    f"{path}, line {number}: {error}. It was written by another version of the kit, or changed by "
                    "hand; give another folder."
                ) from None
        self._mend(path)

    def _mend(self, path: Path) -> None:
        """Remove a last line that a kill left half written."""
        if path.is_file() and not (content := path.read_bytes()).endswith(b"\n") and content:
            with contextlib.suppress(OSError):
                path.write_bytes(content[: content.rfind(b"\n") + 1])
