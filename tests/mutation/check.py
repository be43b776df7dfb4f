"""Mutation testing: small faults are put into the code, one at a time, and the tests have to notice each.

    python tests/mutation/check.py            # make the mutants, run the tests on each (some minutes), judge
    python tests/mutation/check.py --read     # judge the last run again
    python tests/mutation/check.py --draft    # the same, and print entries for survivors that are not listed
    python tests/mutation/check.py --sample=200    # of each file at most so many mutants, chosen by the commit
    python tests/mutation/check.py reference/cursor.py    # the mutants of this file only

Which files are mutated and which tests are run stands in pyproject.toml under [tool.mutmut]. Of each file's mutants at
least 95 % have to be killed; those that live stand in survivors.toml, each with the reason why no test can, or need,
tell it from the code. With a sample, which of them are made is a matter of the commit alone: who runs it again on the
same commit gets the same ones, and another commit others. Nothing is then claimed of listed survivors that were not
made, nor is a share demanded: three listed ones among forty are chance. Each that lives has to be listed all the same.
An entry says what the fault is, not its number: numbers move when a function changes.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

#: Of a file's mutants so many have to be killed, in hundredths.
LEAST = 95
LIST = Path(__file__).with_name("survivors.toml")
SETTINGS = Path(__file__).parents[2] / "pyproject.toml"
WORK = Path("mutants")

#: What mutmut calls a mutant that the tests noticed: one that never ends is noticed too.
KILLED = frozenset({"killed", "timeout", "segfault"})
SURVIVED = "survived"
#: Where only a sample is run: a pattern that no mutant's name matches.
NOBODY = "nobody"
_RESULT = re.compile(r"\s*(?P<module>[\w.]+)\.(?P<name>x[^\s.]*?)__mutmut_(?P<number>\d+): (?P<status>.+)")


class CheckError(Exception):
    """The check cannot be made; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutant and what became of it."""

    module: str
    name: str
    number: int
    status: str

    @property
    def id(self) -> str:
        """Its name in mutmut."""
        return f"{self.module}.{self.name}__mutmut_{self.number}"

    @property
    def function(self) -> str:
        """The function that was changed: `reference.cursor.Reader.take`."""
        plain = self.name.removeprefix("x")
        own = plain.strip("ǁ").replace("ǁ", ".") if "ǁ" in plain else plain.removeprefix("_")
        return f"{self.module}.{own}"


@dataclass(frozen=True, slots=True)
class Fault:
    """What a mutant changed: the lines that were there, and those in their place."""

    function: str
    was: str
    now: str

    def draft(self) -> str:
        """An entry of the list, its reason still to be found."""
        return "\n".join(
            ("[[survivor]]", f'function = "{self.function}"', f"was = '''{self.was}'''", f"now = '''{self.now}'''")
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check found: lines for a person, and the faults that are not listed."""

    problems: tuple[str, ...]
    unlisted: tuple[Fault, ...]
    shares: tuple[str, ...]


def mutmut(*words: str, quiet: bool = True, fails: bool = False) -> str:
    """Run mutmut. Raises CheckError when it fails, unless it may."""
    command = [sys.executable, "-m", "mutmut", *words]
    errors = subprocess.DEVNULL if fails else None
    done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE if quiet else None, stderr=errors)
    if done.returncode != 0 and not fails:
        raise CheckError(f"`mutmut {' '.join(words)}` ended with exit code {done.returncode}: see above")
    return done.stdout or ""


def sample(mutants: Sequence[Mutant], most: int, seed: str) -> list[Mutant]:
    """Of each module at most so many, which ones the seed decides; in their order."""
    ranked: dict[str, list[Mutant]] = collections.defaultdict(list)
    for mutant in sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.id}".encode()).digest()):
        ranked[mutant.module].append(mutant)
    chosen = {mutant.id for own in ranked.values() for mutant in own[:most]}
    return [mutant for mutant in mutants if mutant.id in chosen]


def commit() -> str:
    """The commit that is checked out. Raises CheckError where there is none."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], check=False, text=True, capture_output=True)
    if done.returncode != 0:
        raise CheckError(f"a sample is chosen by the commit, and there is none here: {done.stderr.strip()}")
    return done.stdout.strip()


def read_results(text: str) -> list[Mutant]:
    """The mutants that `mutmut results` lists. Raises CheckError when there are none."""
    found = [
        Mutant(match["module"], match["name"], int(match["number"]), match["status"].strip())
        for line in text.splitlines()
        if (match := _RESULT.fullmatch(line))
    ]
    if not found:
        raise CheckError("there are no mutants: run without --read")
    return found


def read_fault(function: str, diff: str) -> Fault:
    """What a unified diff changes."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    was, now = ("\n".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return Fault(function, was, now)


def read_list(text: str) -> dict[Fault, str]:
    """The listed faults, each with its reason. Raises CheckError for an entry that is not whole or stands twice."""
    listed: dict[Fault, str] = {}
    for number, entry in enumerate(tomllib.loads(text).get("survivor", []), 1):
        if set(entry) != {"function", "was", "now", "reason"} or not entry["reason"].strip():
            raise CheckError(f"{LIST.name}: entry {number} needs function, was, now and a reason, and nothing else")
        fault = Fault(entry["function"], entry["was"], entry["now"])
        if fault in listed:
            raise CheckError(f"{LIST.name}: entry {number}, in {fault.function}, stands twice")
        listed[fault] = entry["reason"]
    return listed


def judge(
    mutants: Sequence[Mutant], survivors: Iterable[Fault], listed: Iterable[Fault], *, sampled: bool = False
) -> Verdict:
    """Compare a run with the list. `sampled`: these are not all mutants, so a listed one may just not be among them,
    and how many of them are is chance."""
    survivors, listed = list(dict.fromkeys(survivors)), list(listed)
    problems, shares = [], []
    by_module = collections.defaultdict(list)
    for mutant in mutants:
        by_module[mutant.module].append(mutant)
    for module, own in sorted(by_module.items()):
        killed = sum(mutant.status in KILLED for mutant in own)
        shares.append(f"{module}: {killed} of {len(own)} mutants killed ({100 * killed / len(own):.1f} %)")
        if not sampled and 100 * killed < LEAST * len(own):
            problems.append(f"{module}: fewer than {LEAST} % of its mutants are killed")
    for mutant in mutants:
        if mutant.status not in KILLED and mutant.status != SURVIVED:
            problems.append(f"{mutant.id}: {mutant.status}")
    unlisted = tuple(fault for fault in survivors if fault not in listed)
    problems += [
        f"{fault.function}: survived, and is not listed:\n  - {fault.was}\n  + {fault.now}" for fault in unlisted
    ]
    gone = [] if sampled else [fault for fault in listed if fault not in survivors]
    problems += [f"{LIST.name}: no longer survives in {fault.function}: {fault.now}" for fault in gone]
    return Verdict(tuple(problems), unlisted, tuple(shares))


def module_of(file: str) -> str:
    """The module of a mutated file: `wireproof.reference.cursor` of `reference/cursor.py`. Raises CheckError."""
    path = f"wireproof/{file.removeprefix('wireproof/')}"
    if path not in tomllib.loads(SETTINGS.read_text("utf-8"))["tool"]["mutmut"]["only_mutate"]:
        raise CheckError(f"{file} is not among the files in pyproject.toml under [tool.mutmut] only_mutate")
    return path.removesuffix(".py").replace("/", ".")


def of_modules(mutants: Sequence[Mutant], modules: Sequence[str]) -> list[Mutant]:
    """The mutants of these modules; all if none is named."""
    return [mutant for mutant in mutants if not modules or mutant.module in modules]


def run(most: int | None, seed: str, modules: Sequence[str]) -> None:
    """Make the mutants, and run the tests on all of them, on those of the modules, or on a sample of each file's.

    Raises CheckError.
    """
    if most is None:
        mutmut("run", *(f"{module}.*" for module in modules), quiet=False)
        return
    mutmut("run", NOBODY, fails=True)  # makes them all, and then complains that there is nothing to run
    chosen = sample(of_modules(read_results(mutmut("results", "--all", "true")), modules), most, seed)
    mutmut("run", *(mutant.id for mutant in chosen), quiet=False)


def check(words: Sequence[str]) -> int:
    """Run as the words say. 0: all is well; 1: it is not; 2: the check could not be made."""
    parser = argparse.ArgumentParser(description="Mutation testing: each small fault has to be noticed by a test.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="only mutants of these files")
    parser.add_argument("--read", action="store_true", help="judge the last run, without a new one")
    parser.add_argument("--draft", action="store_true", help="as --read, and print entries for unlisted survivors")
    parser.add_argument(
        "--sample", type=int, metavar="MOST", help="of each file at most so many mutants, by the commit"
    )
    options = parser.parse_args(words)
    try:
        modules = [module_of(file) for file in options.files]
        listed = [
            fault
            for fault in read_list(LIST.read_text("utf-8"))
            if not modules or fault.function.startswith(tuple(f"{module}." for module in modules))
        ]
        seed = "" if options.sample is None else commit()  # read once: another may be made while the tests run
        if not (options.read or options.draft):
            shutil.rmtree(WORK, ignore_errors=True)
            run(options.sample, seed, modules)
        mutants = of_modules(read_results(mutmut("results", "--all", "true")), modules)
        if options.sample is not None:
            mutants = sample(mutants, options.sample, seed)
        survivors = [
            read_fault(mutant.function, mutmut("show", mutant.id)) for mutant in mutants if mutant.status == SURVIVED
        ]
    except CheckError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    verdict = judge(mutants, survivors, listed, sampled=options.sample is not None)
    lines = [*verdict.shares, f"{len(set(survivors))} survive, {len(listed)} are listed", *verdict.problems]
    if options.draft:
        lines += ["", *(f"{fault.draft()}\nreason = ''\n" for fault in verdict.unlisted)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if verdict.problems else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1:]))
