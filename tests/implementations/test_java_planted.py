"""Bugs planted in classes of kafka-clients, by an instruction of their bytecode, are found in their areas.

Skipped where the wrapper is not built; `implementations/java/build` builds it, with a JDK and Maven.
"""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from support.java import LAUNCHERS, NO_CRASH_FILE, built, skip_unless_built

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome
from wireproof.conformance.questions import selection

if TYPE_CHECKING:
    from pathlib import Path

#: Class, its instructions (as `javap -c` names them), what they are replaced by, and cases that pass without that.
PLANTED = {
    "a sign": (
        "utils/internals/ByteUtils",
        "1b 04 7c 1b 04 7e 74 82",  # iload_1 iconst_1 iushr iload_1 iconst_1 iand ineg ixor
        "1b 04 7a 1b 04 7e 74 82",  # ishr
        {"varints/varint-2147483647#decode", "varints/varint-minus-2147483648#decode"},
    ),
    "a bound": (
        "utils/internals/ByteUtils",
        "1b 10 15 78 80 3d a7",  # iload_1 bipush(21) ishl ior istore_2 goto
        "1b 10 14 78 80 3d a7",  # bipush(20)
        {"varints/uvarint-268435455#decode", "varints/varint-134217727#decode"},
    ),
    "a null": (
        "utils/Utils",
        "1b 9c 00 05 01 b0 2a",  # iload_1 ifge(6) aconst_null areturn aload_0
        "1b 9d 00 05 01 b0 2a",  # ifgt(6)
        {"header-multimaps/record-empty-header-value#decode"},
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_what_is_planted_is_found(bug: str, tmp_path: Path) -> None:
    skip_unless_built()
    name, code, wrong, ids = PLANTED[bug]
    before = outcomes(str(LAUNCHERS["generated"]), ids)
    assert before == dict.fromkeys(ids, Outcome.PASS)
    (clients,) = (built() / "lib").glob("kafka-clients-*.jar")
    changed = tmp_path / "org/apache/kafka/common" / f"{name}.class"
    changed.parent.mkdir(parents=True)
    with zipfile.ZipFile(clients) as jar:
        content = jar.read(f"org/apache/kafka/common/{name}.class")
    assert bytes.fromhex(code) in content
    changed.write_bytes(content.replace(bytes.fromhex(code), bytes.fromhex(wrong)))
    # The changed class stands before that of the jar.
    command = f"java {NO_CRASH_FILE} -cp {tmp_path}:{built() / 'wrapper.jar'} wireproof.Main"
    assert outcomes(command, ids) == dict.fromkeys(ids, Outcome.FAIL)


def outcomes(command: str, ids: set[str]) -> dict[str, Outcome]:
    """The verdicts on these cases."""
    with Examiner(open_connection(f"exec:{command}", Options(timeout=20))) as examiner:
        chosen = selection.of_vectors(vectors.load(["kafka"]), examiner.description)
        asked = [question for question in chosen if question.case.id.removeprefix("kafka/") in ids]
        return {
            judged.question.case.id.removeprefix("kafka/"): judged.verdict.outcome for judged in examiner.judge(asked)
        }
