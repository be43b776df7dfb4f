"""Writes the pages of docs/ that follow from code and vectors, and the tables of claims in the pages of proposals:
`python docs/generate.py`.

With `--check` it writes nothing. It names the outdated pages, and ends with exit code 1 if there are any.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import click
from pages import (
    agreement,
    bugs,
    clients,
    command_line,
    dialects,
    findings,
    messages,
    proposals,
    readme,
    rulings,
    tables,
)
from pages.markdown import DOCS, ROOT, Lines

PAGES: Mapping[str, Callable[[], Lines]] = {
    "rulings.md": rulings.page,
    "reference/tables.md": tables.page,
    "reference/agreement.md": agreement.page,
    "reference/bugs.md": bugs.page,
    "reference/clients.md": clients.page,
    "reference/command-line.md": command_line.page,
    "reference/coverage-dialects.md": dialects.page,
    "reference/coverage-messages.md": messages.page,
    "reference/findings.md": findings.page,
    **proposals.pages(),
    "../README.md": readme.page,
}


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 when a page is not fresh.")
def main(check: bool) -> None:
    """Write the generated pages of docs/."""
    stale = []
    for name, page in PAGES.items():
        path = DOCS / name
        text = "\n".join(page()).rstrip("\n") + "\n"
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, "utf-8")
    said = "is not fresh: run `python docs/generate.py`" if check else "was written"
    for name in stale:
        click.echo(f"{(DOCS / name).resolve().relative_to(ROOT)} {said}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
