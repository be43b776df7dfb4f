"""Lists the packages that a wrapper uses, and which of them are native, by importing it in a separate process.

As a program (`python -m wireproof.fuzz.campaign.dependencies SPEC`) it prints a JSON object; `dependencies_of` runs it.
"""

from __future__ import annotations

import ast
import importlib.machinery
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import msgspec

from wireproof.conformance.connection import ImplementationError
from wireproof.conformance.connection.process.environment import importing_kit
from wireproof.conformance.connection.spec import is_address, module_name
from wireproof.conformance.decoding import DecodingError, decode_json
from wireproof.fuzz.errors import FuzzError

#: The time limit for an import, in seconds.
TIMEOUT = 60.0
#: The kit's own packages: of them only `wireproof.reference` is instrumented, and always.
OWN = frozenset({"pytest_wireproof", "wireproof"})
#: Native packages for compression and checksums, without knowledge of the protocol. They do not make a wrapper native.
HELPERS = frozenset({"cramjam", "crc32c", "google_crc32c", "lz4", "snappy", "xxhash", "zlib", "zstandard"})


class Dependencies(msgspec.Struct, frozen=True):
    """The packages that a wrapper uses, which are instrumented, and the native modules in them."""

    packages: tuple[str, ...]
    native: tuple[str, ...]

    @property
    def in_child(self) -> bool:
        """Whether the implementation is asked in a child: its code cannot be instrumented, and may end the process."""
        return bool(self.native)


_dependencies = msgspec.json.Decoder(Dependencies)


def environment() -> dict[str, str]:
    """The environment of the kit's own children: they can import the kit, and hashes are the same in every run."""
    return importing_kit() | {"PYTHONHASHSEED": "0"}


def dependencies_of(spec: str) -> Dependencies:
    """The packages behind a spec. A program counts as native. Raises ImplementationError, FuzzError."""
    if is_address(spec):
        raise FuzzError(f"{spec} is a broker that runs: campaigns ask codecs. Ask it with pytest --impl={spec}")
    if spec.startswith("exec:"):
        return Dependencies((), (spec,))
    command = [sys.executable, "-P", "-m", __name__, spec]
    try:
        done = subprocess.run(
            command, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise FuzzError(f"{spec}: its import takes more than {TIMEOUT:.0f} seconds") from None
    last = done.stdout.rpartition(b"\n{")[2].strip()
    try:
        return decode_json(_dependencies, last if last.startswith(b"{") else b"{" + last)
    except DecodingError:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise ImplementationError(said or f"{spec}: its import ended the process ({done.returncode})") from None


def main(spec: str) -> int:
    """Import a wrapper, and print the packages that were loaded with it."""
    from wireproof.conformance.asking import examiner  # noqa: F401 (modules that the kit loads must not count as the wrapper's)
    from wireproof.conformance.connection.loading import load

    before = frozenset(sys.modules)
    try:
        load(spec)
    except ImplementationError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    loaded = [module for name, module in [*sys.modules.items()] if name not in before]
    packages = {*_imported(module_name(spec), loaded)} - OWN - HELPERS
    native = sorted(module.__name__ for module in loaded if _is_native(module) and _package(module) in packages)
    sys.stdout.write(f"\n{json.dumps({'packages': sorted(packages), 'native': native})}\n")
    sys.stdout.flush()  # before what the wrapper does at the end of the process
    return 0


def _package(module: ModuleType) -> str:
    return module.__name__.partition(".")[0]


def _is_native(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    return file.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def _imported(wrapper: str, loaded: Iterable[ModuleType]) -> Iterator[str]:
    """The wrapper's package, and the packages that its source imports, if they were loaded."""
    yield wrapper.partition(".")[0]
    there = {_package(module) for module in loaded} - sys.stdlib_module_names
    for module in loaded:
        if module.__name__ == wrapper:
            yield from there.intersection(_names(module))


def _names(module: ModuleType) -> Iterator[str]:
    """The packages that a module's source imports."""
    file = getattr(module, "__file__", None) or ""
    if not file.endswith(".py"):
        return
    for node in ast.walk(ast.parse(Path(file).read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
