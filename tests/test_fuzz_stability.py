"""The reference is stable by its own account: the target `stability` suspects nothing of it.

A suspect of a campaign is judged by the reference's answers, so a campaign against the reference would never report
that these contradict each other. Here every suspect counts.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import reference
from fuzz import seeding
from fuzz.inputs import Form
from fuzz.opening import session_of
from fuzz.session import Session
from fuzz.targets import Suspect

#: Changed inputs of each dialect, beside the seeds.
CHANGED = 4000
#: In messages of kip-82-int-keys a writer clears the bit of headers where there are none (contract, Types), so another
#: value is read again.
HEADERS = 1 << 4
MESSAGES = ("MESSAGE_AND_OFFSET", "MESSAGE_SET")


def changed(raw: bytes, random: Random) -> bytes:
    """An input with one or two other bytes behind its head."""
    data = bytearray(raw)
    head = data.find(b"\n") + 1
    for _ in range(random.randint(1, 2)):
        if len(data) > head:
            at = random.randrange(head, len(data))
            data[at] = random.choice((0, 1, 0x80, 0xFF, data[at] ^ 1 << random.randrange(8)))
    return bytes(data)


def clears_a_bit(type_name: str, raw: bytes) -> bool:
    """Whether a message of an input has the bit of headers, and no headers."""

    def among(messages: list[dict[str, Any]]) -> bool:
        bit = any(one["attributes"] & HEADERS and not one["headers"] for one in messages if "headers" in one)
        return bit or any(among(one["messages"]) for one in messages if "messages" in one)

    value = reference.decode(type_name, raw.partition(b"\n")[2], dialect="kip-82-int-keys")
    return among(value if isinstance(value, list) else [value])


def suspects(spec: str, dialect: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of what the target suspects."""
    found: list[str] = []

    def keep(_self: Any, raw: bytes, form: Form, suspect: Suspect) -> None:
        if form.dialect != "kip-82-int-keys" or form.type not in MESSAGES or not clears_a_bit(form.type, raw):
            found.append(suspect.identifier)

    monkeypatch.setattr(Session, "_judge", keep)
    random = Random(1)
    with session_of(spec, "stability", dialect, outside=False) as session:
        raws = [*seeding.seeds(session.kind, dialect, session.forms)]
        for raw in (*raws, *(changed(random.choice(raws), random) for _ in range(CHANGED))):
            session.execute(raw)
    return found


@pytest.mark.parametrize("dialect", reference.dialects)
def test_the_reference_contradicts_itself_nowhere(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert suspects("reference", dialect, monkeypatch) == []


def test_a_codec_that_contradicts_itself_is_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests above would show nothing."""
    assert suspects("miniatures.unsigned_int16", "kafka", monkeypatch)
