"""Those that count, store or find offsets wrongly."""

from __future__ import annotations

from typing import ClassVar

from store import CODEC, Body, Partition, Storing


class BaseOffsetIsNull(Storing):
    """Answers every Produce with the base offset 0."""

    def produced(self, one: Body, part: Body, version: int, acks: int) -> Body:
        said = super().produced(one, part, version, acks)
        return {**said, "BaseOffset": min(0, said["BaseOffset"])}


class HighWatermarkTooHigh(Storing):
    """Answers Fetch with a high watermark that is one too high."""

    def fetch(self, body: Body, version: int) -> Body:
        answer = super().fetch(body, version)
        for one in answer["Responses"]:
            for part in one["Partitions"]:
                part["HighWatermark"] += 1
        return answer


class LooksUpTheZeroId(Storing):
    """Looks up topics by their id in every version of Fetch, though there is none below 13."""

    def fetched(self, body: Body, version: int) -> tuple[Body, int, bool]:
        answer, size, failed = super().fetched(body, version)
        for part in (part for one in answer["Responses"] for part in one["Partitions"] if version < 13):
            part |= {"ErrorCode": 100, "HighWatermark": -1, "Records": b""}
        return answer, size, failed or version < 13


class EndIsTheLastOffset(Storing):
    """Answers ListOffsets -1 with the last record's offset."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        offset, at = super().listed(partition, stamp)
        return (max(0, offset - 1), at) if stamp == -1 else (offset, at)


class GreatestTimeOfTheBatch(Storing):
    """Answers ListOffsets -3 with the last offset of the batch."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        offset, at = super().listed(partition, stamp)
        return (partition.end - 1, at) if stamp == -3 else (offset, at)


class StoresTwice(Storing):
    """Stores a batch that an idempotent producer sends again."""

    def stored(self, partition: Partition, batch: Body) -> tuple[int, int]:
        return super().stored(partition, {**batch, "producerId": -1})


class StoresNothingWithoutAcks(Storing):
    """Forgets what comes with acks 0."""

    def produce(self, body: Body, version: int) -> Body | None:
        return super().produce(body, version) if body["Acks"] else None


class AnswersWithoutAcks(Storing):
    """Answers Produce with acks 0."""

    def produce(self, body: Body, version: int) -> Body | None:
        answer = super().produce(body, version)
        return {"Responses": []} if answer is None else answer


class TakesAnyAcks(Storing):
    """Takes acks 2 for acks 1."""

    def produced(self, one: Body, part: Body, version: int, acks: int) -> Body:
        return super().produced(one, part, version, min(acks, 1))


class DeletesNothing(Storing):
    """Answers DeleteRecords well, and keeps the records."""

    def delete_records(self, body: Body, version: int) -> Body:
        kept = {name: [part.start for part in topic.partitions] for name, topic in self.topics.items()}
        answer = super().delete_records(body, version)
        for name, starts in kept.items():
            for part, start in zip(self.topics[name].partitions, starts, strict=True):
                part.start = start
        return answer


class TakesTimesOfLaterVersions(Storing):
    """Takes -3 for the greatest time in every version of ListOffsets."""

    special_times: ClassVar = 0


class NothingIsTheEnd(Storing):
    """Answers the end of the log where no record has a time."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        offset, found = super().listed(partition, stamp)
        return (partition.end if offset == -1 else offset), found


class LooksAtTheGreatestTimeFirst(Storing):
    """Passes over batches whose header says that no record is so late."""

    def listed(self, partition: Partition, stamp: int) -> tuple[int, int]:
        late = Partition()
        late.batches = [one for one in partition.batches if self.greatest(one[2]) >= stamp]
        return super().listed(late if stamp >= 0 else partition, stamp)

    def greatest(self, data: bytes) -> int:
        entries: list[Body] = CODEC.decode("RecordSet", data, dialect="kafka")
        return int(entries[0]["maxTimestamp"])
