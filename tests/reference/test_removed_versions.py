"""The versions that Kafka 4.0 removed: read where a broker is judged, and nowhere else."""

from __future__ import annotations

import pytest

from wireproof import reference
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.questions import sweep
from wireproof.reference import catalog
from wireproof.reference.errors import DecodeError, Reason

#: By hand from Kafka's message definitions: Produce 0 and Fetch 0 name a topic "t" with partition 3 and error 6; the
#: first has an offset, the second a high watermark and no records.
PRODUCE_0 = bytes.fromhex("0000001d 00000007 00000001 0001 74 00000001 00000003 0006 ffffffffffffffff")
FETCH_0 = bytes.fromhex("00000021 00000007 00000001 0001 74 00000001 00000003 0006 ffffffffffffffff 00000000")


@pytest.mark.parametrize(("api", "frame"), [("Produce", PRODUCE_0), ("Fetch", FETCH_0)])
def test_the_judge_reads_a_version_that_was_removed(api: str, frame: bytes) -> None:
    value = reference_codec().decode(f"ResponseFrame:{api}", frame, dialect="kafka", version=0)
    assert value["header"] == {"CorrelationId": 7}
    assert reference_codec().encode(f"ResponseFrame:{api}", value, dialect="kafka", version=0) == frame
    with pytest.raises(DecodeError) as raised:
        reference.decode(f"ResponseFrame:{api}", frame, dialect="kafka", version=0)
    assert raised.value.reason is Reason.UNSUPPORTED_VERSION


def test_no_version_that_is_still_there_comes_from_the_older_kafka() -> None:
    wider = catalog.with_removed(catalog.bundled())
    assert wider.at("FetchRequest", 4) is catalog.bundled().load("FetchRequest")
    assert wider.at("FetchRequest", 3) is not catalog.bundled().load("FetchRequest")
    assert wider.messages["FetchRequest"] == (0, 18)
    assert wider.apis[7] == "ControlledShutdown"


def test_a_sweep_asks_them_and_tells_what_nobody_has() -> None:
    announced = {0: (0, 3), 7: (0, 3), 74: (0, 9), 9999: (0, 0)}
    asked = {one.vector.id for one in sweep.questions(announced) if one.vector.area == "messages"}
    assert asked >= {"Produce/0", "Produce/3", "ControlledShutdown/0", "ControlledShutdown/3"}
    missing = [*sweep.without_schema(announced)]
    assert missing == [*(f"ListConfigResources {version}" for version in range(2, 10)), "api 9999 0"]
