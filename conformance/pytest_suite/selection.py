"""The items that a command line chooses by id: as arguments, and with `-k`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest

from wireproof.conformance import ledger, vectors
from wireproof.conformance.model import CaseId, CaseKind, Op
from wireproof.conformance.pytest_suite.options import Settings, usage_error
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.reference.errors import WireError

#: The attribute of pytest's options that carries the ids to xdist's workers: their only argument is the suite's file.
_OPTION = "wireproof_ids"
#: Characters of ids that pytest refuses in `-k`, and their replacements.
_IN_KEYWORDS = str.maketrans("#<>", ":[]")

_HOW = (
    "With --impl pytest collects the conformance suite and nothing else. Choose a part of it with --dialect, --area "
    "and -k, or with ids as in the FAILED lines: 'my_codec::kafka/varints/varint-1#decode'; an id without 'my_codec::' "
    "is asked of every implementation."
)


class Chosen:
    """The items of each implementation that will run: all, unless the command line names some."""

    def __init__(self, items: Mapping[str, Mapping[str, str]]) -> None:
        """`items`: implementation spec → item name → the argument that named it. Empty: all items."""
        self._items = items
        self._missing = {spec: dict(names) for spec, names in items.items()}

    @classmethod
    def of(cls, config: pytest.Config, settings: Settings) -> Chosen:
        """The choice of the command line. Raises pytest.UsageError for an argument that is not an id of the suite."""
        arguments = getattr(config.option, _OPTION, None)
        if arguments is None:  # not an xdist worker
            arguments = list(_arguments(config))
            setattr(config.option, _OPTION, arguments)
        items: dict[str, dict[str, str]] = {}
        for argument in arguments:
            spec, name = _parts(argument, settings.implementations)
            item = _item(name, argument, settings)
            for one in settings.implementations if spec is None else (spec,):
                items.setdefault(one, {})[item] = argument
        return cls(items)

    def __bool__(self) -> bool:
        """Whether the command line names items."""
        return bool(self._items)

    def narrowed(self, settings: Settings) -> Settings:
        """The settings with only the dialects and areas of the chosen items, so that no other vectors are read."""
        places = {tuple(item.split("/")[:2]) for names in self._items.values() for item in names}
        own = vectors.dialects()
        if not places or not all(dialect in own for dialect, _ in places):  # generated, or of a user's folder
            return settings
        dialects, areas = ({place[part] for place in places} for part in (0, 1))
        return dataclasses.replace(
            settings,
            dialects=tuple(sorted(dialects.intersection(settings.dialects or dialects))),
            areas=tuple(sorted(areas.intersection(settings.areas or areas))),
        )

    def among(self, spec: str, items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
        """The chosen ones of an implementation's items."""
        for item in items:
            if item.config.option.keyword:
                item.extra_keyword_matches.add(keyword(item.name))
            if not self._items:
                yield item
            elif item.name in self._items.get(spec, ()):
                self._missing[spec].pop(item.name)
                yield item

    def missing(self) -> Sequence[str]:
        """A line for each argument that named no item. Call it when all items are known."""
        met = {
            argument
            for spec, names in self._items.items()
            for item, argument in names.items()
            if item not in self._missing[spec]
        }
        unmet = dict.fromkeys(argument for names in self._missing.values() for argument in names.values())
        return [
            f"{argument}: no implementation here is asked this: none offers it, or --dialect or --area excludes it"
            for argument in unmet
            if argument not in met
        ]


def keyword(text: str) -> str:
    """An id, or an expression with ids in it, in a form that pytest's `-k` accepts."""
    return text.translate(_IN_KEYWORDS)


def _arguments(config: pytest.Config) -> Iterator[str]:
    """The positional arguments of the command line. Those in addopts are for the project's own tests."""
    typed = {str(argument) for argument in config.invocation_params.args}
    for argument in getattr(config.option, "file_or_dir", ()):  # not there with --help
        if argument in typed and not (config.option.pyargs and argument == "wireproof.conformance"):
            yield argument


def _parts(argument: str, implementations: Sequence[str]) -> tuple[str | None, str]:
    """The implementation's spec (None when there is none), and the id."""
    spec, colons, name = argument.partition("::")
    if not colons:
        return None, argument
    if spec not in implementations:
        raise usage_error(f"{argument}: {spec!r} is not tested here, only {', '.join(implementations)}.\n{_HOW}")
    return spec, name


def _item(name: str, argument: str, settings: Settings) -> str:
    """The name of the item to which an id belongs. Raises pytest.UsageError."""
    wanted = CaseId.parse(name)
    if wanted.kind is CaseKind.GENERATED:
        if wanted.op:
            raise usage_error(f"{argument} is a generated case: `wireproof repro` asks it again")
        if not settings.properties:
            raise usage_error(f"{argument} is a property of generated cases: add --properties")
        return name
    stored = wanted.path
    folder = stored.rpartition("/")[0]
    ops = [one for one in Op if ledger.find(f"{stored}#{one}")]
    if stored.endswith("/derived") and _has_ledger(folder):
        return stored
    try:
        if not ops:
            return find(name).case.id
        if wanted.op or wanted.mutation:
            find(name)  # raises when there is no such case
    except (UnknownId, WireError) as error:
        raise usage_error(f"{argument}: {error}\n{_HOW}") from None
    return f"{folder}/derived" if wanted.mutation else stored


def _has_ledger(folder: str) -> bool:
    """Whether `<dialect>/messages/<Name>/<version>` is a message version with stored cases."""
    dialect, _, rest = folder.partition("/")
    name, _, version = rest.removeprefix(f"{ledger.AREA}/").partition("/")
    return name in ledger.names(dialect) and any(
        str(vector.version) == version for vector in ledger.load(name, dialect).vectors
    )
