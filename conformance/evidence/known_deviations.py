"""Known deviations: a TOML file beside the wrapper lists them, each with its class and a reason. Such files are read,
compared with a run, and drafted.

A known deviation does not fail the run. An entry that is no longer true fails it: its case passes now, its id does not
exist, or its date has passed.
"""

from __future__ import annotations

import datetime
import fnmatch
import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import msgspec

from wireproof import reference
from wireproof.conformance.decoding import DecodingError, decode_toml
from wireproof.conformance.files import read_bytes
from wireproof.conformance.judging.clusters import Cluster, Group, Signature, clusters, group
from wireproof.conformance.model import DEVIATIONS, END, CaseId, Outcome, Verdict
from wireproof.errors import WireproofError

_LINK = re.compile(r"https?://\S+")


class KnownError(WireproofError):
    """A known-deviations file that does not keep to the format; the text names file, entry and field."""


class Severity(StrEnum):
    """What a deviation does to whoever meets it, the worst first."""

    ENDS = "ends the process"
    STALLS = "stalls"
    LOSES = "loses data"
    WRITES = "writes wrong bytes"
    REFUSES = "refuses what others accept"
    ACCEPTS = "accepts what others refuse"
    COSMETIC = "cosmetic"


#: The largest file that is read, in bytes; the most globs with wildcards, and characters in one; the most entries with
#: `finding` or `signature`. Each is compared with the deviations of a run; ids are looked up, so they may be many.
LARGEST = 1 << 20
MOST_GLOBS, LONGEST_GLOB = 1000, 500
MOST_KEYS = 5000


@functools.cache
def _any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern that matches an id if any of these globs does."""
    return re.compile("|".join(fnmatch.translate(glob) for glob in globs))


#: Outcomes without an answer, by their names in files.
_ENDINGS = frozenset({Outcome.CRASH, Outcome.HANG, Outcome.OOM})
_Ending = Literal["crash", "hang", "oom"]


def _endings_of(outcome: str | None) -> frozenset[Outcome]:
    """The outcome of a key, if it is one without an answer."""
    return frozenset(one for one in _ENDINGS if one == outcome)


class KnownDeviation(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"kind": "class"}):
    """One `[[deviation]]`. It has either `match` (an id or glob, or a list of them), or a key of clusters: `finding` or
    `signature`.

    `verdict`: of an entry with `match`, which of `crash`, `hang` and `oom` its cases may end with; without it they are
    excused for wrong answers only. `generated`: only generated cases show it, so a run of the suite need not. `hangs`:
    its cases do not answer, so they may end with `hang`. `unsteady`: they deviate now and then. `severity`: where it
    cannot be seen from the verdicts.
    """

    kind: Literal["bug", "wont-fix", "unsupported", "disputed"]
    reason: str
    match: str | tuple[str, ...] | None = None
    verdict: _Ending | tuple[_Ending, ...] | None = None
    signature: Signature | None = None
    finding: Group | None = None
    url: str | None = None
    reported: str | None = None
    versions: tuple[str, ...] | str | None = None
    expires: datetime.date | None = None
    generated: bool = False
    hangs: bool = False
    unsteady: bool = False
    severity: Severity | None = None

    @property
    def key(self) -> Group | Signature | None:
        """The key of the clusters that it covers; None for an entry with ids."""
        return self.finding or self.signature

    @property
    def globs(self) -> tuple[str, ...]:
        if self.match is None:
            return ()
        return (self.match,) if isinstance(self.match, str) else self.match

    def matches_id(self, identifier: str) -> bool:
        return bool(self.globs) and _any_of(self.globs).match(identifier) is not None

    @property
    def endings(self) -> frozenset[Outcome]:
        """The crashes, hangs and exhaustions that it excuses."""
        named = (self.verdict,) if isinstance(self.verdict, str) else self.verdict or ()
        of_key = None if self.key is None else self.key.verdict
        return frozenset(map(Outcome, named)) | ({Outcome.HANG} if self.hangs else set()) | _endings_of(of_key)

    def excuses(self, outcome: Outcome) -> bool:
        """Whether it covers cases that end so. A crash, a hang or an exhaustion is covered only by an entry that names
        it, so that what began as a wrong answer cannot become one unseen."""
        return outcome not in _ENDINGS or outcome in self.endings

    def concerns(self, version: str | None) -> bool:
        """Whether this entry is for this version of the implementation."""
        if self.versions is None or version is None:
            return True
        wanted = (self.versions,) if isinstance(self.versions, str) else self.versions
        return any(fnmatch.fnmatchcase(version, glob) for glob in wanted)

    @property
    def name(self) -> str:
        """The entry's name in messages for people."""
        if self.finding is not None:
            return f"finding {self.finding}"
        if self.signature is not None:
            return _shown(self.signature)
        more = len(self.globs) - 1
        return self.globs[0] + (f" and {more} more" if more else "")


class _File(msgspec.Struct, forbid_unknown_fields=True):
    deviation: list[KnownDeviation] = []


@dataclass(frozen=True, slots=True)
class Known:
    """The known deviations of one implementation at one version; `path` is None when there is no file."""

    path: Path | None
    deviations: tuple[KnownDeviation, ...]
    #: Where the entries stand: those that name an id, those with a glob, with the pattern of all their globs, and
    #: those with a key.
    _naming: Mapping[str, Sequence[int]] = field(init=False, repr=False, compare=False)
    _globs: Sequence[tuple[int, re.Pattern[str]]] = field(init=False, repr=False, compare=False)
    _keyed: frozenset[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        naming: dict[str, list[int]] = {}
        for position, entry in enumerate(self.deviations):
            for one in entry.globs:
                naming.setdefault(one, []).append(position)
        wild = [(position, tuple(filter(_is_wild, entry.globs))) for position, entry in enumerate(self.deviations)]
        keyed = frozenset(position for position, entry in enumerate(self.deviations) if entry.key is not None)
        object.__setattr__(self, "_naming", naming)
        object.__setattr__(self, "_globs", [(position, _any_of(globs)) for position, globs in wild if globs])
        object.__setattr__(self, "_keyed", keyed)

    def _of(self, identifier: str) -> set[int]:
        """Where the entries stand that match an id."""
        wild = {position for position, pattern in self._globs if pattern.match(identifier)}
        return wild.union(self._naming.get(identifier, ()))

    def find(self, verdict: Verdict) -> KnownDeviation | None:
        """The first entry that covers this deviation."""
        if verdict.outcome not in DEVIATIONS:
            return None
        its_group = group(verdict)
        for position in sorted(self._of(verdict.id) | self._keyed):
            entry = self.deviations[position]
            if entry.excuses(verdict.outcome) and (entry.key is None or entry.key.matches(verdict, its_group)):
                return entry
        return None

    def hangs(self, identifier: str) -> bool:
        """Whether the case of this id is known to give no answer."""
        return any(self.deviations[position].hangs for position in self._of(identifier))

    def stale(
        self, ran: Sequence[Verdict], every_id: Callable[[], Collection[str]], *, complete: bool, today: datetime.date
    ) -> list[str]:
        """The entries that are no longer true, as lines for a person.

        Cases that were not asked do not count: of many that hang, only a few are asked.

        `ran`: this run's verdicts. `every_id`: a function for the ids of all cases, asked or not; it is slow, and
        called only if the run's own ids are not enough. `complete`: nothing was deselected.
        """
        if not self.deviations:
            return []
        seen = _Seen(ran, every_id)
        lines = []
        for entry in self.deviations:
            if entry.expires is not None and entry.expires < today:
                problem: str | None = (
                    f"expired on {entry.expires}: look at it again, then move the date or remove the entry"
                )
            else:
                problem = seen.problem(entry, complete=complete)
            if problem:
                lines.append(f"{self.path}: {entry.name}: {problem}")
        return lines


class _Seen:
    """The results of a run, with which entries are compared."""

    def __init__(self, ran: Sequence[Verdict], every_id: Callable[[], Collection[str]]) -> None:
        self._every_id = every_id
        self._by_id: dict[str, list[Verdict]] = {}
        self._deviated: list[tuple[Verdict, Group | None]] = []
        for verdict in ran:
            self._by_id.setdefault(verdict.id, []).append(verdict)
            if verdict.outcome in DEVIATIONS:
                self._deviated.append((verdict, group(verdict)))
        self._not_asked = [verdict for verdict in ran if verdict.outcome is Outcome.NOT_ASKED]

    def problem(self, entry: KnownDeviation, *, complete: bool) -> str | None:
        """The reason why an entry, not yet expired, is no longer true; None if it is true."""
        if entry.key is not None:
            if entry.generated:
                return None
            return (
                None
                if self._shows(entry.key) or not complete
                else "no deviation of this run looks so: remove the entry"
            )
        for glob in entry.globs:
            outcomes = [verdict for one in _matching(glob, self._by_id) for verdict in self._by_id[one]]
            if glob.startswith(END):
                if complete and not outcomes:
                    return f"{glob}: the process ended as it should: remove it"
                continue
            listed = CaseId.parse(glob).from_file  # other ids are in no list
            if not outcomes and listed and not any(_matching(glob, self._every_id())):
                return f"no case has the id {glob}: correct or remove it"
            alive = {*DEVIATIONS, Outcome.NOT_ASKED}
            if outcomes and not entry.unsteady and not any(verdict.outcome in alive for verdict in outcomes):
                return f"{glob} did not deviate ({', '.join(sorted({v.outcome for v in outcomes}))}): remove it"
        return None

    def _shows(self, key: Group | Signature) -> bool:
        """Whether a case of the run matches, or a case that was not asked could match."""
        return any(map(key.may_match, self._not_asked)) or any(key.matches(*one) for one in self._deviated)


def _is_wild(glob: str) -> bool:
    """Whether it has wildcards, so that it may match several ids."""
    return any(char in glob for char in "*?[")


def _matching(glob: str, ids: Collection[str]) -> Iterator[str]:
    """Those of the ids that a glob matches."""
    if not _is_wild(glob):
        return iter((glob,) if glob in ids else ())
    matches = _any_of((glob,)).match
    return (one for one in ids if matches(one))


def load(path: Path, version: str | None) -> Known:
    """The entries of a file that concern this version. Raises KnownError."""
    try:
        raw = decode_toml(read_bytes(path, LARGEST))
    except OSError as error:
        raise KnownError(f"{path}: {error.strerror}; --known takes a TOML file, or none") from None
    except DecodingError as error:
        raise KnownError(f"{path}: not TOML: {error}") from None
    try:
        file = msgspec.convert(raw, _File)
    except msgspec.ValidationError as error:
        raise KnownError(f"{path}: {error}") from None
    keys = sum(entry.key is not None for entry in file.deviation)
    globs = sum(map(_is_wild, itertools.chain.from_iterable(entry.globs for entry in file.deviation)))
    if keys > MOST_KEYS or globs > MOST_GLOBS:
        raise KnownError(
            f"{path}: {globs} globs with wildcards, and {keys} entries with `finding` or `signature`; at most "
            f"{MOST_GLOBS} and {MOST_KEYS} are read"
        )
    seen: dict[tuple[object, object], int] = {}
    for number, entry in enumerate(file.deviation, 1):
        problem = _incomplete(entry)
        if problem:
            raise KnownError(f"{path}: deviation {number}{_in_brackets(entry)} {problem}")
        for pattern in entry.globs or (entry.key,):
            first = seen.get((pattern, entry.versions))
            if first is not None:
                where = f"deviation {number}" if first == number else f"deviations {first} and {number}"
                raise KnownError(f"{path}: {where}: {_shown(pattern)} stands twice; one entry is to speak of it")
            seen[pattern, entry.versions] = number
    return Known(path, tuple(entry for entry in file.deviation if entry.concerns(version)))


def _incomplete(entry: KnownDeviation) -> str:
    """The fault of an entry, in words; empty if it is complete."""
    if [entry.match, entry.signature, entry.finding].count(None) != 2:
        return "needs either `match`, `signature` or `finding`"
    if entry.match is not None and entry.generated:
        return "has `generated` beside `match`: an id says itself whether its case is generated"
    if (entry.hangs or entry.unsteady) and entry.match is None:
        return f"has `{'hangs' if entry.hangs else 'unsteady'}` without `match`: which cases do so has to be known"
    if entry.match is not None and not all(entry.globs or ("",)):
        return "has a `match` without an id"
    if any(_is_wild(glob) and len(glob) > LONGEST_GLOB for glob in entry.globs):
        return f"has a glob of more than {LONGEST_GLOB} characters"
    if bare := next((glob for glob in entry.globs if not _names_a_place(glob)), None):
        return f"has the `match` {bare!r}, which covers a whole area: name a type, a message or a vector in it"
    if entry.verdict is not None and entry.match is None:
        return "has `verdict` beside a key that has its own"
    if (key := entry.signature) is not None and not (key.type or key.cause or key.frame):
        return "has a `signature` that names no type, cause or frame: it covers whatever deviates"
    if not entry.reason.strip():
        return "gives no reason"
    if entry.url is None and entry.reported is None:
        return 'needs `url` or `reported = "pending"`'
    if entry.reported is not None and not _LINK.fullmatch(entry.reported) and entry.reported != "pending":
        return f'has `reported` = {entry.reported!r}; "pending" or the address of the report is expected'
    return ""


_WILD = re.compile(r"\[[^\]]*\]|[*?]+")
_WORD = re.compile(r"[A-Za-z0-9]{2}")


def _names_a_place(glob: str) -> bool:
    """Whether a pattern names more than a dialect and an area: some vectors, messages or types, or a kind of mutation.
    One for the end of the process names it, and so does an id."""
    if glob.startswith(END) or not _WILD.search(glob):
        return True
    asked = CaseId.parse(glob)
    return any(_WORD.search(_WILD.sub("\n", part)) for part in (*asked.path.split("/")[2:], asked.mutation))


def _in_brackets(entry: KnownDeviation) -> str:
    """The entry's name in brackets, if it has exactly one."""
    named = [bool(entry.globs), entry.signature is not None, entry.finding is not None].count(True) == 1
    return f" ({entry.name})" if named else ""


def _shown(pattern: object) -> str:
    """An entry's glob, signature or finding, for a person."""
    if isinstance(pattern, str):
        return pattern
    kind = "signature" if isinstance(pattern, Signature) else "finding"
    return f"{kind} {msgspec.json.encode(pattern).decode()}"


# --- Drafts ---------------------------------------------------------------------------------------------------------


def draft(verdicts: Iterable[Verdict], name: str) -> str:
    """A draft of a file with these deviations, one entry for each cluster, for a person to complete."""
    import tomlkit  # slow to import

    document = tomlkit.document()
    document.add(
        tomlkit.comment(f"Known deviations of {name}. Check the class of each entry, and say the cause in `reason`.")
    )
    entries = tomlkit.aot()
    for cluster in clusters(verdicts):
        entries.append(_drafted(cluster))
    if entries:  # else TOML would have "deviation = []", to which no [[deviation]] can be added
        document.add("deviation", entries)
    return tomlkit.dumps(document)


#: The folders before a file's name: they are one machine's.
_FOLDER = re.compile(r"""(?<![\w.:/])/(?:[^\s/"':,;()]+/)+|\b[A-Za-z]:\\(?:[^\s\\"':]+\\)+""")


def _last_line(detail: str) -> str:
    """A text as it is, but of a Python traceback the line that names the error."""
    return detail.rstrip().rpartition("\n")[2] if detail.startswith("Traceback") else detail


def described(verdict: Verdict) -> str:
    """What a deviation looked like, in at most 200 characters, as a reason until a person writes a better one."""
    said = _FOLDER.sub("", _last_line(verdict.detail))
    return f"{verdict.outcome}{f' ({verdict.kind})' if verdict.kind else ''}: {said}"[:200]


def _has_text(verdict: Verdict) -> bool:
    """Whether a public text demands the answer: it rests on no ruling, or on one with a quote."""
    ruling = reference.rulings(verdict.dialect).get(verdict.ground or "")
    return ruling is None or bool(ruling.quote)


def _drafted(cluster: Cluster) -> Any:
    import tomlkit

    first = cluster.verdicts[0]
    entry = tomlkit.table()
    parts = tomlkit.inline_table()
    parts.update(cluster.group.row())
    cases = len(cluster.verdicts)
    entry.add(tomlkit.comment(f"{cases} {'case' if cases == 1 else 'cases'}, the first is {first.id}"))
    entry.add("finding", parts)
    entry.add("class", "bug" if any(map(_has_text, cluster.verdicts)) else "disputed")
    entry.add("reason", described(first))
    entry.add("reported", "pending")
    return entry
