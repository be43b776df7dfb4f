"""The reference is stable by its own account: the target `stability` suspects nothing of it.

A suspect of a campaign is judged by the reference's answers, so a campaign against the reference would never report
that these contradict each other. Here every suspect counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from wireproof import reference
from wireproof.fuzz.corpus import seeding
from wireproof.fuzz.targets.inputs import Form
from wireproof.fuzz.targets.kinds import Suspect
from wireproof.fuzz.targets.session import Session
from wireproof.fuzz.targets.session_start import session_of

#: Changed inputs of each dialect, beside the seeds.
CHANGED = 4000
#: The dialect whose writer clears the bit of headers where there are none (contract, Types), so that another value is
#: read again; and that bit of the attributes.
CLEARS_A_BIT, BIT = "kip-82-int-keys", 0x10


def changed(raw: bytes, random: Random) -> bytes:
    """An input with one or two other bytes behind its head."""
    data = bytearray(raw)
    head = data.find(b"\n") + 1
    for _ in range(random.randint(1, 2)):
        if len(data) > head:
            at = random.randrange(head, len(data))
            data[at] = random.choice((0, 1, 0x80, 0xFF, data[at] ^ 1 << random.randrange(8)))
    return bytes(data)


def has_a_bit_to_clear(form: Form, data: bytes) -> bool:
    """Whether a message of magic 2 has the bit of headers and no headers."""
    if form.dialect != CLEARS_A_BIT or form.type not in ("MESSAGE_AND_OFFSET", "MESSAGE_SET"):
        return False
    value = reference.decode(form.type, data, dialect=form.dialect)
    return any(
        message["magic"] == 2 and message["attributes"] & BIT and not message["headers"]
        for message in messages(value if isinstance(value, list) else [value])
    )


def messages(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Messages, and those inside of wrappers."""
    for message in found:
        yield message
        yield from messages(message.get("messages", []))


def suspects(spec: str, dialect: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of what the target suspects."""
    found: list[str] = []

    def keep(_self: Any, raw: bytes, form: Form, suspect: Suspect) -> None:
        if not has_a_bit_to_clear(form, raw.partition(b"\n")[2]):
            found.append(suspect.identifier)

    monkeypatch.setattr(Session, "_judge", keep)
    random = Random(1)
    with session_of(spec, "stability", dialect, in_child=False) as session:
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
