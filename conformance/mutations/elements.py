"""Lists: elements of arrays, headers, records, sets: in another order, twice, left out, or from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from conformance.mutations.layout import Draft, Elements, Layout
from conformance.mutations.mutation import Mutation, pick


def reordered(layout: Layout, lists: tuple[Elements, ...], random: Random) -> Draft | None:
    """Two elements of a list change places."""
    found = pick(random, [one for one in lists if len(one.elements) > 1])
    if found is None:
        return None
    at = random.choice(range(len(found.elements) - 1))
    first, second = found.elements[at : at + 2]
    draft = Draft(layout)
    texts = draft.text(first), draft.text(second)
    draft.put_range(first, texts[1])
    draft.put_range(second, texts[0])
    return draft


def duplicated(layout: Layout, lists: tuple[Elements, ...], random: Random) -> Draft | None:
    """An element stands twice."""
    found = pick(random, [one for one in lists if one.elements])
    if found is None:
        return None
    element = random.choice(found.elements)
    draft = Draft(layout)
    text = draft.text(element)
    draft.count(found, 1)
    draft.insert(element.stop, text, beside=element.start)
    return draft


def dropped(layout: Layout, lists: tuple[Elements, ...], random: Random) -> Draft | None:
    """An element is left out."""
    found = pick(random, [one for one in lists if one.elements])
    if found is None:
        return None
    draft = Draft(layout)
    draft.count(found, -1)
    draft.put_range(random.choice(found.elements), b"")
    return draft


def append(draft: Draft, elements: Elements, content: bytes) -> None:
    """Put bytes behind a list's last element."""
    if elements.elements:
        last = elements.elements[-1]
        draft.insert(last.stop, content, beside=last.start)
    else:
        draft.insert(elements.first, content)


def spliced(
    layout: Layout, lists: tuple[Elements, ...], theirs: Layout, others: tuple[Elements, ...], random: Random
) -> Draft | None:
    """An element of another input's list with the same path stands at the end, or in the place of one."""
    paths = {one.path for one in lists}
    given = pick(random, [one for one in others if one.elements and one.path in paths])
    if given is None:
        return None
    element = random.choice(given.elements)
    text = Draft(theirs).text(element)
    found = random.choice([one for one in lists if one.path == given.path])
    draft = Draft(layout)
    if found.elements and random.random() < 0.5:
        draft.put_range(random.choice(found.elements), text)
    else:
        draft.count(found, 1)
        append(draft, found, text)
    return draft


def _splice(layout: Layout, random: Random, other: Layout | None) -> Draft | None:
    return None if other is None else spliced(layout, layout.lists, other, other.lists, random)


MUTATIONS: Mapping[str, Mutation] = {
    "elements-reorder": lambda layout, random, _: reordered(layout, layout.lists, random),
    "element-duplicate": lambda layout, random, _: duplicated(layout, layout.lists, random),
    "element-drop": lambda layout, random, _: dropped(layout, layout.lists, random),
    "element-splice": _splice,
}
