"""Bugs planted in a copy of kafka-python are found in their areas."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.model import Outcome
from wireproof.conformance.questions import selection

pytest.importorskip("kafka", reason="the extra `implementations` is not installed")

#: File, its text, what it is replaced by, and cases that pass without that.
PLANTED = {
    "a sign": (
        "protocol/schemas/fields/codecs/types.py",
        "class Int32(FixedCodec):\n    fmt = 'i'",
        "class Int32(FixedCodec):\n    fmt = 'I'",
        {"framing/int32-minus-1#decode", "framing/int32-minus-2147483648#decode"},
    ),
    "a bound": (
        "protocol/schemas/fields/codecs/types.py",
        "            if i > 28:\n",
        "            if i > 21:\n",
        {"varints/uvarint-268435456#decode", "varints/varint-134217728#decode"},
    ),
    "a null": (
        "protocol/schemas/fields/codecs/types.py",
        "        if length < 0:\n            return None\n        value = data.read(length)",
        "        if length <= 0:\n            return None\n        value = data.read(length)",
        {"null-encodings/string-empty#decode", "null-encodings/compact-string-empty#decode"},
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_what_is_planted_is_found(bug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, text, wrong, ids = PLANTED[bug]
    assert outcomes(ids) == dict.fromkeys(ids, Outcome.PASS)
    found = importlib.util.find_spec("kafka")
    assert found is not None
    assert found.origin is not None
    copy = tmp_path / "kafka"
    shutil.copytree(Path(found.origin).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    source = copy / file
    assert text in source.read_text("utf-8")
    source.write_text(source.read_text("utf-8").replace(text, wrong), "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # of the child: the copy stands before what is installed
    assert outcomes(ids) == dict.fromkeys(ids, Outcome.FAIL)


def outcomes(ids: set[str]) -> dict[str, Outcome]:
    """The verdicts on these cases."""
    with Examiner(open_connection("implementations.kafka_python", Options(timeout=20))) as examiner:
        chosen = selection.of_vectors(vectors.load(["kafka"]), examiner.description)
        asked = [question for question in chosen if question.case.id.removeprefix("kafka/") in ids]
        return {
            judged.question.case.id.removeprefix("kafka/"): judged.verdict.outcome for judged in examiner.judge(asked)
        }
