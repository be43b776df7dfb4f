"""The installed kit as pipx and uvx offer it: scripts alone, linked from a folder in the PATH, in nobody's environment.

    python tests/as_a_tool.py FOLDER      FOLDER holds the scripts of the environment that the kit was installed into

It needs the standard library alone. The exit code is 1 where a command does not do what the how-to says.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

#: A command, and what it prints.
COMMANDS = (
    (("wireproof", "new", "wrapper", "exec", "."), "wrapper.py runs as it is"),
    (("wireproof", "wrapper", "check", "exec:./wrapper.py"), "describe"),
    (("pytest", "--impl=exec:./wrapper.py", "--area=framing"), " passed"),
    (("wireproof", "repro", "kafka/framing/int32-0#decode", "--impl=exec:./wrapper.py"), "pass"),
)


def main(scripts: Path) -> int:
    """Run the commands in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder) / "tools"
        tools.mkdir()
        for name in ("wireproof", "pytest"):
            (tools / name).symlink_to(scripts / name)
        work = Path(folder) / "work"
        work.mkdir()
        env = {"PATH": f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": folder, "LANG": "C.UTF-8"}
        for words, said in COMMANDS:
            done = subprocess.run(words, cwd=work, env=env, capture_output=True, text=True, check=False)
            if done.returncode or said not in done.stdout:
                sys.stderr.write(f"{words}: exit code {done.returncode}; {said!r} was expected in\n{done.stdout}")
                sys.stderr.write(done.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
