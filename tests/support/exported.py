"""What the tests of exported tests have in common: the kit's own verdicts on the same code."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from click.testing import CliRunner

from wireproof.cli import group as cli
from wireproof.commands import export as export_command
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome
from wireproof.conformance.questions import selection
from wireproof.conformance.vectors import Vector
from wireproof.export import package

#: The names that an exported test has for verdicts; the others have the kit's.
NAMES = {Outcome.OOM: "crash"}


def keep(folder: Path, is_wanted: Callable[[dict[str, Any]], bool]) -> None:
    """Take the other lines out of exported vectors."""
    for path in folder.glob("*/*.jsonl"):
        header, *lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join([header, *(line for line in lines if is_wanted(json.loads(line)))]), "utf-8")


@contextlib.contextmanager
def accepted_line(folder: Path) -> Iterator[str]:
    """In exported vectors, for a while, one line more: bytes that have to be refused, and that another reading takes.
    Gives the id of its verdict. Each codec of the tests takes them."""
    (path,) = folder.rglob("varints.jsonl")
    before = path.read_text("utf-8")
    ops, name = ["decode"], "kafka/varints/accepted"
    line: dict[str, Any] = {"id": name, "kind": "invalid", "ops": ops, "type": "VARINT", "about": "zero", "bytes": "00"}
    line |= {"reject": {"reason": "truncated", "offset": 0}, "twin": {"id": "kafka/varints/varint-0", "bytes": "00"}}
    line |= {"contested": [{"rulings": ["R-K-35"], "ops": ops, "accepts": True}], "rulings": [], "source": ""}
    path.write_text(f"{before}{json.dumps(line)}\n", "utf-8")
    yield f"{name}#decode"
    path.write_text(before, "utf-8")


_made_once = functools.cache(package.export)


def write_export(form: str, folder: Path, *chosen: str) -> None:
    """Run `wireproof export`. The data that another language has been given is not made again."""
    with mock.patch.object(export_command, "make", _made_once):
        result = CliRunner().invoke(cli, ["export", f"--format={form}", str(folder), *chosen])
    assert result.exit_code == 0, result.output


#: More lines than this are no screen.
SCREEN = 60
#: Skipped questions by type, as a run prints them.
SKIPPED = re.compile(r"skipped: (\d+ [^ ,]+, ){5,}\d+ of \d+ other types")


def ask_alone(output: str, folder: Path, **env: str) -> tuple[int, str, dict[str, str]]:
    """Run the command with which the first failure of a run ends. Gives the exit code, the output, and the verdicts by
    id."""
    found = re.search(r"again: +(.+)", output)
    assert found, output[-2000:]
    report = folder / "alone.jsonl"
    done = subprocess.run(
        ["sh", "-c", found[1]],
        cwd=folder,
        env=os.environ | {"WIREPROOF_REPORT": str(report)} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    verdicts = {one["id"]: one["verdict"] for one in map(json.loads, report.read_text("utf-8").splitlines())}
    return done.returncode, done.stdout, verdicts


def by_the_kit(
    spec: str, dialects: Collection[str], areas: Collection[str], timeout: float = 20, more: Iterable[Vector] = ()
) -> dict[str, str]:
    """The kit's verdicts on an implementation, by id, on the vectors of these dialects and areas, and on `more`."""
    with Examiner(open_connection(spec, Options(timeout=timeout))) as examiner:
        chosen = selection.of_vectors([*vectors.load(dialects, areas), *more], examiner.description)
        return {
            one.verdict.id: NAMES.get(one.verdict.outcome, str(one.verdict.outcome)) for one in examiner.judge(chosen)
        }


def differences(found: dict[str, str], by_kit: dict[str, str]) -> dict[str, tuple[str, str | None]]:
    """Where an exported test and the kit differ, by id: (exported, the kit). What only one of them has asked has to be
    a skip there; what the kit has not asked for want of time says nothing."""
    return {
        identifier: (found.get(identifier, "skip"), by_kit.get(identifier, "skip"))
        for identifier in found.keys() | by_kit.keys()
        if found.get(identifier, "skip") != by_kit.get(identifier, "skip")
        if by_kit.get(identifier) != Outcome.NOT_ASKED
    }
