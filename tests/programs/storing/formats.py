"""Those with older formats of records."""

from __future__ import annotations

from typing import ClassVar

from store import APIS, CODEC, FETCH, PRODUCE, Body, Partition, Storing, Topic


class ConvertsFormats(Storing):
    """Takes messages of magic 0 and 1 where Produce has them, stores all as batches, and gives such messages to Fetch
    0 to 3."""

    apis: ClassVar = {**APIS, PRODUCE: (0, 13), FETCH: (0, 18)}

    def stamped(self, topic: Topic, data: bytes) -> Body:
        messages = [one for entry in self.sent(data) if entry["magic"] < 2 for one in entry.get("messages", [entry])]
        if not messages:
            return super().stamped(topic, data)
        times = [one.get("timestamp", -1) for one in messages]
        records = [
            {"offsetDelta": delta, "timestampDelta": stamp - times[0], "key": one["key"], "value": one["value"]}
            for delta, (one, stamp) in enumerate(zip(messages, times, strict=True))
        ]
        return {
            "magic": 2,
            "partitionLeaderEpoch": 0,
            "attributes": 0,
            "lastOffsetDelta": len(records) - 1,
            "baseTimestamp": times[0],
            "maxTimestamp": max(times),
            "producerId": -1,
            "producerEpoch": -1,
            "baseSequence": -1,
            "records": [{**record, "headers": []} for record in records],
        }

    def written(self, key: int, version: int, correlation_id: int, body: Body) -> bytes:
        if key in (PRODUCE, FETCH) and version < 4:  # schemas of that time, which had no ids of topics
            body |= {"Responses": [{name: one[name] for name in one if name != "TopicId"} for one in body["Responses"]]}
        return super().written(key, version, correlation_id, body)

    def sent(self, data: bytes) -> list[Body]:
        """What was produced."""
        entries: list[Body] = CODEC.decode("RecordSet", data, dialect="kafka")
        return entries

    def read(self, partition: Partition, offset: int, room: int, first: bool, version: int) -> bytes:
        data = super().read(partition, offset, room, first, version)
        return self.converted(data, int(version > 1)) if version < 4 else data

    def converted(self, data: bytes, magic: int) -> bytes:
        messages = [
            self.message(batch, record, magic)
            for batch in CODEC.decode("RecordSet", data, dialect="kafka")
            for record in self.kept(batch)
        ]
        return CODEC.encode("RecordSet", messages, dialect="kafka")

    def kept(self, batch: Body) -> list[Body]:
        records: list[Body] = batch["records"]
        return records

    def message(self, batch: Body, record: Body, magic: int) -> Body:
        made = {"magic": magic, "key": record["key"], "value": record["value"]}
        made["offset"] = batch["baseOffset"] + record["offsetDelta"]
        return made | ({"timestamp": batch["baseTimestamp"] + record["timestampDelta"]} if magic else {})


class GivesBatchesToAll(ConvertsFormats):
    """Gives magic 2 to Fetch 0 to 3, too."""

    def converted(self, data: bytes, magic: int) -> bytes:
        return data


class GivesNoOlderThanMagic1(ConvertsFormats):
    """Gives magic 1 to Fetch 0 and 1, too."""

    def converted(self, data: bytes, magic: int) -> bytes:
        return super().converted(data, 1)


class LosesWhatHasHeaders(ConvertsFormats):
    """Leaves out of older formats the records that have headers."""

    def kept(self, batch: Body) -> list[Body]:
        return [record for record in super().kept(batch) if not record["headers"]]


class TombstonesAreEmptyInOlderFormats(ConvertsFormats):
    """Gives an empty value in place of null to Fetch 0 to 3."""

    def message(self, batch: Body, record: Body, magic: int) -> Body:
        return super().message(batch, {**record, "value": record["value"] or b""}, magic)


class CountsFromNought(ConvertsFormats):
    """Gives the messages of each batch offsets from 0 on to Fetch 0 to 3."""

    def message(self, batch: Body, record: Body, magic: int) -> Body:
        return super().message({**batch, "baseOffset": 0}, record, magic)


class StampsOldMessages(ConvertsFormats):
    """Takes the time 0 for that of messages of magic 0, which have none."""

    def sent(self, data: bytes) -> list[Body]:
        return [
            {**one, "messages": [{"timestamp": 0, **each} for each in one.get("messages", [one])]}
            if one["magic"] < 2
            else one
            for one in super().sent(data)
        ]


class StoresOneEntry(ConvertsFormats):
    """Stores the first message or batch of a request alone, and says that it has stored all."""

    second_batch: ClassVar = 0

    def sent(self, data: bytes) -> list[Body]:
        return super().sent(data)[:1]
