"""Those that tell wrong things of topics and brokers."""

from __future__ import annotations

import os
from typing import ClassVar

from store import Body, Storing


class NamesNoController(Storing):
    """Names no controller."""

    def metadata(self, body: Body, version: int) -> Body:
        return {**super().metadata(body, version), "ControllerId": -1}


class NamesAnotherCoordinator(Storing):
    """Names a coordinator that is not in its Metadata."""

    coordinator: ClassVar = 2


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
