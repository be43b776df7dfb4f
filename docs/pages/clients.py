"""The page docs/reference/clients.md."""

from __future__ import annotations

import json
import tomllib

from pages.markdown import DOCS, NOTE, ROOT, Lines, cell, code, table
from wireproof.conformance.vectors import scripts

#: The clients, and what they did: name → script → (verdict, what it did).
CLIENTS = ROOT / "implementations" / "clients" / "clients.toml"
RUNS = DOCS / "pages" / "clients.json"
_HEAD = """\
What released clients did with the kit's broker, script by script; `python docs/record_clients.py` runs them. Each
produces one record to the topic `test`, and reads it back, with time limits of some seconds; kafkajs, whose consumer
needs a group, asks where the partition ends. *Works* is an end with exit code 0, *gives up* one with another code.
Before it stands what came after the first answer to ApiVersions that the script gave: *goes on* asks another api,
*falls back to N* asks ApiVersions N, *tries again* asks it once more in the same version, *stops* asks nothing more.
**Bold** is a deviation; what the text leaves open, and the kit does not prefer, is *contested* (R-K-41 ‡, R-K-65 ‡).

A cell is repeated by this command, which shows all frames with their times, too:
"""


def page() -> Lines:
    """A row for each script, a column for each client, and what a public text forbids in what they did."""
    yield from ("# Clients", "", NOTE, "", *_HEAD.splitlines(), "", "```text")
    yield "wireproof repro 'kafka/unsupported-versions/scripts/SCRIPT#interpret' --impl='SPEC' --timeout 12"
    yield from ("```", "")
    clients = tomllib.loads(CLIENTS.read_text("utf-8"))["client"]
    runs = json.loads(RUNS.read_bytes())
    yield from table(("client", "SPEC"), [(cell(one["name"]), code(one["spec"])) for one in clients])
    names = [one["name"] for one in clients]
    told = (
        (script, *(_cell(*runs[name].get(script, ("skip", ""))) for name in names))
        for script in scripts.load()
        if any(runs[name].get(script, ("skip", ""))[0] != "skip" for name in names)
    )
    yield from table(("SCRIPT", *map(cell, names)), told)
    yield from ("## What the scripts are", "")
    yield from table(("SCRIPT", "what the broker does"), [(one.id, cell(one.about)) for one in scripts.load().values()])


def _cell(outcome: str, did: str) -> str:
    """What a client did, and whether it may."""
    match outcome:
        case "skip":
            return "–"
        case "pass":
            return cell(did)
        case "contested":
            return f"{cell(did)}; *contested*"
    return f"**{outcome}: {cell(did)}**"
