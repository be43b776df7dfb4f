"""The custom mutator. It keeps the head of an input or replaces it by another one. The bytes are changed by libFuzzer's
own mutations, or by mutations that know the structure."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Mapping
from random import Random

from wireproof.conformance.generation import further_ops, mutations
from wireproof.conformance.generation.arguments import arguments_of, seed_of
from wireproof.conformance.generation.mutations.checksums import is_batch, sealed
from wireproof.conformance.generation.mutations.conversation import mutate_conversation
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.properties import invalid_values
from wireproof.fuzz.targets.inputs import Form, Forms

#: libFuzzer's own mutation, called with bytes and the maximum size of the result.
Basic = Callable[[bytes, int], bytes]

#: The probability of another head, and, within that, of another version of the same type.
_TURNED = 0.04
_SAME_TYPE = 0.7
#: The probability of a mutation of the structure, for longer inputs and for those of fewer than `_SHORT` bytes.
_STRUCTURED, _SELDOM = 0.35, 0.05
_SHORT = 6
#: The probability that a batch gets the right CRC after one of libFuzzer's own mutations. With a wrong one reading ends
#: at once, always in the same way.
_SEALED = 0.9
#: The probability that a value in JSON is changed. Otherwise an input with known structure is changed instead: values
#: take long to read, and their few kinds of changes are soon tried.
_VALUES = 1 / 16
#: The probability of a mutation of the frames of a conversation.
_CONVERSED = 0.1
#: To find the structure of an input takes ten to twenty times as long as to change it. So this share of inputs is
#: analysed; otherwise an input with known structure is changed instead.
_LOOKED_FOR = 1 / 16
#: The number of inputs with known structure that are kept (fewer than the layouts in
#: `conformance.generation.mutations`), and the number of inputs of each form from which parts are copied.
_KEPT, _OF_FORM = 384, 8
_SPLICED = 0.3
#: For targets that draw values: the probability of new random bytes, and their maximum number. libFuzzer cannot follow
#: how values are drawn.
_FRESH, _BUFFER = 0.25, 512


class Mutator:
    """Changes inputs. The same sequence of inputs and seeds gives the same results, if `basic` does so too."""

    def __init__(self, forms: Forms, basic: Basic, *, structured: bool = True, drawn: bool = False) -> None:
        """`drawn`: values are drawn from the bytes of an input, so the bytes have no structure."""
        self._forms = forms
        #: A value in JSON is only changed as a value, so that it keeps its types; other bytes never become one.
        self._heads = [head for head, form in forms.items() if not form.value]
        self._basic = basic
        self._structured = structured and not drawn
        self._drawn = drawn
        self._random: Random | None = None
        self._versions: Mapping[str | None, list[bytes]] = _by_type(forms)
        #: The heads of inputs that begin with a record batch.
        self._batches = {head for head in self._heads if _has_batches(forms[head])}
        #: Inputs with known structure: a ring, in which a new one replaces the oldest.
        self._known: list[bytes] = []
        self._oldest = 0
        self._among: set[bytes] = set()
        self._of_form: dict[bytes, deque[bytes]] = {}

    def __call__(self, raw: bytes, most: int, seed: int) -> bytes:
        """A changed input. Never raises, because libFuzzer would stop."""
        try:
            return self._changed(bytes(raw), most, seed)[:most]
        except Exception:  # the campaign continues after a fault in a mutation
            return self._basic(raw, most)

    def _changed(self, raw: bytes, most: int, seed: int) -> bytes:
        random = self._random
        if random is None:  # only once, because seeding takes longer than the rest
            random = self._random = Random(seed)  # noqa: S311 (not used for secrets)
        head, _, data = raw.partition(b"\n")
        form = self._forms.get(head)
        if form is not None and form.value:
            if random.random() < _VALUES or not self._known:
                return form.input(_other_value(data, most - len(head) - 1, random))
            raw = random.choice(self._known)
            head, _, data = raw.partition(b"\n")
            form = self._forms[head]
        if form is None or random.random() < _TURNED:
            head = self._turned(form, random)
            form = self._forms[head]
            if random.random() < 0.5:
                return head + b"\n" + data
            raw = head + b"\n" + data
        if self._drawn and random.random() < _FRESH:
            return head + b"\n" + random.randbytes(random.randrange(1, _BUFFER))
        share = _CONVERSED if form.type is None else _SELDOM if len(data) < _SHORT else _STRUCTURED
        if self._structured and random.random() < share:
            changed = self._conversation(form, data, random) if form.type is None else self._with_structure(raw, random)
            if changed is not None:
                return changed
        room = max(most - len(head) - 1, 1)
        if self._structured and head in self._batches and random.random() < _SEALED:
            known = None if is_batch(data) else self._of_form.get(head)
            return head + b"\n" + sealed(self._basic(random.choice(known) if known else data, room))
        return head + b"\n" + self._basic(data, room)

    def _turned(self, form: Form | None, random: Random) -> bytes:
        if form is not None and random.random() < _SAME_TYPE:
            return random.choice(self._versions[form.type])
        return random.choice(self._heads)

    def _conversation(self, form: Form, data: bytes, random: Random) -> bytes | None:
        """A mutation of the frames of a conversation; None for an op that has none."""
        (op,) = form.ops
        changed = mutate_conversation(op, data, form.dialect, random)
        return None if changed is None else form.input(changed)

    def _with_structure(self, raw: bytes, random: Random) -> bytes:
        """A mutation of the structure of this input, or of another input with known structure."""
        if raw not in self._among:
            if not self._known or random.random() < _LOOKED_FOR:
                self._look(raw)
            else:
                raw = random.choice(self._known)
        head, _, data = raw.partition(b"\n")
        others = self._of_form.get(head)
        other = random.choice(others) if others and random.random() < _SPLICED else None
        return head + b"\n" + mutations.mutate(data, *_read_as(self._forms[head]), random, other)

    def _look(self, raw: bytes) -> None:
        """Keep an input if it can be read to its end: a change to one that cannot is rarely seen, because reading stops
        before it. Most inputs of a corpus are of that kind."""
        head, _, data = raw.partition(b"\n")
        if not mutations.readable(data, *_read_as(self._forms[head])):
            return
        if len(self._known) < _KEPT:
            self._known.append(raw)
        else:
            self._among.discard(self._known[self._oldest])
            self._known[self._oldest] = raw
            self._oldest = (self._oldest + 1) % _KEPT
        self._among.add(raw)
        self._of_form.setdefault(head, deque(maxlen=_OF_FORM)).append(data)


@functools.lru_cache(1 << 13)
def _read_as(form: Form) -> tuple[str, str, int | None]:
    """The dialect, the type and the version as which the bytes of an input are read."""
    assert form.type is not None
    return *further_ops.read_as(form.dialect, form.type), form.version


def _by_type(forms: Forms) -> dict[str | None, list[bytes]]:
    heads: dict[str | None, list[bytes]] = {}
    for head, form in forms.items():
        if not form.value:
            heads.setdefault(form.type, []).append(head)
    return heads


def _has_batches(form: Form) -> bool:
    if form.type is None:
        return False
    dialect, type_name, _ = _read_as(form)
    entries = reference_codec().dialect(dialect).entries.get(type_name)
    return entries is not None and entries.batches


def _other_value(data: bytes, most: int, random: Random) -> bytes:
    """A value in JSON with one changed part. It stays as it is if it has no such part, if the JSON would be longer than
    `most`, and if it is no value."""
    try:
        changes = invalid_values.changes(arguments_of(Op.ENCODE, data)["value"])
        changed = seed_of(Op.ENCODE, {"value": random.choice(changes).value()}) if changes else data
    except ValueError:
        return data
    return changed if len(changed) <= most else data
