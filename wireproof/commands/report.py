"""`wireproof report`: the reports of runs as one page for the browser."""

from __future__ import annotations

from pathlib import Path

import click

from wireproof.cli_options import use_vectors, vectors_option
from wireproof.conformance.files import opened
from wireproof.conformance.report.jsonl import Report, read_reports
from wireproof.console import say
from wireproof.html.matrix import matrix_data, title
from wireproof.html.options import check_free, html_options, write
from wireproof.html.page import page


@click.command(epilog="Exit codes: 0 the page is written, 2 a usage error.")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(dir_okay=False, exists=True, path_type=Path)
)
@html_options
@vectors_option
def report(files: tuple[Path, ...], html: Path | None, overwrite: bool, folders: tuple[Path, ...]) -> None:
    """Make a page of runs, to be looked at in a browser and sent around.

    FILE is a report, as `pytest --impl=… --report=FILE` writes it; `wireproof matrix` keeps one for each run. The page
    shows implementations by areas. A cell opens its findings, a finding its cases, a case its bytes, the expected and
    the actual answer, the rule and the command that repeats it. It is one file, and loads nothing from anywhere. What
    is open and how it is filtered is in its address, which can be shared.

    \b
    Examples:
        wireproof report run.jsonl --html run.html
        wireproof report ~/.cache/wireproof/matrix/*.jsonl --html matrix.html
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    if html is None:
        raise click.UsageError("say where to write the page: --html OUT")
    check_free(html, overwrite=overwrite)
    if html.exists() and any(html.samefile(path) for path in files):
        raise click.UsageError(f"--html={html}: the page would replace a report; name another file")
    use_vectors(folders)
    read = [(path.name, one) for path in files for one in _read(path)]
    names = ", ".join(dict.fromkeys(title(one) for _, one in read))
    write(html, page("matrix", matrix_data(read), title=f"Conformance of {names}"), overwrite=overwrite)
    verdicts = sum(len(one.lines) for _, one in read)
    say(f"{len(read)} {'run' if len(read) == 1 else 'runs'}, {verdicts:,} verdicts; page: {html}")


def _read(path: Path) -> tuple[Report, ...]:
    """The reports in a file. Raises ReportError, click.UsageError, and OSError."""
    with opened(path) as file:
        found = read_reports(file, str(path))
    if not found:
        raise click.UsageError(f"{path}: there is no report in it: it is empty")
    return found
