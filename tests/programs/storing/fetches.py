"""Those that fetch wrongly."""

from __future__ import annotations

import socket
import time
import uuid

from store import Body, Partition, Storing, Topic


class NeverWaits(Storing):
    """Answers every Fetch at once."""

    def fetch(self, body: Body, version: int) -> Body:
        return super().fetch({**body, "MaxWaitMs": 0}, version)


class SleepsOn(Storing):
    """Is not woken by a Produce: a Fetch that waits gets what is there in the end."""

    def fetch(self, body: Body, version: int) -> Body:
        answer, size, failed = self.fetched(body, version)
        if size >= body["MinBytes"] or failed:
            return answer
        time.sleep(body["MaxWaitMs"] / 1000)
        return self.fetched(body, version)[0]


class AlwaysWaits(Storing):
    """Lets each Fetch wait for its whole time."""

    def fetch(self, body: Body, version: int) -> Body:
        time.sleep(body["MaxWaitMs"] / 1000)
        return super().fetch(body, version)


class GivesNoBatchThatIsTooLarge(Storing):
    """Gives nothing where the first batch is larger than the limit."""

    def read(self, partition: Partition, offset: int, room: int, first: bool, version: int) -> bytes:
        return super().read(partition, offset, room, False, version)


class StartsOver(Storing):
    """Gives all records, whatever the offset."""

    def read(self, partition: Partition, offset: int, room: int, first: bool, version: int) -> bytes:
        return super().read(partition, 0, room, first, version)


class GivesNothingBehindTheEnd(Storing):
    """Gives nothing, and no error, behind the end of the log."""

    def fetched(self, body: Body, version: int) -> tuple[Body, int, bool]:
        answer, size, failed = super().fetched(body, version)
        for one in answer["Responses"]:
            for part in one["Partitions"]:
                part["ErrorCode"] = 0 if part["ErrorCode"] == 1 else part["ErrorCode"]
        return answer, size, failed


class ForgetsIds(Storing):
    """Answers Fetch without the topics' ids."""

    def fetch(self, body: Body, version: int) -> Body:
        answer = super().fetch(body, version)
        return {**answer, "Responses": [{**one, "TopicId": uuid.UUID(int=0)} for one in answer["Responses"]]}


class UnknownIdIsAnUnknownName(Storing):
    """Answers an unknown id with error 3."""

    def found(
        self, one: Body, name: str, index: int, version: int, by_id: int
    ) -> tuple[Topic | None, Partition | None, int]:
        topic, partition, error = super().found(one, name, index, version, by_id)
        return topic, partition, 3 if error == 100 else error


class CutsItsAnswer(Storing):
    """Closes in the middle of a Fetch answer with records."""

    def send(self, connection: socket.socket, answer: bytes) -> None:
        super().send(connection, answer[: len(answer) // 2] if len(answer) > 2000 else answer)
        if len(answer) > 2000:
            connection.shutdown(socket.SHUT_RDWR)
