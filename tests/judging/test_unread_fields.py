"""A field that is not read is one cause, if that explains exactly what was seen."""

from __future__ import annotations

from typing import Any

import pytest

from wireproof.conformance import vectors
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation
from wireproof.conformance.generation.expectations import vector_of_arguments
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.judging.clusters import clusters, group
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import FailureKind, Observation, Op, Outcome, Status, Verdict
from wireproof.fuzz.targets.finding import names_of
from wireproof.reference.errors import Reason

FIRST = "first field: not read"


def judged(name: str, version: int, data: str, **seen: Any) -> Verdict:
    """The verdict on what was seen when these bytes were read; the positive control was accepted."""
    arguments = {"data": bytes.fromhex(data)}
    vector, case = vector_of_arguments(Op.DECODE, "kafka", name, version, arguments)
    return judge(vector, Observation(case, **seen), twin=Observation(case, Status.ANSWER))


def refused(name: str, version: int, data: str, reason: Reason, offset: int | None) -> Verdict:
    return judged(name, version, data, status=Status.REJECT, reason=reason, offset=offset)


#: A heartbeat's throttle time and error code.
HEARTBEAT = ("HeartbeatResponse", 1, "00000005" + "0000")
#: Throttle time, error code, session, no topics: any of the three INT32 may not be read.
SESSION = ("FetchResponse", 7, "00000000" + "0000" + "00000000" + "00000000")
#: Replica, greatest wait, least and most bytes, level of isolation, no topics.
FETCH = ("FetchRequest", 4, 4 * "00000000" + "00" + "00000000")


@pytest.mark.parametrize(
    "verdict",
    [
        refused(*HEARTBEAT, Reason.TRAILING_BYTES, 2),
        # The error code is read from the throttle time's place: two bytes that should not be enough.
        judged("HeartbeatResponse", 1, "0005", status=Status.ANSWER, answer={"ErrorCode": 5}),
        judged("HeartbeatResponse", 1, "0005", status=Status.ANSWER, answer={"ThrottleTimeMs": 0, "ErrorCode": 5}),
        # The count of topics is read from the throttle time's last bytes.
        refused("ListGroupsResponse", 1, "0000000100000000" + "0000", Reason.TRUNCATED, 2),
    ],
)
def test_the_first_field_is_not_read(verdict: Verdict) -> None:
    assert verdict.place == FIRST


def test_it_is_one_finding_in_all_messages_whatever_came_of_it() -> None:
    verdicts = [
        refused(*HEARTBEAT, Reason.TRAILING_BYTES, 2),
        judged("HeartbeatResponse", 1, "0005", status=Status.ANSWER, answer={"ErrorCode": 5}),
        refused("ListGroupsResponse", 1, "0000000100000000" + "0000", Reason.TRUNCATED, 2),
    ]
    (one,) = clusters(verdicts)
    assert len(one.verdicts) == 3
    assert str(one.group) == f"fail on read at {FIRST}"


def test_where_several_fields_may_not_be_read_other_cases_say_which_it_is() -> None:
    either = refused(*SESSION, Reason.TRAILING_BYTES, 10)
    assert either.place == "first field or FetchResponse.SessionId or FetchResponse.Responses: not read"
    first = refused(*HEARTBEAT, Reason.TRAILING_BYTES, 2)
    elsewhere = refused(*HEARTBEAT, Reason.TRAILING_BYTES, 4)
    assert [len(cluster.verdicts) for cluster in clusters([either, first])] == [2]
    assert [len(cluster.verdicts) for cluster in clusters([either, elsewhere])] == [1, 1]
    for alone, covered in ((first, True), (elsewhere, False), (either, True)):
        entry = KnownDeviation("bug", "so it is", finding=group(alone), reported="pending")
        assert (Known(None, (entry,)).find(either) == entry) is covered
    assert names_of(either)[1:] == (*names_of(first), *names_of(either)[2:])


def test_another_field_has_its_name() -> None:
    assert refused(*HEARTBEAT, Reason.TRAILING_BYTES, 4).place == "HeartbeatResponse.ErrorCode: not read"


#: One topic, a limit, and a cursor behind its marker.
CURSOR = ("DescribeTopicPartitionsRequest", 0, "02" + "026100" + "00000001" + "01" + "026d" + "00000007" + "00" + "00")


def test_the_marker_of_structures_is_not_read() -> None:
    # The marker is the length of the cursor's topic then, and the last byte of its partition a count of tags.
    assert refused(*CURSOR, Reason.TRUNCATED, 14).place == "marker: not read"
    # A null marker is read as the length of a text; without the cursor, as a count of tags.
    other = ("DescribeTopicPartitionsRequest", 0, "02" + "026100" + "00000001" + "ff" + "00")
    assert refused(*other, Reason.TRUNCATED, 8).place == "DescribeTopicPartitionsRequest.Cursor or marker: not read"
    (one,) = clusters([refused(*CURSOR, Reason.TRUNCATED, 14), refused(*other, Reason.TRUNCATED, 8)])
    assert len(one.verdicts) == 2
    assert not refused(*CURSOR, Reason.TRUNCATED, 13).place.endswith("not read")


def test_a_version_that_there_is_not_has_no_fields() -> None:
    (vector,) = (one for one in vectors.load(["kafka"], ["unsupported-versions"]) if one.id == "response-v6")
    case = vector.case(Op.DECODE)
    verdict = judge(vector, Observation(case, Status.ANSWER, answer={}), twin=Observation(case, Status.ANSWER))
    assert (verdict.outcome, verdict.kind) == (Outcome.FAIL, FailureKind.ACCEPTED_INVALID)


@pytest.mark.parametrize(
    "verdict",
    [
        # Another offset, another reason, or no offset.
        refused(*HEARTBEAT, Reason.TRAILING_BYTES, 3),
        refused(*HEARTBEAT, Reason.TRUNCATED, 2),
        refused(*HEARTBEAT, Reason.TRAILING_BYTES, None),
        # Any of the four numbers may not be read.
        refused(*FETCH, Reason.TRAILING_BYTES, 17),
        # The field was read.
        judged("HeartbeatResponse", 1, "0005", status=Status.ANSWER, answer={"ThrottleTimeMs": 5, "ErrorCode": 5}),
        judged(*HEARTBEAT, status=Status.ANSWER, answer={"ThrottleTimeMs": 0, "ErrorCode": 0}),
    ],
)
def test_what_is_not_explained_exactly_keeps_its_place(verdict: Verdict) -> None:
    assert verdict.outcome is Outcome.FAIL
    assert not verdict.place.endswith("not read")


def test_a_last_field_that_is_read_wrong_was_read() -> None:
    """A library that reads null as an empty array; by readings that it declares, any length below 0 is null, and what
    stands behind a message is ignored."""
    data = bytes.fromhex("00000000" + "0000" + "8000" + "80000000")
    vector, case = vector_of_arguments(Op.DECODE, "kafka", "DescribeClientQuotasResponse", 0, {"data": data})
    answer: dict[str, Any] = {"ThrottleTimeMs": 0, "ErrorCode": 0, "ErrorMessage": None, "Entries": []}
    readings = readings_for("kafka", {"R-K-7": "other", "R-K-15": "other"})
    verdict = judge(vector, Observation(case, Status.ANSWER, answer), readings)
    assert verdict.place == "count: an array in place of null"
