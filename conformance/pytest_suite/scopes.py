"""Scopes: groups of neighbouring items. One xdist worker gets a whole scope and runs its items in order.

The controller and every worker compute the same scopes from the same items, so scopes are not sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wireproof.conformance.questions import selection

#: The approximate number of questions in a scope: eight blocks. Asking ahead needs large scopes; equal work for all
#: workers needs small ones.
_QUESTIONS = 2048
#: The end of an item's id for the derived cases of a message version, and the usual number of their questions.
_DERIVED, _DERIVED_QUESTIONS = "/derived", 75
#: A part of the ids whose questions take longest, and how many others take as long as one of them. They come last: with
#: scopes of the usual size one worker would have them all, while the others have nothing left to do.
_SLOW, _SLOW_QUESTIONS = f"/{selection.LAST}/", 16


def scopes(ids: Iterable[str]) -> Iterator[int]:
    """The number of each item's scope. Items of different implementations never share a scope."""
    number, questions, before = 0, 0, None
    for one in ids:
        spec = one.partition("::")[0]
        if questions >= _QUESTIONS or spec != before:
            number, questions, before = number + 1, 0, spec
        questions += _DERIVED_QUESTIONS if one.endswith(_DERIVED) else _SLOW_QUESTIONS if _SLOW in one else 1
        yield number
