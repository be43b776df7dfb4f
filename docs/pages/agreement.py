"""The page of the rules about answers that have to agree."""

from __future__ import annotations

from pages.markdown import Lines, table
from wireproof.conformance.agreement import answered, lasting

_INTRODUCTION = """\
Each answer of a conversation may be well-formed, and allowed where it stands, and still be wrong beside its question or
beside another answer. These rules run on every conversation with a broker of the dialect `kafka`
([the contract](contract.md#a-broker)); the first that is broken is told, with its name. Apache Kafka 4.4 keeps all of
them in all conversations: what Kafka itself does not keep is no rule.

Two answers are compared only if the later one was asked after the earlier one had come. Where a topic is created or
deleted, all that was known of topics is forgotten. An answer with an error says nothing else."""


def page() -> Lines:
    """The rules, in the order in which they are looked at."""
    yield "# Answers that have to agree"
    yield ""
    yield from _INTRODUCTION.splitlines()
    for title, rules in (("An answer and its question", answered.RULES), ("An answer and later ones", lasting.RULES)):
        yield ""
        yield f"## {title}"
        yield ""
        yield from table(
            ("rule", "what is demanded", "text"), ((f"`{one.name}`", one.demands, one.source) for one in rules)
        )
