"""What is looked at quickly: an input in process, and the refusal of one in a child. Neither loses what the target's
steps would find."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from wireproof.conformance import vectors
from wireproof.conformance.connection.loading import load
from wireproof.conformance.connection.module import Module
from wireproof.conformance.generation import mutations
from wireproof.conformance.model import Op, Status
from wireproof.fuzz.corpus import seeding
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.targets import kinds
from wireproof.fuzz.targets.inputs import Form, split
from wireproof.fuzz.targets.kinds import Kind, TargetResult
from wireproof.fuzz.targets.session_start import forms, kind_of
from wireproof.reference.errors import DecodeError, Reason

#: Miniatures and other readings of all dialects: they read, write or answer otherwise, each in its own way.
WRONG = (
    "miniatures.always_accepts",
    "miniatures.always_refuses",
    "miniatures.answers_text_for_bytes",
    "miniatures.checks_no_crc",
    "miniatures.collapses_duplicate_headers",
    "miniatures.empties_unknown_tags",
    "miniatures.gives_back_the_bytes",
    "readings.ignores_trailing_bytes",
    "readings.keeps_tags_in_a_map",
    "miniatures.kip_35_reads_tags_as_text",
    "readings.kip_35_sorts_tags",
    "readings.kip_482_drops_unknown_fields",
    "miniatures.kip_82_int_leaves_the_flag",
    "miniatures.kip_82s_converts_by_the_bits",
    "miniatures.kip_82s_empties_null_headers",
    "miniatures.null_is_empty",
    "readings.refuses_overlong_varints",
    "miniatures.refuses_partial_tails",
    "readings.sends_tagged_defaults",
    "miniatures.unsigned_for_zigzag",
    "readings.wire_format_zero_is_no_request_error",
    "miniatures.writes_true_as_ff",
)
TARGETS = ("decode", "differential", "stability", "exchange", "schema")
#: So many inputs are looked at of each.
INPUTS = 120


def steps(kind: Kind, module: Module, form: Form, data: bytes) -> TargetResult:
    """What a target's steps, all of them, make of an input."""
    taken = kind.steps(form, data)
    try:
        cases = next(taken)
        while True:
            cases = taken.send([module.call(case) for case in cases])
    except StopIteration as end:
        looked: TargetResult = end.value
    return looked


def asked(kind: Kind, module: Module, dialect: str) -> list[tuple[Form, bytes]]:
    """Inputs of a target: some seeds, and each of them changed."""
    random = Random(3)
    table = forms(kind, module.description, dialect, None)
    raws = [*seeding.seeds(kind, dialect, table)]
    found = []
    for raw in random.sample(raws, min(len(raws), INPUTS // 2)):
        head, data = split(raw)
        form = table[head]
        found.append((form, data))
        if form.type is not None:
            found.append((form, mutations.mutate(data, dialect, form.type, form.version, random)))
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [*WRONG, ""])
def test_what_it_passes_is_right(name: str, target: str) -> None:
    module = load(name or "reference")
    kind = kind_of(target)
    for dialect in module.description.dialects:
        try:
            inputs = asked(kind, module, dialect)
        except FuzzError:  # it does not offer what the target asks
            continue
        module.configure(dialect, vectors.settings(dialect))
        looks = {form.head: kind.look(form, module) for form, _ in inputs}
        passed = [(form, data) for form, data in inputs * 2 if looks[form.head](data)]
        for form, data in passed:
            assert not steps(kind, module, form, data).suspects, form.identifier(min(form.ops), data)
        if not name:
            assert len(passed) > len(inputs) // 4  # the second time at least it is quick for most


BOOLEAN = Form("kafka", "BOOLEAN", None, frozenset({Op.DECODE, Op.ENCODE, Op.RECODE}))


def boolean(answer: Any, written: Any = b"\x01") -> Module:
    """An implementation of BOOLEAN that answers this; an exception is raised."""

    def given(what: Any) -> Any:
        if isinstance(what, BaseException):
            raise what
        return what

    functions = {Op.DECODE: lambda *_, **__: given(answer), Op.ENCODE: lambda *_, **__: given(written)}
    return Module(load("reference").description, functions, None)


@pytest.mark.parametrize(
    ("answer", "written", "right"),
    [
        (True, b"\x01", True),
        (1, b"\x01", False),
        (None, b"\x01", False),
        (object(), b"\x01", False),
        (True, b"\x02", False),
        (True, bytearray(b"\x01"), False),  # right, but for the steps to say
        (True, "1", False),
        (ValueError("refused"), b"\x01", False),
        (NotImplementedError(), b"\x01", False),
        (MemoryError(), b"\x01", False),
        (ZeroDivisionError(), b"\x01", False),
        (SystemExit(), b"\x01", False),
        (True, ValueError("refused"), False),
    ],
)
def test_what_is_right_and_what_is_left_to_the_steps(answer: Any, written: Any, right: bool) -> None:
    look = kind_of("differential").look(BOOLEAN, boolean(answer, written))
    assert not look(b"\x01")  # the first time, to be kept as novel
    assert look(b"\x01") is right


def test_what_both_refuse_is_right_and_a_crash_is_not() -> None:
    kind = kind_of("differential")
    for raised, right in ((ValueError(), True), (EOFError(), True), (KeyError(), False), (MemoryError(), False)):
        look = kind.look(BOOLEAN, boolean(raised))
        look(b"")
        assert look(b"") is right


def test_the_end_that_a_person_asks_for_goes_through() -> None:
    look = kind_of("decode").look(BOOLEAN, boolean(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        look(b"\x01")


@pytest.mark.parametrize("name", [*WRONG, ""])
def test_to_find_the_reason_of_a_refusal_late_changes_no_suspect(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(name or "reference")
    kind = kind_of("differential")
    for dialect in module.description.dialects:
        module.configure(dialect, vectors.settings(dialect))
        inputs = asked(kind, module, dialect)
        late = [steps(kind, module, form, data).suspects for form, data in inputs]
        with monkeypatch.context() as patched:
            patched.setattr(kinds, "_read_quickly", kinds._read)
            assert [steps(kind, module, form, data).suspects for form, data in inputs] == late


@pytest.mark.parametrize(
    ("refused", "shown"),
    [
        (DecodeError(Reason.TRAILING_BYTES, "theirs", 1), (Status.REJECT, "trailing-bytes", None, 2)),
        (ValueError("no reason"), (Status.REJECT, None, "truncated", 0)),
    ],
)
def test_a_refusal_is_new_by_its_own_reason_or_else_by_that_of_the_reference(
    refused: Exception, shown: tuple[Any, ...]
) -> None:
    (found,) = steps(kind_of("differential"), boolean(refused), BOOLEAN, b"").shown
    assert found[2:] == shown
