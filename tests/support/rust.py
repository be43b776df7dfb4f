"""The wrappers of Rust's libraries; `implementations/rust/build` builds them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from support import toolchains
from support.paths import ROOT
from support.toolchains import skip_without

FOLDER = ROOT / "implementations" / "rust"
#: Library → the folder of its wrapper.
LIBRARIES = {
    "kafka-protocol": "kafka-protocol",
    "kacrab-protocol": "kacrab-protocol",
    "kafka_wire_protocol": "kafka-wire-protocol",
}
#: A member of the workspace that is copied, and its library.
COPIED = "kacrab-protocol"


def spec(library: str) -> str:
    """What `--impl` takes."""
    return f"exec:{FOLDER / LIBRARIES[library] / 'wrapper'}"


def run(program: Path, *arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """One whole run of a launcher."""
    command = [str(program), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=os.environ | env, check=False)


def built() -> Path:
    """The folder that `build` fills."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("WIREPROOF_RUST_BUILD") or cache / "wireproof" / "rust")


def skip_unless_built() -> None:
    """Skip, with what to do, where a wrapper does not run; under CI that is a failure."""
    skip_without("cargo")
    tried = run(FOLDER / COPIED / "wrapper")
    if tried.returncode == 2:
        toolchains.missing(tried.stderr.strip())


def build_changed(changes: dict[str, list[tuple[str, str]]]) -> Path:
    """Build kacrab-protocol's wrapper with a changed copy of the library.

    `changes`: file of the library → texts and what they are replaced by, each of which stands there once. Returns
    a folder for WIREPROOF_RUST_BUILD. It lies beside the wrappers that are built, so that a second run builds little.
    """
    folder = built() / "changed"
    library = folder / "library"
    # Only files that differ are written: cargo builds what is newer.
    _copy(_source_of_library(), library, changes)
    _copy(FOLDER / "lines", folder / "lines", {})
    _copy(FOLDER / COPIED, folder / COPIED, {})
    manifest = (FOLDER / "Cargo.toml").read_text("utf-8")
    members = '["lines", "kafka-protocol", "kacrab-protocol", "kafka-wire-protocol", "rskafka"]'
    assert members in manifest
    manifest = manifest.replace(members, f'["lines", "{COPIED}"]')
    _write(folder / "Cargo.toml", f'{manifest}\n[patch.crates-io]\n{COPIED} = {{ path = "library" }}\n')
    _write(folder / "Cargo.lock", (FOLDER / "Cargo.lock").read_text("utf-8"))
    command = ["cargo", "build", "--release", "--quiet", "--offline", "--config", "profile.release.opt-level=0"]
    target = {"CARGO_TARGET_DIR": str(folder / "target")}
    subprocess.run(command, cwd=folder, env=os.environ | target, check=True)
    shutil.copy(built() / "built", folder / "built")
    return folder


def _source_of_library() -> Path:
    # Without a platform it asks for the sources of what only other platforms need, which the build has not fetched.
    about = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = next(line for line in about.splitlines() if line.startswith("host: ")).removeprefix("host: ")
    command = ["cargo", "metadata", "--format-version=1", "--offline", f"--filter-platform={host}"]
    told = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True)
    (found,) = (one for one in json.loads(told.stdout)["packages"] if one["name"] == COPIED and one["source"])
    return Path(found["manifest_path"]).parent


def _copy(source: Path, target: Path, changes: dict[str, list[tuple[str, str]]]) -> None:
    for path in source.rglob("*"):
        if path.suffix not in {".rs", ".toml", ".md"}:
            continue
        text = path.read_text("utf-8")
        for right, wrong in changes.get(str(path.relative_to(source)), []):
            assert text.count(right) == 1, right
            text = text.replace(right, wrong)
        _write(target / path.relative_to(source), text)


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
