"""`wireproof readings`: which readings of the contested rulings an implementation takes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from wireproof.cli_options import implementation_options, load_vectors, open_examiner
from wireproof.conformance import vectors
from wireproof.conformance.asking.detect_readings import DEMANDED, MIXED, NEITHER, NOT_ASKED, Evidence, find_readings
from wireproof.conformance.connection import Options
from wireproof.conformance.model import Description
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.report.failure import titled_name
from wireproof.conformance.report.text import safe, wrap
from wireproof.console import say_json, show, width

#: How many ids are listed for a reading of a mixed ruling.
_LISTED = 3
#: The column of a ruling's text.
_INDENT = 20


@click.command(epilog="Exit codes: 0 it was found out, 1 nothing could be asked, 2 a usage error.")
@implementation_options
@click.option(
    "--dialect", metavar="NAME", help="The dialect to ask about.  [default: the first one of the implementation]"
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object instead of the table.")
def readings(
    spec: str,
    timeout: float,
    memory: int,
    in_process: bool,
    silence: float,
    allow_remote: bool,
    allow_writes: bool,
    load: int,
    tls_ca: Path | None,
    sasl: str | None,
    prints: str | None,
    transcript: Path | None,
    dialect: str | None,
    as_json: bool,
) -> None:
    """Find out which readings of the contested rulings an implementation takes.

    The protocol leaves some points open, and good implementations differ on them. A ruling marked ‡ demands one reading
    and names the others. This command asks every vector on which the readings differ, and shows for each ruling whether
    the implementation takes the demanded reading, another one, or both now and then. It ends with lines to paste into
    the wrapper, a dict for a Python module and JSON for a program. A reading declared there is reported as contested,
    in generated cases too, and not as a failure.

    \b
    Examples:
        wireproof readings --impl=implementations.kafka_python
        wireproof readings --impl="exec:./wrapper" --json
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    options = Options(
        timeout=timeout,
        memory=memory,
        in_process=in_process,
        transcript=transcript,
        dialect=dialect or Options.dialect,
        silence=silence,
        allow_remote=allow_remote,
        allow_writes=allow_writes,
        load=load,
        tls_ca=tls_ca,
        sasl=sasl,
        prints=prints,
    )
    with open_examiner(spec, options, as_declared=False) as examiner:
        described = examiner.description
        declares = examiner.connection.description
        chosen = _dialect(dialect, described)
        load_vectors((chosen,))  # reports damaged files
        evidence = find_readings(examiner, chosen)
    if as_json:
        say_json(_as_json(described, chosen, evidence), indent=2)
    else:
        show(_page(declares, chosen, evidence, program=spec.startswith("exec:")))
    sys.exit(0 if any(one.shown for one in evidence) else 1)


def _dialect(wanted: str | None, described: Description) -> str:
    there = [name for name in described.dialects if name in vectors.dialects()]
    if wanted is None and there:
        return there[0]
    if wanted not in there:
        said = f"there is no dialect {wanted!r}" if wanted else "it has no dialect of the vector set's"
        raise click.UsageError(
            f"{said}: the implementation has {', '.join(described.dialects)}, "
            f"the vectors {', '.join(vectors.dialects())}"
        )
    return wanted


# --- Output -------------------------------------------------------------------------------------------------------


def _page(
    described: Description,
    dialect: str,
    evidence: list[Evidence],
    *,
    program: bool,
) -> Text:
    out = Text().append(f"{safe(titled_name(described))}, dialect {dialect}\n\n", "bold")
    for finding in evidence:
        _append_finding(out, finding)
    where = "For the program's answer to describe" if program else "For the wrapper"
    out.append(f"\n{where}:\n\n", "bold").append(_json_snippet(evidence) if program else _snippet(evidence))
    wanted = _wanted(evidence)
    asked = {one.ruling.id for one in evidence if one.taken not in (MIXED, NOT_ASKED)}
    missing = [key for key, reading in wanted.items() if not _declares(described, key, reading)]
    needless = [key for key in described.readings if key in asked and key not in wanted]
    if missing:
        out.append(f"\n\nIt does not declare {', '.join(missing)} yet.", "yellow")
    if needless:
        out.append(f"\n\nIt declares {', '.join(needless)}, and no answer shows that reading.", "yellow")
    return out


def _declares(described: Description, ruling: str, wanted: str | Mapping[str, str]) -> bool:
    """Whether a reading is declared, for all types or for those in `wanted`, by whatever patterns."""
    if isinstance(wanted, str):
        return described.readings.get(ruling) == wanted
    return all(described.readings_of(name).get(ruling) == reading for name, reading in wanted.items())


def _append_finding(out: Text, finding: Evidence) -> None:
    taken, ruling = finding.taken, finding.ruling
    style = {DEMANDED: "green", NOT_ASKED: "dim", MIXED: "bold yellow", NEITHER: "bold red"}.get(taken, "yellow")
    out.append(f"{ruling.id:<9}", "bold").append(f"{taken:<11}", style)
    first, *rest = wrap(safe(ruling.question), width() - _INDENT) or [""]
    out.append(f"{first}\n")
    for line in rest:
        out.append(f"{'':{_INDENT}}{line}\n")
    if finding.declared:
        _append_prose(out, f"takes: {ruling.other}")
    for reading, ids in finding.shown.items():
        if taken == MIXED or reading == NEITHER:
            name = "wrong in every reading" if reading == NEITHER else reading
            more = f" and {len(ids) - _LISTED} more (--json has all)" if len(ids) > _LISTED else ""
            _append_prose(out, f"{name}: {', '.join(ids[:_LISTED])}{more}")


def _append_prose(out: Text, text: str) -> None:
    for line in wrap(safe(text), width() - _INDENT):
        out.append(f"{'':{_INDENT}}{line}\n", "dim")


def _snippet(evidence: list[Evidence]) -> str:
    """The dict to paste. A mixed reading is a comment in it: a person has to decide."""
    lines = []
    for one in evidence:
        if one.declared:
            lines.append(f'    "{one.ruling.id}": "{one.declared}",  # {one.ruling.other}')
        elif by_type := _by_type(one):
            lines.append(f'    "{one.ruling.id}": {json.dumps(by_type)},  # {one.ruling.other}, in these types')
        elif one.taken == MIXED:
            lines += [f'    # "{one.ruling.id}": "{name}",  # mixed: now and then' for name in one.others]
    return "\n".join(["readings = {", *lines, "}"]) if lines else "readings = {}"


def _json_snippet(evidence: list[Evidence]) -> str:
    """JSON to paste, for a program. JSON has no comments, so mixed readings follow it."""
    taken = _wanted(evidence)
    mixed = [
        f"{one.ruling.id} is mixed: now and then {', '.join(one.others)}"
        for one in evidence
        if one.taken == MIXED and one.ruling.id not in taken
    ]
    return "\n".join([f'"readings": {json.dumps(taken)}', *mixed])


def _as_json(described: Description, dialect: str, evidence: list[Evidence]) -> dict[str, Any]:
    return {
        "implementation": {"name": described.name, "version": described.version, "language": described.language},
        "dialect": dialect,
        "rulings": [
            {"ruling": one.ruling.id, "question": one.ruling.question, "taken": one.taken, "shown": one.shown}
            for one in evidence
        ],
        "readings": _wanted(evidence),
    }


def _wanted(evidence: list[Evidence]) -> dict[str, str | dict[str, str]]:
    """What to declare: of a mixed reading the types that always take another one."""
    wanted = {one.ruling.id: one.declared or _by_type(one) for one in evidence}
    return {ruling: declared for ruling, declared in wanted.items() if declared}


def _by_type(one: Evidence) -> dict[str, str]:
    """For a mixed reading: the types in which all answers are those of one other reading, with its name. Empty if there
    are none."""
    if one.taken != MIXED:
        return {}
    types = {identifier: find(identifier).case.type for ids in one.shown.values() for identifier in ids}
    demanded = {*one.shown.get(DEMANDED, ())}
    found: dict[str, str] = {}
    for name in one.others:
        for type_name in dict.fromkeys(types[identifier] for identifier in one.shown[name]):
            of_type = {identifier for identifier, its_type in types.items() if its_type == type_name}
            if type_name is not None and of_type <= {*one.shown[name]} and not of_type <= demanded:
                found.setdefault(type_name, name)
    return found
