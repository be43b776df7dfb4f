"""How the files that people write in `vectors/` look: short lines, and names for what stands in them several times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wireproof.conformance import vectors

FOLDER = Path(vectors.__file__).parents[2] / "vectors"
FILES = sorted(FOLDER.glob("*/*.json"))
#: All that no command writes.
BY_HAND = [*FILES, *sorted(FOLDER.glob("*.*")), *sorted(FOLDER.glob("*/*.toml"))]
LONGEST = 300


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def test_there_are_files() -> None:
    assert len(FILES) > 40
    assert {"FORMAT.md", "bugs.json", "decisions.toml"} <= {path.name for path in BY_HAND}


@pytest.mark.parametrize("path", BY_HAND, ids=_name)
def test_no_line_is_longer_than_a_person_reads(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > LONGEST] == []


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs), [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    return dict(pairs)


@pytest.mark.parametrize("path", [path for path in BY_HAND if path.suffix == ".json"], ids=_name)
def test_no_key_stands_twice_in_an_object(path: Path) -> None:
    json.loads(path.read_bytes(), object_pairs_hook=_once)


def _uses(value: Any) -> Iterator[str]:
    """The names of all `{"named": …}` in it."""
    match value:
        case {"named": str(name), **rest} if not rest:
            yield name
        case dict():
            for item in value.values():
                yield from _uses(item)
        case list():
            for item in value:
                yield from _uses(item)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_name_stands_for_something_that_the_file_says_several_times(path: Path) -> None:
    file = json.loads(path.read_bytes())
    named: dict[str, Any] = file.get("named", {})
    uses = Counter([*_uses(file["vectors"]), *_uses(file.get("settings", {})), *_uses([*named.values()])])
    assert {name: uses[name] for name in named if uses[name] < 2} == {}
    assert len({json.dumps(value) for value in named.values()}) == len(named)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_source_that_vectors_share_has_a_name_and_no_other_one_has(path: Path) -> None:
    file = json.loads(path.read_bytes())
    sources: dict[str, str] = file.get("sources", {})
    uses = Counter(vector["source"] for vector in file["vectors"])
    assert {name: uses[name] for name in sources if uses[name] < 2} == {}
    assert len({*sources.values()}) == len(sources)
    assert {
        text: uses[text] for text in uses if text not in sources and (uses[text] > 1 or text in sources.values())
    } == {}
