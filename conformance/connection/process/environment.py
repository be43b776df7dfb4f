"""The environment in which a child can import the kit."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import wireproof


def importing_kit() -> dict[str, str]:
    """Our environment variables. Where the kit is not installed in the folder of all packages (a clone, an editable
    install, a folder in PYTHONPATH), its folder comes last in PYTHONPATH."""
    root = Path(wireproof.__file__).parents[1]
    if root in (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib"))):
        return {**os.environ}
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(root)])}
