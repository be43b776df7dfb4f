"""Runs released clients with all scripts, and writes what they did into docs/pages/clients.json, from which
`docs/generate.py` makes a page: `python docs/record_clients.py [--again] [NAME…]`. It takes about half a minute a
client, one that starts a JVM each time a minute, on a busy machine twice as long.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

import click
from pages.clients import CLIENTS, RUNS

from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.client_run import ClientRun
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence.known_deviations import load
from wireproof.conformance.judging.client_runs import next_step
from wireproof.conformance.model import Outcome
from wireproof.conformance.questions import find, scripts
from wireproof.conformance.questions.question import Question

#: Seconds for a client, whose own limits add up to less.
TIMEOUT = 12.0
_SCRIPTS = "kafka/unsupported-versions/scripts/"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--again", is_flag=True, help="Only what did not pass, each alone: on a busy machine a client is late.")
def main(names: tuple[str, ...], again: bool) -> None:
    """Run them all, or only those with these NAMES."""
    runs = json.loads(RUNS.read_bytes()) if RUNS.exists() else {}
    for client in tomllib.loads(CLIENTS.read_text("utf-8"))["client"]:
        name = client["name"]
        if names and name not in names:
            continue
        with Examiner(open_connection(client["spec"], Options(timeout=TIMEOUT))) as examiner:
            if not again:
                runs[name] = _runs(examiner, scripts.questions())
            late = [f"{_SCRIPTS}{script}#interpret" for script, (outcome, _) in runs[name].items() if outcome != "pass"]
            for alone in late if again else _unsteady(client["spec"]):
                runs[name] |= _runs(examiner, [find(alone)])
        click.echo(f"{name}: {sum(outcome != Outcome.SKIP for outcome, _ in runs[name].values())} scripts")
    lines = (f"{json.dumps(name)}: {_table(runs[name])}" for name in sorted(runs))
    Path(RUNS).write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _runs(examiner: Examiner, questions: Iterable[Question]) -> dict[str, list[str]]:
    """Script → the outcome, and what the client did."""
    return {
        one.case.id.rpartition("/")[2].partition("#")[0]: [str(one.verdict.outcome), _did(one)]
        for one in examiner.judge(questions)
    }


def _unsteady(spec: str) -> list[str]:
    """Ids of questions that are asked once more, each alone: how often a client tries in a second depends on what runs
    beside it."""
    beside = known_beside(spec)
    deviations = () if beside is None else load(beside, None).deviations
    return [one for entry in deviations if entry.unsteady for one in entry.globs]


def _table(run: dict[str, list[str]]) -> str:
    """One script a line."""
    rows = (f"  {json.dumps(script)}: {json.dumps(did, ensure_ascii=False)}" for script, did in run.items())
    return "{\n" + ",\n".join(rows) + "\n}"


def _did(judged: Judged) -> str:
    """What the client did, in some words."""
    verdict, run = judged.verdict, judged.observation.answer
    if verdict.outcome is Outcome.SKIP:
        return ""
    if isinstance(run, ClientRun):
        ends = "gives up" if run.gave_up else "works"
        step = next_step(run).replace("-", " ")
        fault = verdict.detail.splitlines()[0] if verdict.outcome is Outcome.FAIL and verdict.place != "" else ""
        asked_scripted = any(event.scripted and event.data[:2] == b"\x00\x12" for event in run.events)
        return fault or (f"{step}, {ends}" if asked_scripted else ends)
    return judged.observation.error


if __name__ == "__main__":
    main()
