"""The files to audit: found, checked, and read by parts.

A path is a file, a folder (with all folders in it) or a glob; or the address of one in a file system that Arrow knows
(`hdfs://…`, `s3://…`, `gs://…`). In a folder, segments are the files that Kafka names so: twenty digits, the first
offset, and `.log`; captures are the files that end with `.pcap`, `.pcapng` or `.cap`, and pairs of files NAME.requests
and NAME.responses with the bytes of the two directions of a connection, without packets.
"""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs

from wireproof.pipeline.audit.captures.packets import packets
from wireproof.pipeline.audit.logs import segments
from wireproof.pipeline.audit.logs.segments import Bytes
from wireproof.pipeline.errors import PipelineError

_SEGMENT = re.compile(r"(\d{20})\.log")
#: A partition's folder. Kafka adds to the name of one that it deletes or moves.
_PARTITION = re.compile(r"(?P<topic>.+)-(?P<partition>\d{1,9})(\.[0-9a-f]{32}-(delete|future|stray))?")
_PACKETS = (".pcap", ".pcapng", ".cap")
#: The ending of a file with the bytes of one direction.
_STREAMS = {"request": ".requests", "response": ".responses"}
_CAPTURES = (*_PACKETS, *_STREAMS.values())
#: Other files in a partition's folder.
_BESIDE = {
    ".index": "an index of offsets",
    ".timeindex": "an index of timestamps",
    ".txnindex": "an index of aborted transactions",
    ".snapshot": "a snapshot of producers",
    ".checkpoint": "a snapshot or a checkpoint",
}
#: The bytes read at least, so that the headers of small batches need one read for many.
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log segment. `first`: the offset in its name, or 0; `below`: that of the next segment in its folder.
    `changed_ns`: when it was last written, in nanoseconds since 1970; None if the file system does not say."""

    path: str
    size: int
    topic: str | None
    partition: int | None
    first: int
    below: int | None = None
    changed_ns: int | None = None


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """A capture: a file of packets, or the files of a connection's two directions, of which `path` is one. `streams`:
    those that are there, by direction; empty for packets. `size`, in bytes, and `changed_ns` are of all its files."""

    path: str
    streams: Mapping[str, str] = field(default_factory=dict)
    size: int = 0
    changed_ns: int | None = None

    @property
    def is_packets(self) -> bool:
        """Whether it is a file of packets."""
        return not self.streams

    def file_of(self, direction: str) -> str:
        """The file with the frames of a direction."""
        return self.streams.get(direction, self.path)

    @contextlib.contextmanager
    def open_stream(self, direction: str) -> Iterator[Bytes]:
        """The bytes of a direction; none if it has no file. Raises PipelineError."""
        if direction not in self.streams:
            yield b""
            return
        with open_bytes(self.streams[direction]) as data:
            yield data


def find(paths: Sequence[str]) -> tuple[list[LogFile], list[CaptureFile]]:
    """All segments and captures of these paths. Raises PipelineError for a path that is neither."""
    if not paths:
        raise PipelineError("there is nothing to audit: name a segment, a capture, or a folder of them")
    logs: dict[str, LogFile] = {}
    captures: dict[str, CaptureFile] = {}
    for path in paths:
        for info in _of_path(path):
            if info.path.endswith(_CAPTURES):
                capture = _capture_file(info.path)
                captures[capture.path] = capture
            else:
                logs[info.path] = _log_file(info)
    return _with_next(logs.values()), sorted(captures.values(), key=lambda one: one.path)


def find_logs(paths: Sequence[str]) -> list[LogFile]:
    """Segments alone. Raises PipelineError as `find`, and when there are none."""
    logs, _ = find(paths)
    if not logs:
        raise PipelineError(f"{paths[0]}: there is no log segment, only captures")
    return logs


def _capture_file(path: str) -> CaptureFile:
    """The capture of a path. For a file of one direction, that of the other is looked for beside it."""
    stem = next((path.removesuffix(end) for end in _STREAMS.values() if path.endswith(end)), None)
    if stem is None:
        return _with_state(CaptureFile(path))
    streams = {
        direction: stem + end for direction, end in _STREAMS.items() if path == stem + end or _is_file(stem + end)
    }
    return _with_state(CaptureFile(next(iter(streams.values())), streams))


def _with_state(capture: CaptureFile) -> CaptureFile:
    infos = [_get(*_system(path)[:2], path) for path in capture.streams.values() or (capture.path,)]
    changed = [info.changed_ns for info in infos if info.changed_ns is not None]
    return dataclasses.replace(capture, size=sum(info.size for info in infos), changed_ns=max(changed, default=None))


def _is_file(path: str) -> bool:
    system, inside, _ = _system(path)
    try:
        return bool(system.get_file_info(inside).type == fs.FileType.File)
    except OSError:
        return False


def check_capture(capture: CaptureFile) -> None:
    """Read all packets' sizes. Raises PipelineError if the file is no capture, or is cut off."""
    if not capture.is_packets:
        return
    with open_bytes(capture.path) as data:
        for _ in packets(data, capture.path):
            pass


def find_captures(paths: Sequence[str]) -> list[CaptureFile]:
    """Captures alone. Raises PipelineError as `find`, and when there are none."""
    _, captures = find(paths)
    if not captures:
        raise PipelineError(f"{paths[0]}: there is no capture, only log segments")
    return captures


@dataclass(frozen=True, slots=True)
class _Info:
    path: str
    size: int
    is_folder: bool
    changed_ns: int | None = None


def _of_path(path: str) -> list[_Info]:
    """The segments and captures of a path. Raises PipelineError."""
    is_glob = "://" not in path and glob.has_magic(path)
    matched = sorted(glob.glob(path)) if is_glob else [path]  # noqa: PTH207 (Path.glob takes no absolute pattern)
    if not matched:
        raise PipelineError(f"{path}: no file or folder matches")
    found = []
    for one in matched:
        system, inside, prefix = _system(one)
        info = _get(system, inside, one)
        if info.is_folder:
            found += _in_folder(system, inside, prefix, one)
        else:
            named = dataclasses.replace(info, path=prefix + info.path)
            _check_file(named)
            found.append(named)
    return found


def _system(path: str) -> tuple[Any, str, str]:
    """A path's file system, the path inside of it, and what has to stand before such a path to name it again."""
    if "://" not in path:
        return fs.LocalFileSystem(), path, ""
    try:
        system, inside = fs.FileSystem.from_uri(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise PipelineError(f"{path} is no address that can be read: {_line(error)}") from None
    if isinstance(system, fs.LocalFileSystem):
        return system, inside, ""
    return system, inside, path.removesuffix(inside.lstrip("/"))


def _get(system: Any, inside: str, path: str) -> _Info:
    try:
        info = system.get_file_info(inside)
    except OSError as error:
        raise PipelineError(f"{path} cannot be read: {_line(error)}") from None
    if info.type == fs.FileType.NotFound:
        raise PipelineError(f"{path}: there is no such file or folder")
    if info.type not in (fs.FileType.File, fs.FileType.Directory):
        raise PipelineError(f"{path}: it is no regular file, but a FIFO or a device")
    return _Info(info.path, info.size or 0, info.type == fs.FileType.Directory, info.mtime_ns)


def _in_folder(system: Any, inside: str, prefix: str, path: str) -> list[_Info]:
    try:
        infos = system.get_file_info(fs.FileSelector(inside, recursive=True))
    except OSError as error:
        raise PipelineError(f"{path} cannot be read: {_line(error)}") from None
    found = [
        _Info(prefix + info.path, info.size, is_folder=False, changed_ns=info.mtime_ns)
        for info in sorted(infos, key=lambda info: str(info.path))
        if info.type == fs.FileType.File and (_SEGMENT.fullmatch(info.base_name) or info.path.endswith(_CAPTURES))
    ]
    if not found:
        raise PipelineError(
            f"{path}: this folder has no log segment (twenty digits and `.log`) and no capture (`.pcap`, `.pcapng`, "
            "`.requests`, `.responses`)"
        )
    return found


def _check_file(info: _Info) -> None:
    """Refuse a file that is no segment and no capture. A file with a segment's name is one, whatever is in it."""
    name = Path(info.path).name
    beside = next((what for suffix, what in _BESIDE.items() if name.endswith(suffix)), None)
    if beside is not None:
        raise PipelineError(f"{info.path} is {beside}, no log segment: name the `.log` file beside it")
    if _SEGMENT.fullmatch(name) or info.path.endswith(_CAPTURES) or not info.size:
        return
    with open_bytes(info.path) as data:
        first = next(segments.pieces(data, 0, len(data)))
    if first.trouble is not None and first.end == len(data):
        raise PipelineError(f"{info.path} is no log segment: no record batch begins in it")


def _log_file(info: _Info) -> LogFile:
    path = Path(info.path)
    named, folder = _SEGMENT.fullmatch(path.name), _PARTITION.fullmatch(path.parent.name)
    return LogFile(
        info.path,
        info.size,
        folder["topic"] if folder else None,
        int(folder["partition"]) if folder else None,
        int(named[1]) if named else 0,
        changed_ns=info.changed_ns,
    )


def _with_next(logs: Iterable[LogFile]) -> list[LogFile]:
    """The segments in order, each with the first offset of the one after it."""
    ordered = sorted(logs, key=lambda one: (str(Path(one.path).parent), one.first, one.path))
    following = [*ordered[1:], *([None] if ordered else [])]
    return [
        dataclasses.replace(one, below=after.first)
        if after is not None
        and Path(after.path).parent == Path(one.path).parent
        and _is_named(one)
        and _is_named(after)
        else one
        for one, after in zip(ordered, following, strict=True)
    ]


def _is_named(log: LogFile) -> bool:
    return _SEGMENT.fullmatch(Path(log.path).name) is not None


def _line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


# --- Reading ----------------------------------------------------------------------------------------------------------


class FileBytes:
    """A file's content by slices. Nothing is mapped into memory: a broker may cut a file off while it is read."""

    def __init__(self, read_at: Callable[[int, int], bytes], size: int, path: str) -> None:
        self._read_at = read_at
        self._size = size
        self._path = path
        self._block = b""
        self._at = 0

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, end, _ = part.indices(self._size)
        count = max(0, end - start)
        inside = start - self._at
        if inside >= 0 and inside + count <= len(self._block):
            return self._block[inside : inside + count]
        read = self._read_at(min(max(count, _BLOCK), self._size - start), start)
        if len(read) < count:
            raise PipelineError(f"{self._path} became shorter while it was read")
        if count >= _BLOCK:
            return read
        self._block, self._at = read, start
        return read[:count]


@contextlib.contextmanager
def open_bytes(path: str) -> Iterator[FileBytes]:
    """A file to read from. Raises PipelineError if it cannot be opened."""
    system, inside, _ = _system(path)
    try:
        file = system.open_input_file(inside)
    except OSError as error:
        raise PipelineError(f"{path} cannot be read: {_line(error)}") from None
    with file:
        yield FileBytes(file.read_at, file.size(), path)
