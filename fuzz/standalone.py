"""Runs a target as a program with libFuzzer's options, as OSS-Fuzz and ClusterFuzzLite need it.

    from wireproof.fuzz.standalone import main
    main("differential", impl="my_codec", dialect="kafka")

It asks and judges as a campaign does, in one process. The first deviation that is not in the known file is shown like a
failure of the suite, and ends the program like a crash. libFuzzer then keeps the input, and the service repeats,
minimises and reports it.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

try:
    import atheris
except ModuleNotFoundError:
    sys.stderr.write("fuzzing needs atheris, which is not installed: pip install 'wireproof[fuzz]'\n")
    sys.exit(2)

from wireproof.fuzz.process import instrument

#: The width of a shown deviation, in columns.
_WIDTH = 100


class Deviation(Exception):  # noqa: N818 (fuzzing services show this name)
    """The implementation deviates."""


def main(
    target: str,
    *,
    impl: str,
    dialect: str = "kafka",
    type: str | None = None,
    packages: Sequence[str] = (),
    known: str | None = None,
) -> NoReturn:
    """Run a target on a Python module until libFuzzer ends it, or until it deviates.

    `type`: only this type. `packages`: packages to instrument in addition to the module's own. `known`: a file of known
    deviations. libFuzzer's options are those of the command line; without `-dict=FILE` among them, the dictionary of a
    campaign is used. Call this before you import other parts of the kit or the implementation: modules that are already
    imported cannot be instrumented.
    """
    if instrument.REFERENCE in sys.modules:
        raise RuntimeError(
            "the kit was imported before it could be instrumented: call wireproof.fuzz.standalone.main first"
        )
    generated = instrument.install(
        {instrument.REFERENCE, impl.partition(":")[0].partition(".")[0], *packages}, dialect, target
    )
    from wireproof.conformance.connection import ImplementationError
    from wireproof.conformance.evidence.known_deviations import KnownError
    from wireproof.conformance.report.text import paragraph
    from wireproof.fuzz.corpus.seeding import dictionary_file, words
    from wireproof.fuzz.errors import FuzzError
    from wireproof.fuzz.process.mutator import Mutator
    from wireproof.fuzz.targets.session_start import open_session

    first = _First()
    try:
        session = open_session(impl, target, dialect, first, only=type, known=known)
    except (FuzzError, ImplementationError, KnownError) as error:
        sys.stderr.write(f"{paragraph(str(error))}\n")
        sys.exit(2)
    instrument.show_branches()

    def one_input(raw: bytes) -> int:
        taken = session.execute(raw)
        generated.one_more()
        if first.finding is not None:
            _leave(first.finding, impl, session.examiner.description)
        return 0 if taken else -1

    given = sys.argv[1:]
    known_words = words(session.kind, dialect)
    if known_words and not any(argument.startswith("-dict=") for argument in given):
        # A file in memory: libFuzzer ends the process, so nobody could delete one on a disk.
        memory = os.memfd_create("dictionary")
        os.write(memory, dictionary_file(known_words))
        given.append(f"-dict=/proc/{os.getpid()}/fd/{memory}")
    mutator = Mutator(session.forms, instrument.basic_mutation, drawn=session.kind.draws)
    atheris.Setup([_command(), *given], one_input, custom_mutator=mutator)
    atheris.Fuzz()
    os._exit(0)  # Fuzz returns only after it ran given inputs; libFuzzer would exit with 0 as well


def _command() -> str:
    """This program for a shell, without its options: libFuzzer runs it again for -fork, -jobs, -merge and others."""
    options = len(sys.argv) - 1
    return shlex.join([sys.executable, *sys.orig_argv[1 : len(sys.orig_argv) - options]])


class _First:
    """Keeps the first finding, and later its smaller inputs."""

    def __init__(self) -> None:
        self.finding: Any = None

    def found(self, finding: Any) -> None:
        if self.finding is None or finding.name == self.finding.name:
            self.finding = finding

    def novel(self, raw: bytes, shown: Any) -> None:
        """Ignored: here only coverage decides which inputs are kept."""


def _leave(finding: Any, impl: str, described: Any) -> NoReturn:
    """Show the deviation, and raise the exception that ends libFuzzer."""
    from wireproof.conformance.asking.rows import judged_of
    from wireproof.conformance.report.failure import render_failure, repro_command

    judged = judged_of(finding.row)
    page = render_failure(
        judged.vector,
        judged.case,
        judged.observation,
        judged.verdict,
        implementation=described,
        repro=repro_command(judged.case.id, impl),
        width=_WIDTH,
        color=False,
    )
    sys.stderr.write(page)
    sys.stderr.flush()
    raise Deviation(finding.name)
