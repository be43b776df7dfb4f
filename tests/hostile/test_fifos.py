"""A FIFO in the place of a file that a command reads is told, or left out; nobody waits for one who writes into it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

#: Seconds that a command takes at most.
SECONDS = 100
KIP_82 = "--dialect=kip-82-int-keys"
CORPUS = "kept/corpus/decode/kafka/a"
ATTESTED = "vectors/attested/codec.jsonl"
WIREPROOF = ("-P", "-m", "wireproof")
#: Runs a command as in the clone that the current folder is.
CLONE = ("-c", "import pathlib, sys; from wireproof.clone import registry; registry.ROOT = pathlib.Path.cwd(); "
         "from wireproof import cli; cli.main(sys.argv[1:])")  # fmt: skip
SUITE = ("-P", "-m", "pytest", "-q", "--impl=reference", "--area=framing", "-k", "boolean-false")
SEGMENT = "orders-0/00000000000000000000.log"
CODECS = ("codec.py", "registry")
CODEC = """\
from wireproof.reference import decode, encode

types = {"kafka": {"BOOLEAN": None}}
"""

#: What a command says of a FIFO, or of a folder or a place in which there is no file, only a FIFO.
TOLD = (
    "FIFO",
    "there is no message schema",
    "no log segment",
    "is neither",
    "in a clone",
    "holds other things",
    "with inputs",
    "no attestations",
)


@dataclass(frozen=True)
class Reads:
    """A command that reads the file `place`. `other`: what has to be there. `left_out`: it goes on without it."""

    place: str
    command: Sequence[str]
    other: tuple[str, ...] = ()
    left_out: bool = False
    needs: str = "wireproof"


READS = {
    "vectors": Reads("own/a.json", (*SUITE, "--vectors=own")),
    "known": Reads("known.toml", (*SUITE, "--known=known.toml")),
    "known beside": Reads("codec.known.toml", (*SUITE[:4], "--impl=codec", *SUITE[5:]), ("codec.py",), left_out=True),
    "report html": Reads("a.jsonl", (*WIREPROOF, "report", "--html=page.html", "a.jsonl")),
    "explain": Reads("bytes", (*WIREPROOF, "explain", "INT32", "@bytes")),
    "explain request": Reads("bytes", (*WIREPROOF, "explain", "--request=@bytes", "00000000")),
    "explain register": Reads("a.csv", (*WIREPROOF, "explain", KIP_82, "--register=a.csv", "INT8", "00")),
    "explain schema": Reads("A.json", (*WIREPROOF, "explain", "--dialect=kip-482-v1", "--schema=A.json", "A", "00")),
    "repro": Reads("own/a.json", (*WIREPROOF, "repro", "kafka/own/a#decode", "--vectors=own", "--impl=reference")),
    "schema import": Reads("schemas/A.json", (*WIREPROOF, "schema", "import", "schemas", "out")),
    "schema import jar": Reads("kafka.jar", (*WIREPROOF, "schema", "import", "kafka.jar", "out")),
    "schema diff": Reads("a.json", (*WIREPROOF, "schema", "diff", "a.json", "a.json")),
    "schema diff folders": Reads("a/A.json", (*WIREPROOF, "schema", "diff", "a", "a")),
    "fuzz known": Reads("known.toml", (*WIREPROOF, "fuzz", "run", "decode", "--known=known.toml"), needs="atheris"),
    "fuzz vectors": Reads("own/a.json", (*WIREPROOF, "fuzz", "run", "decode", "--vectors=own"), needs="atheris"),
    "fuzz log": Reads("kept/campaign.jsonl", (*WIREPROOF, "fuzz", "run", "decode", "--out=kept"), needs="atheris"),
    "fuzz finding": Reads("kept/findings/a.json", (*WIREPROOF, "fuzz", "run", "decode", "--out=kept"), needs="atheris"),
    "fuzz findings": Reads("kept/findings/a.json", (*WIREPROOF, "fuzz", "findings", "kept")),
    "fuzz mended": Reads("kept/mended/a.json", (*WIREPROOF, "fuzz", "findings", "kept")),
    "fuzz promote": Reads("a.json", (*WIREPROOF, "fuzz", "promote", "a.json", "out.json")),
    "fuzz minimise": Reads(CORPUS, (*WIREPROOF, "fuzz", "minimise", "kept"), left_out=True, needs="atheris"),
    "matrix registry": Reads("implementations/registry.toml", (*CLONE, "matrix", "--out=runs")),
    "matrix known": Reads("codec.known.toml", (*CLONE, "matrix", "--out=runs"), CODECS, left_out=True),
    "attest": Reads(ATTESTED, (*CLONE, "attest", "--check", "--impl=codec"), CODECS),
    "attest show": Reads(ATTESTED, (*CLONE, "attest", "--show"), CODECS),
    "triage": Reads("a.jsonl", (*WIREPROOF, "pipeline", "triage", "a.jsonl"), needs="pyspark"),
    "triage campaign": Reads("kept/findings/a.json", (*WIREPROOF, "pipeline", "triage", "kept"), needs="pyspark"),
    "audit segment": Reads(SEGMENT, (*WIREPROOF, "pipeline", "audit", SEGMENT), needs="pyspark"),
    "audit folder": Reads(SEGMENT, (*WIREPROOF, "pipeline", "audit", "orders-0"), needs="pyspark"),
    "audit capture": Reads("a.pcap", (*WIREPROOF, "pipeline", "audit", "a.pcap"), needs="pyspark"),
    "audit connection": Reads("a.requests", (*WIREPROOF, "pipeline", "audit", "a.requests"), needs="pyspark"),
    "audit list": Reads("list", (*WIREPROOF, "pipeline", "audit", "--files-from=list"), needs="pyspark"),
    "pipeline runs": Reads("out/runs.jsonl", (*WIREPROOF, "pipeline", "report", "--out=out"), needs="pyspark"),
    "pipeline corpus": Reads(CORPUS, (*WIREPROOF, "pipeline", "corpus", "kept", "--out=out"), needs="pyspark"),
}


def other(name: str, folder: Path) -> None:
    """A file that a command needs beside."""
    if name == "registry":
        (folder / "pyproject.toml").touch()
        (folder / "implementations").mkdir(exist_ok=True)
        (folder / "implementations" / "registry.toml").write_text(
            '[[implementation]]\nname = "codec"\nspec = "codec"\nlanguage = "python"\n'
        )
    else:
        (folder / name).write_text(CODEC)


@pytest.mark.parametrize("reads", READS.values(), ids=READS)
def test_a_fifo_in_place_of_a_file(reads: Reads, tmp_path: Path) -> None:
    pytest.importorskip(reads.needs)
    for name in reads.other:
        other(name, tmp_path)
    place = tmp_path / reads.place
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    done = subprocess.run(
        [sys.executable, *reads.command],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    if reads.left_out:
        assert done.returncode == 0, said
    else:
        assert done.returncode in (1, 2, 4), said
        assert any(words in said for words in TOLD), said
