"""What an implementation offers, and the kit knows or does not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.pytest_run import run

from wireproof import reference
from wireproof.conformance.model import Description
from wireproof.conformance.questions.offered_types import check, of_another_kafka


def offering(dialect: str = "kafka", **types: Any) -> Description:
    return Description("mine", types={dialect: types})


@pytest.mark.parametrize(
    ("types", "says"),
    [
        ({"MetadataRequst": (0, 1)}, "MetadataRequst, .* did you mean MetadataRequest?"),
        ({"VARNIT": None}, "VARNIT, .* did you mean VARINT?"),
        ({"ApiVersionsRequest": (90, 99)}, "the versions 90 to 99 of ApiVersionsRequest, which has 0 to "),
        ({"ResponseFrame:Metdata": (0, 1)}, "did you mean ResponseFrame:Metadata?"),
    ],
)
def test_a_type_or_version_that_is_none_is_an_error_that_names_the_nearest(types: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check(offering(**types))


@pytest.mark.parametrize(
    ("types", "other"),
    [
        ({"LeaderAndIsrRequest": (0, 7)}, ["LeaderAndIsrRequest"]),
        ({"ResponseFrame:UpdateMetadata": (0, 7)}, ["ResponseFrame:UpdateMetadata"]),
        ({"AlterIsrRequest": (0, 0)}, ["AlterIsrRequest"]),
        ({"CreateTopicsRequest": (0, 3)}, ["CreateTopicsRequest 0 to 1"]),
        ({"CreateTopicsRequest": (0, 0)}, ["CreateTopicsRequest 0"]),
        ({"CreateTopicsRequest": (0, 99)}, ["CreateTopicsRequest 0 to 1", "CreateTopicsRequest 8 to 99"]),
        ({"CreateTopicsRequest": (2, 7), "ARRAY": None, "COMPACT_ARRAY<INT32>": None, "INT32": None}, []),
    ],
)
def test_what_another_kafka_has_is_told(types: Any, other: list[str]) -> None:
    check(offering(**types))
    assert of_another_kafka(offering(**types)) == other


def test_the_reference_offers_what_there_is() -> None:
    described = Description("reference", types=reference.types)
    check(described)
    assert of_another_kafka(described) == []


CODEC = """
from wireproof import reference
types = {"kafka": {"VARINT": None, "%s": (0, 1), "RequestHeader": %s}}
dialects = ("kafka",)

def decode(type, data, *, dialect, version=None):
    return reference.decode(type, data, dialect=dialect, version=version)
"""


def test_a_run_tells_it(tmp_path: Path) -> None:
    codec = tmp_path / "a_codec.py"
    codec.write_text(CODEC % ("Metadata", "(1, 2)"))
    done = run("--impl=a_codec", cwd=tmp_path)
    assert done.code == 4
    assert "did you mean" in done.text
    codec.write_text(CODEC % ("StopReplicaRequest", "(0, 2)"))
    done = run("--impl=a_codec", "--area=varints", cwd=tmp_path)
    words = " ".join(done.text.split())
    assert "not asked: StopReplicaRequest. With those of its Kafka they are" in words
    assert "offered and never asked" not in words
