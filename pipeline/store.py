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

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

import msgspec

from wireproof.conformance.decoding import DecodingError, decode_json
from wireproof.conformance.writing import Folder, marked
from wireproof.pipeline.errors import PipelineError

_MARK = "wireproof-pipeline.json"
#: The mark of a group's folder that is whole, as Spark itself sets it.
WHOLE = "_SUCCESS"
_LOCK = ".lock"
_FORMAT = 1
#: The names that the workers of a job and Spark give to what they write in the folder of a group or a table.
_NAMES = re.compile(
    r"\.?part-[\w.-]+|\.[0-9]+-[0-9a-f]{32}|\.?_SUCCESS(\.crc)?|_temporary|[0-9]+|(task|attempt)_[0-9_m]+"
)


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


def _is_written(file: IO[bytes]) -> bool:
    """Whether a file in the folder of a group is Parquet, a checksum of Hadoop, or empty."""
    start = file.read(4)
    return any(mark.startswith(start) for mark in (b"PAR1", b"crc\0"))


def key_of(*parts: object) -> str:
    """A short digest of these parts."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:20]


class Store(AbstractContextManager["Store"]):
    """An output folder, held by one job at a time. Raises PipelineError if it cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[bytes] | None = None
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
        self._files = Folder(self.folder)
        if self._files.read(_MARK) is None and self._files.has_files(_LOCK):
            raise PipelineError(
                f"--out {self.folder}: the folder holds other things. Give a new folder, or one of an earlier job."
            )
        self._lock = self._files.hold(_LOCK, "another job uses this folder. Wait for its end, or give another folder.")
        self._files.write(_MARK, json.dumps({"format": _FORMAT}).encode(), marked(b'{"format": '))
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
        """Remove what an unfinished job left of a group; its folder, which is not there then. Raises PipelineError."""
        self.empty(f"{table}/{key}")
        self.groups.pop(key, None)
        return self.path(table, key)

    def empty(self, name: str) -> Path:
        """Remove a folder in which Spark has written, so that Spark can write it again; its path. Raises
        PipelineError if it, or a folder above it, is a link, or if something else is in it."""
        try:
            self._files.make(name)
            self._files.clear(name, _NAMES, _is_written)
        except OSError as error:
            raise PipelineError(f"{error.filename}: {error.strerror}") from None
        return self.folder / name

    def write(self, name: str, content: bytes) -> None:
        """Write a file, or replace an earlier one of the same kind: a digest. Raises OSError."""
        self._files.write(name, content, lambda file: re.fullmatch(rb"[0-9a-f]{0,20}", file.read(21)) is not None)

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
        with self._open_log(name, type(line)) as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def _open_log(self, name: str, kind: type[msgspec.Struct]) -> IO[bytes]:
        return self._files.open_log(name, marked(f'{{"{kind.__struct_fields__[0]}":'.encode()))

    def _lines(self, name: str, kind: type[Any]) -> Iterator[Any]:
        path = self.folder / name
        if not os.path.lexists(path):
            return
        with self._open_log(name, kind) as file:
            file.seek(0)
            content = file.read()
            whole = content.rfind(b"\n") + 1
            file.truncate(whole)  # a kill may leave half of the last line
        decoder = msgspec.json.Decoder(kind)
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                yield decode_json(decoder, line)
            except DecodingError as error:
                raise PipelineError(
                    f"{path}, line {number}: {error}. It was written by another version of the kit, or changed by "
                    "hand; give another folder."
                ) from None
