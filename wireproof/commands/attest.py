"""`wireproof attest`: which released implementations agree with the expectations of the vectors."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from wireproof.cli_options import memory_option, patient_timeout_option
from wireproof.clone import attestations, registry
from wireproof.clone.known_issues import Example, explaining
from wireproof.clone.registry import Implementation
from wireproof.conformance.connection import ImplementationError, Options
from wireproof.conformance.evidence import attestation, consensus, known_deviations
from wireproof.conformance.evidence.attestation import Answer, Attestation, Result
from wireproof.conformance.evidence.consensus import Counts, ExpectationSupport, Support
from wireproof.conformance.evidence.known_deviations import KnownDeviation
from wireproof.conformance.files import MIB, read_bytes
from wireproof.conformance.report.text import middle, safe
from wireproof.conformance.vectors import VectorError
from wireproof.conformance.writing import Folder, marked
from wireproof.console import progress, say, show, width

#: So many sorts of expectations with more dissent than agreement are shown; with `--all` every one.
_SHOWN = 20
#: The largest file of attestations that is read; they have some 5 MiB.
_LARGEST = 256 * MIB
#: So many places in which a file differs from its run.
_SHOWN_DIFFERENCES = 5
_UNKNOWN = "no entry of known deviations names it"


@click.command(
    epilog="Exit codes: 0 it was done, 1 with --check a file is not what the run gives, 2 a usage error, or nothing "
    "could be asked."
)
@click.option(
    "--impl",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="The implementation, by its spec or its name in implementations/registry.toml (repeatable).  [default: all "
    "that this machine can run]",
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file is not what the run gives.")
@click.option("--show", "shown", is_flag=True, help="Ask nothing; show what the files say of the vectors.")
@click.option(
    "--all", "every", is_flag=True, help="With --show: every sort of expectation with more dissent than agreement."
)
@patient_timeout_option
@memory_option
def attest(specs: tuple[str, ...], check: bool, shown: bool, every: bool, timeout: float, memory: int) -> None:
    """Record which released implementations agree with the vectors.

    Asks independent implementations the vectors and the message ledger of the dialect `kafka`, and writes a file for
    each to vectors/attested/: who agrees with each expectation, and who dissents. A known deviation is a dissent too.
    A vector that is new, or that has changed, has no attestation until this is run again.

    An expectation should have two independent groups of implementations beside the reference. --show counts those that
    have them, and the others by reason, and lists those against which dissent outweighs agreement.

    \b
    Examples:
        wireproof attest
        wireproof attest --impl kio --impl kafka-clients
        wireproof attest --check
        wireproof attest --show
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    if shown and (check or specs):
        raise click.UsageError("--show asks nothing: it goes without --check and --impl")
    if every and not shown:
        raise click.UsageError("--all belongs to --show")
    wanted = registry.chosen(specs)
    if shown:
        show(_page(attestation.load(attestations.folder()), wanted, None if every else _SHOWN))
        return
    options = Options(timeout=timeout, memory=memory)
    asked, stale = 0, []
    for one in wanted:  # each file is written before the next one is asked
        made = _ask(one, options, required=bool(specs))
        if made is not None:
            asked += 1
            stale += [] if _settle(one, made, check=check) else [one.name]
    if not asked:
        raise click.UsageError("none of the implementations can be asked on this machine")
    if not specs:
        stale += _left_over(wanted)
    if check and stale:
        say(f"not what the run gives: {', '.join(stale)}; `wireproof attest` writes these files again")
    sys.exit(1 if check and stale else 0)


def _ask(implementation: Implementation, options: Options, *, required: bool) -> Attestation | None:
    """Its attestation; None, and a line, if it cannot be asked here. Raises click.UsageError if it was named."""
    progress(f"{implementation.name} …")
    try:
        return attestations.attest(implementation, options)
    except ImplementationError as error:
        why = str(error).strip().partition("\n")[0]
        if required:
            raise click.UsageError(f"{implementation.name} cannot be asked ({implementation.remedy}): {why}") from None
        say(f"\n{implementation.name}: not asked, its file stays ({implementation.remedy}): {why}", err=True)
        return None
    finally:
        progress("")


def _settle(implementation: Implementation, made: Attestation, *, check: bool) -> bool:
    """Compare a file with its run, and write it unless `check`. Whether it was right."""
    path = attestations.file_of(implementation)
    where = _differences(path, made)
    if where and not check:
        Folder(path.parent).write(path.name, attestation.encoded(made), marked(b'{"attested":'))
    counts = _counts(made)
    state = "unchanged" if not where else "differs" if check else "written"
    numbers = ", ".join(f"{counts[result]:,} {word}" for result, word in _WORDS.items() if counts[result])
    say(f"{made.header.title}: {numbers}: {state}")
    if where and check:
        more = len(where) - _SHOWN_DIFFERENCES
        say(f"  differs at {', '.join(where[:_SHOWN_DIFFERENCES])}{f' and {more:,} more' if more > 0 else ''}")
    return not where


def _differences(path: Path, made: Attestation) -> list[str]:
    """Where a file is not what a run gives, if only that it cannot be read."""
    name = f"vectors/{attestation.FOLDER}/{path.name}"
    try:
        kept = attestation.parse(read_bytes(path, _LARGEST), name)
    except FileNotFoundError:
        return [f"{name}: there is none"]
    except (OSError, VectorError) as error:
        return [middle(str(error), 200)]
    return list(consensus.differences(kept, made))


_WORDS = {
    Result.AGREE: "agree",
    Result.DISSENT: "dissent",
    Result.CONTESTED: "contested",
    Result.UNJUDGED: "not judged",
}


def _counts(made: Attestation) -> Counter[Result]:
    return Counter(
        answer.result for expectation in consensus.of_expectations([made]) for _, answer in expectation.answers
    )


def _left_over(wanted: Sequence[Implementation]) -> list[str]:
    """Files of implementations that the registry does not have."""
    names = {one.name for one in wanted}
    found = sorted(path.stem for path in attestations.folder().glob("*.jsonl") if path.stem not in names)
    for name in found:
        say(f"vectors/{attestation.FOLDER}/{name}.jsonl: the registry has no such implementation: remove the file")
    return found


# --- Showing ----------------------------------------------------------------------------------------------------------


def _page(files: Sequence[Attestation], wanted: Sequence[Implementation], most: int | None) -> Group:
    if not files:
        raise click.UsageError(f"there are no attestations in {attestations.folder()}: run `wireproof attest`")
    counted = consensus.count(consensus.of_expectations(files))
    titles = Text("asked: ", "bold").append(
        ", ".join(
            safe(
                f"{one.header.title} ({one.header.group})" if one.header.group != one.header.name else one.header.title
            )
            for one in files
        )
    )
    return Group(titles, "", _table(counted), "", *_disputed(counted, _Explained(files, wanted), most))


def _table(counted: Counts) -> Table:
    """A row for each area and reason."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("expectations by area", no_wrap=True)
    table.add_column("number", justify="right")
    table.add_column("share", justify="right")
    two, codec = counted.codec
    table.add_row(Text("of codecs", "bold"), f"{codec:,}", "")
    table.add_row(Text(f"  {Support.TWO}", "green"), f"{two:,}", f"{100 * two / codec:.1f} %")
    for area in (None, *counted.areas()):
        total = counted.total(area)
        table.add_row(Text(area or "all", "bold"), f"{total:,}", "")
        for support in Support:
            count = counted.total(area, support)
            if count:
                style = "green" if support is Support.TWO else ""
                table.add_row(Text(f"  {support}", style), f"{count:,}", f"{100 * count / total:.1f} %")
    return table


def _disputed(counted: Counts, explained: _Explained, most: int | None) -> Iterator[Text]:
    """The expectations against which more groups dissent than agree. Those of which all say the same, for the same
    known reasons, are one sort; those with an unknown dissent come first."""
    alike: dict[tuple[tuple[str, str, str], ...], list[ExpectationSupport]] = {}
    for expectation in counted.disputed:
        answers = tuple(
            (file.header.title, answer.kind or str(answer.result), explained.why(expectation, file, answer))
            for file, answer in expectation.answers
        )
        alike.setdefault(answers, []).append(expectation)
    ordered = sorted(alike.items(), key=lambda item: (all(why != _UNKNOWN for _, _, why in item[0]), -len(item[1])))
    found = f"{len(counted.disputed):,} expectations against which more groups dissent than agree"
    yield Text(f"{found}, in {len(alike):,} sorts", "bold")
    for answers, same in ordered[:most]:
        first = same[0]
        more = f", and {len(same) - 1:,} more" if len(same) > 1 else ""
        yield Text(f"\n{safe(first.id)}{more}").append(f"\n  {safe(first.vector.about)}", "dim")
        for title, word, why in answers:
            line = Text(f"  {safe(title)}: ").append(word, "" if not why else "red")
            yield line.append(f"; {safe(middle(why, 3 * width()))}", "dim") if why else line
        yield _decided(first)
    if most is not None and len(ordered) > most:
        yield Text(f"\n… and {len(ordered) - most:,} sorts more (--all lists them)", "dim")


def _decided(expectation: ExpectationSupport) -> Text:
    """How it was decided who is right."""
    found = consensus.decision(expectation, consensus.load_decisions())
    if found is None:
        return Text(
            f"  not decided: vectors/{attestation.FOLDER}/{consensus.DECISIONS} has no decision about it", "yellow"
        )
    return Text(f"  decided, {found.outcome}: ").append(safe(found.why), "dim")


class _Explained:
    """The entries of known deviations that explain a dissent."""

    def __init__(self, files: Sequence[Attestation], wanted: Sequence[Implementation]) -> None:
        by_name = {one.name: one.known_file for one in wanted}
        self._entries: dict[str, tuple[KnownDeviation, ...]] = {}
        for one in files:
            path = by_name.get(one.header.name)
            self._entries[one.header.name] = known_deviations.load(path, one.header.version).deviations if path else ()

    def why(self, expectation: ExpectationSupport, file: Attestation, answer: Answer) -> str:
        """The class and reason of the entry that names this case, or that may be about it; empty for no dissent."""
        if answer.result is not Result.DISSENT:
            return ""
        shown = Example(expectation.vector, expectation.op)
        entries = explaining(self._entries[file.header.name], shown, answer.kind)
        if not entries:
            return _UNKNOWN
        certain = "known" if entries[0].globs else "probably known"
        return f"{certain}, {entries[0].kind}: {entries[0].reason}"
