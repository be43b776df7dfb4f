"""Those that keep the offsets of groups."""

from __future__ import annotations

from typing import ClassVar

from store import APIS, OFFSET_COMMIT, OFFSET_FETCH, Body, Storing


class CommitsOffsets(Storing):
    """Keeps what groups without members commit."""

    apis: ClassVar = {**APIS, OFFSET_COMMIT: (2, 10), OFFSET_FETCH: (1, 10)}
    #: By group, then by topic and partition.
    committed: ClassVar[dict[str, dict[tuple[str, int], Body]]] = {}

    def offset_commit(self, body: Body, version: int) -> Body:
        kept, topics = self.committed.setdefault(body["GroupId"], {}), []
        for one in body["Topics"]:
            name = self.named(one, version)
            kept.update({(name, part["PartitionIndex"]): part for part in one["Partitions"]})
            parts = [{"PartitionIndex": part["PartitionIndex"], "ErrorCode": 0} for part in one["Partitions"]]
            topics.append({"Name": name, "TopicId": self.topics[name].id, "Partitions": parts})
        return {"Topics": topics}

    def offset_fetch(self, body: Body, version: int) -> Body:
        if version < 8:
            return {"ErrorCode": 0, "Topics": self.offsets(body["GroupId"], body["Topics"], version)}
        groups = []
        for one in body["Groups"]:
            topics = self.offsets(one["GroupId"], one["Topics"], version)
            topics = [{**topic, "TopicId": self.topics[topic["Name"]].id} for topic in topics]
            groups.append({"GroupId": one["GroupId"], "ErrorCode": 0, "Topics": topics})
        return {"Groups": groups}

    def offsets(self, group: str, asked: list[Body] | None, version: int) -> list[Body]:
        """The offsets of a group: those of the partitions asked for, or all that there are."""
        kept = self.committed.get(group, {})
        if asked is None:
            return self.of_topics([(*key, part) for key, part in kept.items()])
        return self.of_topics(
            [
                (name, index, self.asked_for(kept.get((name, index))))
                for one in asked
                for name in [self.named(one, version)]
                for index in one["PartitionIndexes"]
            ]
        )

    def asked_for(self, part: Body | None) -> Body:
        """The offset of a partition that was asked for."""
        return part or {"CommittedOffset": -1, "CommittedLeaderEpoch": -1, "CommittedMetadata": ""}

    def of_topics(self, found: list[tuple[str, int, Body]]) -> list[Body]:
        topics: dict[str, Body] = {}
        for name, index, part in found:
            empty: Body = {"Name": name, "Partitions": []}
            answer = {"PartitionIndex": index, "ErrorCode": 0, "Metadata": part["CommittedMetadata"]}
            answer |= {key: part.get(key, -1) for key in ("CommittedOffset", "CommittedLeaderEpoch")}
            topics.setdefault(name, empty)["Partitions"].append(answer)
        return [*topics.values()]

    def named(self, one: Body, version: int) -> str:
        if version < 10:
            name: str = one["Name"]
            return name
        return next(topic.name for topic in [*self.topics.values()] if topic.id == one["TopicId"])


class TellsEpochsOfAllTopicsAlone(CommitsOffsets):
    """Tells the epoch of a commit when all topics are asked for, and none of topics that are named."""

    def asked_for(self, part: Body | None) -> Body:
        return {**super().asked_for(part), "CommittedLeaderEpoch": -1}
