"""Says what an implementation is, exactly, so that a verdict on it can be used again.

The digest is of the implementation's files: for a Python module those of all modules that its import loads, except the
standard library's; for a program its file, its arguments, and the files that they name. A verdict also depends on the
kit: on its vectors, its codec and its judge.
"""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from wireproof import conformance, reference, vectors
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.connection.process.child import program_command
from wireproof.conformance.connection.process.environment import importing_kit
from wireproof.conformance.connection.spec import module_name
from wireproof.conformance.model import Description

#: Seconds that the import of a module may take.
_IMPORT = 60
#: Larger files count by their size and time only.
_MOST_READ = 1 << 28
#: Lists the files of a module. How the module would end the process does not matter here.
_FILES_OF = """\
import importlib, json, os, sys
sys.path.insert(0, os.getcwd())
importlib.import_module(sys.argv[1])
files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
json.dump(sorted(filter(None, files)), sys.__stdout__)
sys.__stdout__.flush()
os._exit(0)
"""


@dataclass(frozen=True, slots=True)
class Identity:
    """An implementation: as it was given to --impl, as it describes itself, and the digest of its files."""

    spec: str
    name: str
    version: str | None
    dialects: tuple[str, ...]
    digest: str


def identify(spec: str, options: Options) -> Identity:
    """Start an implementation and say what it is. Raises ImplementationError if it cannot be used."""
    with open_connection(spec, options) as connection:
        described = connection.description
    files = _of_program(spec) if spec.startswith("exec:") else _of_module(spec)
    return Identity(spec, described.name, described.version, described.dialects, _digest(spec, described, files))


def _digest(spec: str, described: Description, files: Iterable[Path]) -> str:
    total = hashlib.sha256(f"{spec}\n{described.name}\n{described.version}\n".encode())
    for path in files:
        total.update(_digest_of(path))
    return total.hexdigest()[:16]


def _digest_of(path: Path) -> bytes:
    state = path.stat()
    if state.st_size > _MOST_READ:
        return f"{path.name} {state.st_size} {state.st_mtime_ns}".encode()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _of_program(spec: str) -> list[Path]:
    words = program_command(spec)
    program = shutil.which(words[0])
    named = [Path(word) for word in words[1:] if Path(word).is_file()]
    return [Path(program or words[0]), *named]


def _of_module(spec: str) -> list[Path]:
    command = [sys.executable, "-P", "-c", _FILES_OF, module_name(spec)]
    try:
        told = subprocess.run(
            command,
            capture_output=True,
            timeout=_IMPORT,
            check=True,
            stdin=subprocess.DEVNULL,
            env=importing_kit(),
        ).stdout
        names = json.loads(told.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError) as error:
        raise ImplementationError(f"{spec}: the files of this module cannot be listed: {error}") from None
    standard = Path(sysconfig.get_path("stdlib"))
    found = (Path(name) for name in names)
    return [path for path in found if path.is_file() and (standard not in path.parents or _installed(path))]


def _installed(path: Path) -> bool:
    return "site-packages" in path.parts or "dist-packages" in path.parts


@functools.cache
def kit_digest(*more: ModuleType) -> str:
    """The digest of all files of the kit that verdicts depend on. `more`: other packages that a job depends on."""
    total = hashlib.sha256()
    for package in (conformance, reference, vectors, *more):
        root = Path(next(iter(package.__path__)))
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".json", ".toml") and path.is_file():
                total.update(str(path.relative_to(root)).encode())
                total.update(path.read_bytes())
    return total.hexdigest()[:16]
