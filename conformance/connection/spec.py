"""What a SPEC names: a module, a program, a command of a client or a proxy, or the address of a broker; and the files
that stand beside it.

`reference` is the kit's codec, unless the user has a module of that name. Modules are found by their path and never
imported here: what is under test runs in its own process only.
"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import wireproof
from wireproof.conformance.files import is_file

_REFERENCE = "reference"
#: What stands before the command of a proxy.
PROXY = "proxy:"
_PROGRAMS = ("exec:", "client:", PROXY)


def is_address(spec: str) -> bool:
    """Whether it names the address of something that runs: `tcp://HOST:PORT`."""
    return not spec.startswith(_PROGRAMS) and "://" in spec


def is_client(spec: str) -> bool:
    """Whether it names a client: `client:COMMAND`."""
    return spec.startswith("client:")


def module_name(spec: str) -> str:
    """The name of the module that `package.module[:attribute]` names."""
    name = spec.partition(":")[0]
    first, dot, rest = name.partition(".")
    if first == _REFERENCE and not _is_users_own(first):
        return f"{wireproof.__name__}.{_REFERENCE}{dot}{rest}"
    return name


def known_beside(spec: str) -> Path | None:
    """The known-deviations file beside an implementation, if there is one. The file of its attribute comes first."""
    attribute = ""
    if is_address(spec):
        return None
    if spec.startswith(_PROGRAMS):
        words = shlex.split(spec.partition(":")[2])
        programs = [Path(file) for word in words if (file := shutil.which(word) or word) and is_file(Path(file))]
    else:
        attribute = spec.partition(":")[2]
        try:
            found = _find(module_name(spec))
        except (ImportError, ValueError):
            return None
        origin = found.origin if found else None
        programs = [Path(origin)] if origin and origin not in ("built-in", "frozen") else []
    stems = [f".{attribute}", ""] if attribute else [""]
    candidates = (
        program.with_name(f"{program.stem}{stem}.known.toml") for program in reversed(programs) for stem in stems
    )
    return next((candidate for candidate in candidates if is_file(candidate)), None)


def _is_users_own(name: str) -> bool:
    """Whether a module of this name is found that is not the kit's own folder (a clone has it at its top)."""
    found = _find(name)
    if found is None or found.origin is None:  # a folder without a module in it is no module
        return False
    return Path(found.origin).resolve() != (Path(wireproof.__file__).parent / name / "__init__.py").resolve()


def _find(module: str) -> ModuleSpec | None:
    """The place of a module; the current folder comes first, as in the child that imports it.

    `importlib.util.find_spec` would import the packages around it, so only the first name is given to it.
    """
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        first, *inner = module.split(".")
        name, found = first, importlib.util.find_spec(first)
        for part in inner:
            if found is None or found.submodule_search_locations is None:
                return None
            name += f".{part}"
            found = PathFinder.find_spec(name, found.submodule_search_locations)
        return found
    finally:
        sys.path.remove(here)
