"""The installed kit, away from its sources: run by `tox -e wheel` and `tox -e lowest`.

    python tests/installed.py SCRIPTS GROUP…      SCRIPTS: the folder of the scripts of the kit's environment

Each group of commands runs in a folder of its own, by the scripts alone, linked from a folder in the PATH, as pipx and
uvx offer them. The folder of all groups but `tool` holds a wrapper, `mine.py`, and packages of the user's that have the
names of the kit's folders and refuse to be imported. This program needs the standard library alone. The exit code is 1
where a command does not end as the table says, or where a file of the kit is not installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The kit's top-level folders, the names of which a user's packages may have.
FOLDERS = ("conformance", "fuzz", "pipeline", "reference", "vectors")

#: A codec of VARINT, without a fault.
MINE = """\
name = "mine"
types = {"kafka": {"VARINT": None}}


def decode(type, data, *, dialect, version=None):
    value = 0
    for place, byte in enumerate(data[:5]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            if place + 1 != len(data) or value >= 1 << 32:
                raise ValueError("no varint")
            return value >> 1 ^ -(value & 1)
    raise ValueError("cut off")


def encode(type, value, *, dialect, version=None):
    if not -1 << 31 <= value < 1 << 31:
        raise ValueError("out of range")
    value = value << 1 ^ value >> 31
    value &= 0xFFFFFFFF
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
"""

#: By group: the words of a command, its exit code, and what it prints.
COMMANDS: dict[str, tuple[tuple[str, int, str], ...]] = {
    "tool": (
        ("wireproof new wrapper exec .", 0, "wrapper.py runs as it is"),
        ("wireproof wrapper check exec:./wrapper.py", 0, "describe"),
        ("pytest --impl=exec:./wrapper.py --area=framing", 0, " passed"),
        ("wireproof repro kafka/framing/int32-0#decode --impl=exec:./wrapper.py", 0, "pass"),
    ),
    "suite": (
        ("wireproof --version", 0, "vectors"),
        ("wireproof explain VARINT 02", 0, "value    1"),
        ("python -m wireproof explain VARINT 02 --html page.html", 0, "page.html"),
        ("pytest --impl=mine", 0, " passed"),
        ("python -m pytest --impl=mine -p no:cacheprovider", 0, " passed"),
        ("pytest --pyargs wireproof.conformance --impl=mine --properties=2", 0, " passed"),
        ("wireproof repro kafka/varints/varint-1#decode --impl=mine", 0, "pass"),
    ),
    "usage": (
        ("wireproof repro", 2, "Missing argument"),
        ("wireproof", 2, "Commands:"),
        ("wireproof explain", 2, "Missing argument"),
        ("wireproof explain VARINT zz", 2, "no hex digit"),
        ("wireproof explain VARINT ff", 1, "truncated"),
        ("wireproof explian", 2, "Did you mean explain?"),
        ("wireproof explain --nothing", 2, "No such option"),
        ("wireproof repro kafka/varints/varint-1#decode --impl=nothing", 2, "there is no module"),
        ("pytest --impl=nothing", 4, "there is no module"),
    ),
    "workers": (("pytest --impl=mine --impl=wireproof.reference.fast:reference --area=varints -n 2", 0, " passed"),),
    "fuzz": (
        ("wireproof fuzz run differential --impl=mine --time 1m --runs 300", 0, "0 new findings"),
        ("wireproof fuzz run decode --time 1x", 2, "is no time"),
    ),
    "pipeline": (
        (
            "wireproof pipeline run --cases 50 --type VARINT --impl=mine --out runs --master local[2]",
            0,
            "0 new findings",
        ),
    ),
}


def main(scripts: Path, groups: list[str]) -> int:
    """Run the commands of these groups."""
    faults = [*_missing(scripts)]
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder, "tools")
        tools.mkdir()
        for name in ("wireproof", "pytest"):
            (tools / name).symlink_to(scripts / name)
        env = {"PATH": f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": folder, "LANG": "C.UTF-8"}
        for group in groups:
            work = Path(folder, group)
            work.mkdir()
            if group != "tool":
                _crowd(work)
            faults += filter(None, (_fault(scripts, work, env, *command) for command in COMMANDS[group]))
    sys.stderr.write("\n".join(faults))
    return 1 if faults else 0


def _crowd(work: Path) -> None:
    (work / "mine.py").write_text(MINE)
    for name in FOLDERS:
        (work / name).mkdir()
        (work / name / "__init__.py").write_text('raise ImportError("this is the user\'s own package")\n')


def _fault(scripts: Path, work: Path, env: dict[str, str], command: str, code: int, said: str) -> str | None:
    """Run a command. Returns what is wrong with its end, or None."""
    program, *words = command.split(" ")
    if program == "python":
        program = str(scripts / program)
    done = subprocess.run([program, *words], cwd=work, env=env, capture_output=True, text=True, check=False)
    if done.returncode == code and said in done.stdout + done.stderr and "Traceback" not in done.stderr:
        return None
    return f"{command}: exit code {done.returncode}, not {code}; {said!r} was expected in\n{done.stdout}{done.stderr}"


def _missing(scripts: Path) -> list[str]:
    """The files of the kit in the sources that are not installed."""
    shown = "import pathlib, wireproof; print(pathlib.Path(wireproof.__file__).parents[1])"
    done = subprocess.run([scripts / "python", "-P", "-c", shown], capture_output=True, text=True, check=True)
    installed = Path(done.stdout.strip())
    return [
        f"{name} is not installed in {installed}"
        for listed in _sources()
        if not (installed / (name := _place(listed))).is_file()
    ]


def _sources() -> list[str]:
    folders = (*FOLDERS, "wireproof", "pytest_wireproof")
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return [file for file in listed.stdout.split("\0") if file and not (ROOT / file).is_symlink()]


def _place(source: str) -> str:
    return f"wireproof/{source}" if source.startswith(tuple(f"{name}/" for name in FOLDERS)) else source


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute(), sys.argv[2:]))
