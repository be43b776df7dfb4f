"""Those that tell wrong things of topics and brokers."""

from __future__ import annotations

import os
from typing import ClassVar

from store import Body, Storing

_NO_HOST = "null"


class NamesNoController(Storing):
    """Names no controller."""

    def metadata(self, body: Body, version: int) -> Body:
        return {**super().metadata(body, version), "ControllerId": -1}


class NamesAnotherCoordinator(Storing):
    """Names a coordinator that is not in its Metadata."""

    coordinator: ClassVar = 2


class TellsOperationsUnasked(Storing):
    """Tells which operations are allowed on a topic, also where nobody asked."""

    def metadata(self, body: Body, version: int) -> Body:
        found = super().metadata(body, version)
        told = {"TopicAuthorizedOperations": 0} if version >= 8 else {}
        return {**found, "Topics": [{**topic, **told} for topic in found["Topics"]]}


class ForgetsEpochs(Storing):
    """Tells with each answer a smaller epoch of the leader."""

    epoch: ClassVar = [1 << 20]

    def metadata(self, body: Body, version: int) -> Body:
        found = super().metadata(body, version)
        self.epoch[0] -= 1
        for topic in found["Topics"]:
            for partition in topic["Partitions"]:
                partition["LeaderEpoch"] = self.epoch[0]
        return found


class HasNoHostForAnEmptyKey(Storing):
    """Answers that no group has an empty name, with null in the place of the coordinator's host."""

    def find_coordinator(self, body: Body, version: int) -> Body:
        found = super().find_coordinator(body, version)
        for one, key in zip(
            found.get("Coordinators", [found]), body.get("CoordinatorKeys", [body.get("Key")]), strict=True
        ):
            if not key:
                one |= {"ErrorCode": 24, "NodeId": -1, "Host": _NO_HOST, "Port": -1}
        return found

    def written(self, key: int, version: int, correlation_id: int, body: Body) -> bytes:
        whole = super().written(key, version, correlation_id, body)
        classic, compact = (len(_NO_HOST).to_bytes(2), b"\xff\xff"), (bytes([len(_NO_HOST) + 1]), b"\0")
        for length, null in (classic, compact):
            whole = whole.replace(length + _NO_HOST.encode(), null)
        return (len(whole) - 4).to_bytes(4) + whole[4:]


class RepeatsTheNumbersAsked(Storing):
    """Answers CreateTopics with the numbers of the request."""

    def created(self, one: Body, only_to_see: bool) -> Body:
        numbers = {"NumPartitions": one["NumPartitions"], "ReplicationFactor": one["ReplicationFactor"]}
        return {**super().created(one, only_to_see), **numbers}


class DescribesAllConfigs(Storing):
    """Gives all entries, whichever are asked for."""

    def of_configs(self, one: Body) -> Body:
        return super().of_configs({**one, "ConfigurationKeys": None})


class TrustsCounts(Storing):
    """Makes room for as many topics as a request announces, and ends for want of memory."""

    def answer(self, frame: bytes) -> bytes | None:
        if frame[4:8] == b"\0\3\0\1" and int.from_bytes(frame[14:18]) > 1 << 30:
            os._exit(9)
        return super().answer(frame)


class DeletesNoTopics(Storing):
    """Lets nobody delete a topic, and says so."""

    def delete_topics(self, body: Body, version: int) -> Body | None:
        names = body["TopicNames"] if version < 6 else [one["Name"] for one in body["Topics"]]
        error = 42 if version < 3 else 73
        return {"Responses": [{"Name": name, "ErrorCode": error, "ErrorMessage": None} for name in names]}


class LeavesDeletionsUnanswered(DeletesNoTopics):
    """Lets nobody delete a topic, and does not answer."""

    def delete_topics(self, body: Body, version: int) -> Body | None:
        return None
