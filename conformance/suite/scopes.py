"""Scopes: neighbouring items that one xdist worker gets together and asks one after the other.

The controller and every worker divide the same items in the same way, so no scope has to be sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: About so many questions are a scope: eight blocks, so that asking ahead pays, and few enough to share out evenly.
_QUESTIONS = 2048
#: How an item's id ends that stands for all that is derived of a message-version, and how many questions that makes.
_DERIVED, _DERIVED_QUESTIONS = "/derived", 75


def scopes(ids: Iterable[str]) -> Iterator[int]:
    """The number of each item's scope. What belongs to different implementations never shares one."""
    number, questions, before = 0, 0, None
    for one in ids:
        spec = one.partition("::")[0]
        if questions >= _QUESTIONS or spec != before:
            number, questions, before = number + 1, 0, spec
        questions += _DERIVED_QUESTIONS if one.endswith(_DERIVED) else 1
        yield number
