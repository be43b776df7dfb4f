"""Every file that the kit writes for a user is written here.

- Nothing is written through a link. The file or folder that a user names is no link, and nothing below a folder that a
  user names is reached through one: each part of its path is opened by the descriptor of the folder above it. Links in
  the folders above are the user's own affair. FIFOs, sockets and devices are refused too, without a wait.
- A file is written whole or not at all: as a temporary file beside it, which then takes its name. Only reports and logs
  grow while a command runs. Nobody else may have a name for their file (a hard link), since they are written in place.
- What the kit did not write is kept. An existing file is replaced or deleted only if `ours` says that the kit wrote it
  (by a mark at its beginning, or by its digest), or if the user gave `--overwrite`.

What is refused is a RefusedError, an OSError whose `strerror` says why and what to do.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from wireproof.conformance.files import LARGEST_TEXT, limited

#: Says of an existing file, opened at its beginning, whether the kit wrote it.
Ours = Callable[[io.BufferedReader], bool]

_TEMPORARY = re.compile(r"\.wireproof-[0-9a-f]{16}")


class RefusedError(OSError):
    """What stands there is not ours to be written."""


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: `_Place.status` has looked before a file is opened, and says what is wrong. If it becomes a link in between,
#: O_NOFOLLOW refuses it.
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def nothing(_: IO[bytes]) -> bool:
    """No existing file is the kit's."""
    return False


def marked(mark: bytes) -> Ours:
    """A file of the kit begins with these bytes, or has only a part of them."""
    return lambda file: mark.startswith(file.read(len(mark)))


def digested(*digests: str) -> Ours:
    """A file of the kit has one of these SHA-256 digests, in hex."""
    return lambda file: hashlib.file_digest(file, "sha256").hexdigest() in digests


def write_whole(path: Path, content: bytes, ours: Ours = nothing, *, overwrite: bool | None = None) -> None:
    """Write a file. Raises OSError. `overwrite`: whether to replace a file that is not ours; None where a command has
    no such option."""
    with _beside(path) as place:
        place.write(content, ours, overwrite=overwrite)


def check_free(path: Path, ours: Ours = nothing, *, overwrite: bool | None = None) -> None:
    """Raises the OSError that `write_whole` would raise for what stands there, before work is done for it."""
    with _beside(path) as place:
        place.check(ours, overwrite=overwrite)


def open_stream(path: Path, ours: Ours = nothing, *, overwrite: bool | None = None) -> IO[bytes]:
    """A file that grows while a command runs: empty, without a buffer, and locked, so that no other command writes it.
    Raises OSError."""
    with _beside(path) as place:
        place.check(ours, overwrite=overwrite)
        file = place.open_in_place(os.O_WRONLY, "wb", buffering=0)
    try:
        _lock(file, path, "another run is writing it: name another file")
        file.truncate()
    except BaseException:
        file.close()
        raise
    return file


def open_log(path: Path, ours: Ours = nothing) -> IO[bytes]:
    """A file to whose end lines are added. An existing one has to be empty or ours. Raises OSError."""
    with _beside(path) as place:
        return place.open_log(ours)


def _lock(file: IO[bytes], path: Path, otherwise: str) -> None:
    """Lock a file until it is closed. Raises OSError, with the text `otherwise` if it is locked already."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BlockingIOError(errno.EWOULDBLOCK, otherwise, str(path)) from None


class Folder:
    """A folder that a user named, and all below it. Names are relative, with `/`. All methods raise OSError."""

    def __init__(self, path: Path) -> None:
        """Makes the folder if it is not there."""
        self.path = path
        with contextlib.suppress(FileExistsError):
            path.mkdir(parents=True)
        os.close(_open_folder(path))

    def make(self, name: str) -> Path:
        """A folder below this one, made if it is not there."""
        with self._place(f"{name}/.", make=True):
            return self.path / name

    def has_files(self, *besides: str) -> bool:
        """Whether there are files here, other than those with these names and what an interrupted command left."""
        return any(
            one.name not in besides and _TEMPORARY.fullmatch(one.name) is None and not stat.S_ISDIR(one.lstat().st_mode)
            for one in self.path.rglob("*")
        )

    def read(self, name: str, largest: int = LARGEST_TEXT) -> bytes | None:
        """The content of a file; None if there is none."""
        try:
            with self._place(name) as place, place.read() as file:
                return None if file is None else limited(file, place.path, largest)
        except FileNotFoundError:
            return None

    def write(
        self,
        name: str,
        content: bytes,
        ours: Ours = nothing,
        *,
        overwrite: bool | None = None,
    ) -> None:
        """Write a file, as `write_whole` does."""
        with self._place(name, make=True) as place:
            place.write(content, ours, overwrite=overwrite)

    def write_all(
        self, files: Mapping[str, bytes], ours: Mapping[str, Ours] | None = None, *, overwrite: bool | None = None
    ) -> None:
        """Write files in this order. Nothing is written if one of them is refused for what stands there. `ours`: by
        name."""
        ours = {} if ours is None else ours
        self.check_all(files, ours, overwrite=overwrite)
        for name, content in files.items():
            self.write(name, content, ours.get(name, nothing), overwrite=overwrite)

    def check_all(
        self, files: Mapping[str, bytes], ours: Mapping[str, Ours] | None = None, *, overwrite: bool | None = None
    ) -> None:
        """Raises the RefusedError with which `write_all` would refuse them."""
        ours = {} if ours is None else ours
        for name, content in files.items():
            with contextlib.suppress(FileNotFoundError), self._place(name) as place:
                place.check(ours.get(name, nothing), content, overwrite=overwrite)

    def open_log(self, name: str, ours: Ours = nothing) -> IO[bytes]:
        """A file to whose end lines are added, as `open_log` opens it."""
        with self._place(name, make=True) as place:
            return place.open_log(ours)

    def hold(self, name: str, otherwise: str) -> IO[bytes]:
        """Lock a file until it is closed; its content does not matter. `otherwise`: said if it is locked already."""
        with self._place(name) as place:
            file = place.open_in_place(os.O_RDWR | os.O_APPEND, "a+b")
        try:
            _lock(file, self.path, otherwise)
        except BaseException:
            file.close()
            raise
        return file

    def rename(self, old: str, new: str) -> None:
        """Give a file of ours another name in the same folder. What has that name has to be gone."""
        with self._place(old) as place, self._place(new) as other:
            other.check(nothing)
            os.rename(place.name, other.name, src_dir_fd=place.folder, dst_dir_fd=other.folder)

    def delete(self, name: str, ours: Ours) -> bool:
        """Delete a file, and its folder if that is empty then. False if what is there is not ours: it stays."""
        try:
            with self._place(name) as place:
                with place.read() as file:
                    if file is not None and not ours(file):
                        return False
                place.unlink()
        except FileNotFoundError:
            return True
        except RefusedError:
            return False
        parent = PurePosixPath(name).parent
        if parent.name:
            with contextlib.suppress(OSError), self._place(str(parent)) as place:
                os.rmdir(place.name, dir_fd=place.folder)
        return True

    def clear(self, name: str, names: re.Pattern[str], ours: Ours) -> None:
        """Delete a folder with all in it, if everything there has one of these names, and all files are ours. Else
        nothing is deleted."""
        with contextlib.suppress(FileNotFoundError), self._place(name) as place:
            os.close(_open_folder(place.path, place.name, place.folder))
            for folder, folders, files, descriptor in os.fwalk(place.name, dir_fd=place.folder):
                for one in (*folders, *files):
                    mode = os.stat(one, dir_fd=descriptor, follow_symlinks=False).st_mode
                    inner = _Place(descriptor, one, place.path.parent / folder / one)
                    if names.fullmatch(one) is None:
                        raise RefusedError(errno.EEXIST, "Wireproof did not write it: move it away", str(inner.path))
                    if not stat.S_ISDIR(mode):
                        inner.check(ours)
            for _, folders, files, descriptor in os.fwalk(place.name, topdown=False, dir_fd=place.folder):
                for one in files:
                    os.unlink(one, dir_fd=descriptor)
                for one in folders:
                    os.rmdir(one, dir_fd=descriptor)
            os.rmdir(place.name, dir_fd=place.folder)

    def demand_room(self, size: int) -> None:
        """Raises OSError if so many bytes cannot be written here."""
        with self._place("room") as place:
            os.unlink(place.temporary(bytes(size)), dir_fd=place.folder)

    @contextlib.contextmanager
    def _place(self, name: str, *, make: bool = False) -> Iterator[_Place]:
        """Where this name stands. `make`: the folders to it."""
        *folders, last = name.split("/")
        if not all(folders) or ".." in (*folders, last) or name.startswith("/") or "\0" in name:
            raise RefusedError(errno.EINVAL, "it is no name below this folder", str(self.path / name))
        path = self.path
        descriptor = _open_folder(path)
        try:
            for part in folders:
                path /= part
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=descriptor)
                inner = _open_folder(path, part, descriptor)
                os.close(descriptor)
                descriptor = inner
            yield _Place(descriptor, last, path / last)
        finally:
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class _Place:
    """A name in a folder. `folder`: its descriptor. `path`: for errors."""

    folder: int
    name: str
    path: Path

    def status(self) -> os.stat_result | None:
        """The status of the regular file there; None without one. Raises OSError for anything else."""
        with self._named():
            try:
                status = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
            except FileNotFoundError:
                return None
        if stat.S_ISLNK(status.st_mode):
            raise RefusedError(errno.ELOOP, "it is a link, and nothing is written through a link", str(self.path))
        if stat.S_ISDIR(status.st_mode):
            raise RefusedError(errno.EISDIR, "it is a folder", str(self.path))
        if not stat.S_ISREG(status.st_mode):
            raise RefusedError(errno.EINVAL, "it is no regular file, but a FIFO, a socket or a device", str(self.path))
        return status

    @contextlib.contextmanager
    def read(self) -> Iterator[io.BufferedReader | None]:
        """The file there, opened to be read; None without one."""
        if self.status() is None:
            yield None
            return
        with self._named():
            descriptor = os.open(self.name, os.O_RDONLY | _FILE, dir_fd=self.folder)
        with os.fdopen(descriptor, "rb") as file:
            yield file

    def check(self, ours: Ours, content: bytes | None = None, *, overwrite: bool | None = None) -> None:
        """Raises OSError if the file there may not be replaced. It may be if it has this content already."""
        with self.read() as file:
            if file is None or overwrite or ours(file):
                return
            file.seek(0)
            if content is None or file.read(len(content) + 1) != content:
                todo = "name another place" if overwrite is None else "--overwrite replaces it"
                why = f"there is a file already, and Wireproof did not write it, or it was changed since: {todo}"
                raise RefusedError(errno.EEXIST, why, str(self.path))

    def write(self, content: bytes, ours: Ours, *, overwrite: bool | None) -> None:
        """As `write_whole`."""
        self.check(ours, content, overwrite=overwrite)
        there = self.status()
        if there is not None:  # a file that its owner made read-only is not replaced
            with self._named():
                os.close(os.open(self.name, os.O_WRONLY | _FILE, dir_fd=self.folder))
        temporary = self.temporary(content)
        try:
            if there is not None:
                os.chmod(temporary, stat.S_IMODE(there.st_mode), dir_fd=self.folder)
            with self._named():
                os.replace(temporary, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        except BaseException:
            os.unlink(temporary, dir_fd=self.folder)
            raise

    def unlink(self) -> None:
        """Delete the file."""
        with self._named():
            os.unlink(self.name, dir_fd=self.folder)

    def temporary(self, content: bytes) -> str:
        """The name of a new file beside it with this content; a script may be executed. It is deleted if it cannot be
        written."""
        mode = 0o777 if content.startswith(b"#!") else 0o666
        name = f".wireproof-{secrets.token_hex(8)}"  # as _TEMPORARY
        with self._named():
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, mode, dir_fd=self.folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
            except BaseException:
                os.unlink(name, dir_fd=self.folder)
                raise
        return name

    def open_log(self, ours: Ours) -> IO[bytes]:
        """As the function."""
        self.check(ours)
        return self.open_in_place(os.O_RDWR | os.O_APPEND, "a+b")

    def open_in_place(self, flags: int, mode: str, buffering: int = -1) -> IO[bytes]:
        """The file itself, made if it is not there. It may have no other name."""
        self.status()
        with self._named():
            descriptor = os.open(self.name, flags | os.O_CREAT | _FILE, 0o666, dir_fd=self.folder)
        file: IO[bytes] = os.fdopen(descriptor, mode, buffering)
        if os.fstat(descriptor).st_nlink > 1:
            file.close()
            raise RefusedError(errno.EMLINK, "the file has another name too (a hard link)", str(self.path))
        return file

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Errors name the path, and not the name in its folder."""
        try:
            yield
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(self.path)) from None


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[_Place]:
    """The place of a file that a user named. The folder above may be reached through links."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent)) from None
    try:
        yield _Place(folder, path.name, path)
    finally:
        os.close(folder)


def _open_folder(path: Path, name: str | None = None, above: int | None = None) -> int:
    """The descriptor of a folder that is no link. `name` in the folder `above`; without them it is `path`."""
    try:
        return os.open(path if name is None else name, _FOLDER, dir_fd=above)
    except NotADirectoryError:
        link = path.is_symlink()
        what = "it is a link, and nothing is written through a link" if link else "it is no folder"
        raise RefusedError(errno.ENOTDIR, what, str(path)) from None
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
