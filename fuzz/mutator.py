"""The custom mutator: the line that says what an input is about is kept or exchanged as a whole; its bytes are changed
by libFuzzer's own mutations or by those that know their structure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from random import Random

from conformance import mutations
from fuzz import inputs
from fuzz.inputs import Form, Forms

#: libFuzzer's own mutation: bytes and the size that they may have at most.
Basic = Callable[[bytes, int], bytes]

#: How often an input becomes one about something else, and how often that is another version of the same type.
_TURNED = 0.04
_SAME_TYPE = 0.7
#: How often the structure is looked at: that takes a hundred times as long as libFuzzer's own mutations do.
_STRUCTURED = 0.15
#: So many inputs of a form are kept, of which parts are taken.
_KEPT = 8


class Mutator:
    """Changes inputs. The same input and seed give the same, as far as `basic` does."""

    def __init__(self, forms: Forms, basic: Basic, *, structured: bool = True) -> None:
        self._forms = forms
        self._heads = [*forms]
        self._basic = basic
        self._structured = structured
        self._random = Random()  # noqa: S311 (no secret hangs on it)
        self._versions: Mapping[str | None, list[bytes]] = _by_type(forms)
        self._others: dict[bytes, deque[bytes]] = {}

    def __call__(self, raw: bytes, most: int, seed: int) -> bytes:
        """An input, changed. Never raises: libFuzzer would stand still."""
        try:
            return self._changed(bytes(raw), most, seed)[:most]
        except Exception:  # whatever is wrong with a mutation, the campaign goes on
            return self._basic(raw, most)

    def _changed(self, raw: bytes, most: int, seed: int) -> bytes:
        random = self._random
        random.seed(seed)
        head, data = inputs.split(raw)
        form = self._forms.get(head)
        if form is None or random.random() < _TURNED:
            head = self._turned(form, random)
            form = self._forms[head]
            if random.random() < 0.5:
                return head + b"\n" + data
        room = max(1, most - len(head) - 1)
        if self._structured and form.type is not None and random.random() < _STRUCTURED:
            data = self._structure(form, head, data, random)
        else:
            data = self._basic(data, room)
        return head + b"\n" + data

    def _turned(self, form: Form | None, random: Random) -> bytes:
        if form is not None and random.random() < _SAME_TYPE:
            return random.choice(self._versions[form.type])
        return random.choice(self._heads)

    def _structure(self, form: Form, head: bytes, data: bytes, random: Random) -> bytes:
        assert form.type is not None
        others = self._others.setdefault(head, deque(maxlen=_KEPT))
        other = random.choice(others) if others and random.random() < 0.3 else None
        if random.random() < 0.1:
            others.append(data)
        return mutations.mutate(data, form.dialect, form.type, form.version, random, other)


def _by_type(forms: Forms) -> dict[str | None, list[bytes]]:
    found: dict[str | None, list[bytes]] = {}
    for head, form in forms.items():
        found.setdefault(form.type, []).append(head)
    return found
