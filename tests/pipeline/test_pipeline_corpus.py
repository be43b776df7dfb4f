"""Corpora of several campaigns become one: for each feature of coverage, the smallest input that has it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="the extra `pipeline` is not installed")

from click.testing import CliRunner

from wireproof.cli import group as cli
from wireproof.fuzz.corpus.features import Features
from wireproof.fuzz.targets.inputs import Form, split
from wireproof.pipeline import corpus as merging
from wireproof.pipeline.corpus import find, merge
from wireproof.pipeline.errors import CountError, PipelineError
from wireproof.pipeline.spark.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VARINT = Form("kafka", "VARINT", None, frozenset())
STRING = Form("kafka", "STRING", None, frozenset())
REFERENCE = Features("reference", frozenset(), in_child=False)
ONE_BYTE = [VARINT.input(bytes([number])) for number in range(10)]
FIRST = [*ONE_BYTE, VARINT.input(b"\x80\x80\x01"), STRING.input(b"\x00\x02ab")]
SECOND = [
    *ONE_BYTE[:4],
    VARINT.input(b"\x80\x01"),
    VARINT.input(b"\x80"),
    STRING.input(b"\x00\x01a"),
    b"NOTHING/-\nabc",
]


def campaign(folder: Path, inputs: list[bytes], target: str = "decode") -> Path:
    """The folder of a campaign with these inputs."""
    place = folder / "corpus" / target / "kafka"
    place.mkdir(parents=True)
    for raw in inputs:
        (place / hashlib.sha1(raw, usedforsecurity=False).hexdigest()).write_bytes(raw)
    return folder


@pytest.fixture
def campaigns(tmp_path: Path) -> list[Path]:
    return [campaign(tmp_path / "first", FIRST), campaign(tmp_path / "second", SECOND)]


def test_for_each_feature_the_smallest_input_is_kept(spark: SparkSession, campaigns: list[Path]) -> None:
    (campaigns[1] / "corpus/decode/kafka" / ("0" * 40)).write_bytes(b"damaged")
    merged = merge(spark, find(campaigns), REFERENCE, Progress(spark, print))
    assert (merged.inputs, merged.equal) == (len(FIRST) + len(SECOND) + 1, 4)
    problems = dict(merged.unusable)
    assert len(problems) == 2
    assert any("SHA-1" in problem for problem in problems.values())
    assert any("does not take it" in problem for problem in problems.values())

    usable = {*FIRST, *SECOND} - {b"NOTHING/-\nabc"}
    features = {raw: REFERENCE("decode", "kafka", raw) for raw in usable}
    kept = [one.path.read_bytes() for one in merged.kept]
    assert len(kept) == len({*kept}) < len(usable)
    assert frozenset().union(*(features[raw] for raw in kept)) == frozenset().union(*features.values())
    for raw in kept:
        assert any(
            all(len(raw) <= len(other) for other in usable if feature in features[other]) for feature in features[raw]
        )
    assert {split(raw)[0] for raw in kept} == {b"VARINT/-", b"STRING/-"}
    assert VARINT.input(b"\x80") in kept


def test_features_depend_on_the_input_alone() -> None:
    """In another process, whose memory is laid out in another way, they are the same: the workers' are merged."""
    again = Features("reference", frozenset(), in_child=False)
    assert REFERENCE("decode", "kafka", FIRST[0]) == again("decode", "kafka", FIRST[0])
    assert REFERENCE("decode", "kafka", FIRST[0]) == REFERENCE("decode", "kafka", FIRST[1])
    assert REFERENCE("decode", "kafka", FIRST[0]) != REFERENCE("decode", "kafka", FIRST[-1])


def test_a_lost_input_is_told(spark: SparkSession, campaigns: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "reached_of", lambda _, batches: iter([*batches][:0]))
    with pytest.raises(CountError, match="corpus: 16 inputs went in and 0 came out"):
        merge(spark, find(campaigns), REFERENCE, Progress(spark, print))


@pytest.mark.parametrize(("name", "said"), [("empty", "it has no corpus"), ("missing", "there is no such folder")])
def test_a_folder_without_inputs_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(PipelineError, match=said):
        find([tmp_path / name])


def test_an_implementation_that_does_not_start_is_told(tmp_path: Path, campaigns: list[Path]) -> None:
    done = CliRunner().invoke(
        cli, ["pipeline", "corpus", str(campaigns[0]), "--out", str(tmp_path / "out"), "--impl", "no_such_module"]
    )
    assert done.exit_code == 2
    assert "no_such_module" in done.output
