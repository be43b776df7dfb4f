"""Folders full of links, FIFOs and foreign files, and what is in a folder."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

#: What may stand where a command wants to write.
HAZARDS = (
    "a link to a file",
    "a link to a folder",
    "a link to nothing",
    "a hard link",
    "a FIFO",
    "a folder",
    "a file",
)
FOREIGN = b"somebody's own words\n"


def outside(folder: Path) -> None:
    """What nobody may touch."""
    folder.mkdir()
    (folder / "precious").write_bytes(FOREIGN)
    (folder / "inner").mkdir()
    (folder / "inner" / "precious").write_bytes(FOREIGN)


def put(hazard: str, path: Path, out: Path) -> None:
    """Put a hazard in the place of what stands there. `out`: a folder as made by `outside`."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    match hazard:
        case "a link to a file":
            path.symlink_to(out / "precious")
        case "a link to a folder":
            path.symlink_to(out / "inner")
        case "a link to nothing":
            path.symlink_to(out / "new")
        case "a hard link":
            path.hardlink_to(out / "precious")
        case "a FIFO":
            os.mkfifo(path)
        case "a folder":
            path.mkdir()
            (path / "notes.md").write_bytes(FOREIGN)
        case _:
            path.write_bytes(FOREIGN)


def snapshot(root: Path) -> dict[str, object]:
    """All that is in a folder: by its path a file's content, a link's target, or the kind of anything else."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(root):
        for path in (Path(folder) / name for name in (*folders, *files)):
            status = path.lstat()
            seen: object = stat.S_IFMT(status.st_mode)
            if stat.S_ISLNK(status.st_mode):
                seen = path.readlink()
            elif stat.S_ISREG(status.st_mode):
                seen = path.read_bytes()
            found[str(path.relative_to(root))] = seen
    return found
