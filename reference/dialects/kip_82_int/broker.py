"""A broker of the draft: Kafka's, whose Produce and Fetch carry the messages of their versions.

A set is kept as it was produced; a fetch gets it in the magic of its own version (R-82i-9).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_int import bodies, convert
from wireproof.reference.dialects.kip_82_int.messages import (
    MAGIC_OF,
    Message,
    append_message_set,
    demand_magic,
    read_message_set,
)
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import MessagePlans, Struct


@dataclass(frozen=True, slots=True)
class HeadedMessages:
    """The draft's message sets, for `reference.peers.converting`."""

    rules: Rules

    def numbered(self, records: bytes, version: int, base: int) -> tuple[bytes, int]:
        """The messages with offsets from `base` on; inside of a wrapper each has its own, and the wrapper has the
        last. Raises DecodeError, also for messages of a magic that is not the version's."""
        demand_magic(records, version, self.rules)
        messages = read_message_set(Reader(records, self.rules))
        offset = base
        for message in messages:
            for one in _inside(message):
                one["offset"] = offset
                offset += 1
            message["offset"] = max(base, offset - 1)
        return self._written(messages), offset

    def as_asked(self, kept: bytes, version: int) -> bytes:
        """The messages in the magic that this version of Fetch carries."""
        return convert.converted(kept, f"magic-{MAGIC_OF[version]}", self.rules)

    def _written(self, messages: list[Message]) -> bytes:
        writer = Writer(self.rules)
        append_message_set(writer, messages)
        return bytes(writer.out)


def _inside(message: Message) -> Iterator[Message]:
    yield from message.get("messages", [message])


@dataclass(frozen=True, slots=True)
class Plans:
    """Kafka's messages, with the draft's Produce and Fetch in the place of its own."""

    kafka: MessagePlans

    def api_name(self, api_key: int) -> str | None:
        return self.kafka.api_name(api_key)

    def plan(self, name: str, version: int) -> Struct:
        return bodies.body(name, version) if name in bodies.NAMES else self.kafka.plan(name, version)
