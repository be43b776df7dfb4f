"""All rules, and what breaks one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wireproof.conformance.agreement import answered, lasting
from wireproof.conformance.agreement.exchange import Exchange, Rule, exchanges
from wireproof.conformance.script import Action, Event

RULES: tuple[Rule, ...] = (*answered.RULES, *lasting.RULES)


class Broken(NamedTuple):
    """A rule that is broken, and how."""

    rule: Rule
    text: str


def broken(events: Iterable[tuple[Action, Event]]) -> Broken | None:
    """The first rule that a conversation breaks; None if it breaks none."""
    return broken_by(exchanges(events))


def broken_by(found: list[Exchange]) -> Broken | None:
    """The same of its exchanges."""
    return next((Broken(rule, text) for rule in RULES for text in rule.look(found)), None)
