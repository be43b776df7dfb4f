"""Mutations of lists (arrays, headers, records, sets): elements swapped, doubled, removed, or from another input."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from wireproof.conformance.generation.mutations.layout import Draft, Elements, Layout, Mutation, pick


def reordered(layout: Layout, lists: tuple[Elements, ...], random: Random) -> Draft | None:
    """Swaps two adjacent elements of a list."""
    array = pick(random, [one for one in lists if len(one.elements) > 1])
    if array is None:
        return None
    at = random.choice(range(len(array.elements) - 1))
    first, second = array.elements[at : at + 2]
    draft = Draft(layout)
    texts = draft.text(first), draft.text(second)
    draft.put_range(first, texts[1])
    draft.put_range(second, texts[0])
    return draft


def duplicated(layout: Layout, lists: tuple[Elements, ...], random: Random) -> Draft | None:
    """Doubles an element."""
    array = pick(random, [one for one in lists if one.elements])
    if array is None:
        return None
    element = random.choice(array.elements)
    draft = Draft(layout)
    text = draft.text(element)
    draft.count(array, 1)
    draft.insert(element.stop, text, beside=element.start)
    return draft


def dropped(layout: Layout, lists: tuple[Elements, ...], random: Random) -> Draft | None:
    """Removes an element."""
    array = pick(random, [one for one in lists if one.elements])
    if array is None:
        return None
    draft = Draft(layout)
    draft.count(array, -1)
    draft.put_range(random.choice(array.elements), b"")
    return draft


def append(draft: Draft, elements: Elements, content: bytes) -> None:
    """Add bytes after a list's last element."""
    if elements.elements:
        last = elements.elements[-1]
        draft.insert(last.stop, content, beside=last.start)
    else:
        draft.insert(elements.first, content)


def spliced(
    layout: Layout, lists: tuple[Elements, ...], theirs: Layout, others: tuple[Elements, ...], random: Random
) -> Draft | None:
    """Adds an element of another input's list with the same path, or replaces an element by it."""
    paths = {one.path for one in lists}
    source = pick(random, [one for one in others if one.elements and one.path in paths])
    if source is None:
        return None
    element = random.choice(source.elements)
    text = Draft(theirs).text(element)
    array = random.choice([one for one in lists if one.path == source.path])
    draft = Draft(layout)
    if array.elements and random.random() < 0.5:
        draft.put_range(random.choice(array.elements), text)
    else:
        draft.count(array, 1)
        append(draft, array, text)
    return draft


def _splice(layout: Layout, random: Random, other: Layout | None) -> Draft | None:
    return None if other is None else spliced(layout, layout.lists, other, other.lists, random)


MUTATIONS: Mapping[str, Mutation] = {
    "elements-reorder": lambda layout, random, _: reordered(layout, layout.lists, random),
    "element-duplicate": lambda layout, random, _: duplicated(layout, layout.lists, random),
    "element-drop": lambda layout, random, _: dropped(layout, layout.lists, random),
    "element-splice": _splice,
}
