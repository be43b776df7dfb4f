"""Those with transactions."""

from __future__ import annotations

from typing import ClassVar

from store import ADD_PARTITIONS_TO_TXN, APIS, CODEC, END_TXN, Body, Partition, Storing


class MarkersWithoutAValue(Storing):
    """Has transactions, whose markers have an empty value."""

    apis: ClassVar = {**APIS, ADD_PARTITIONS_TO_TXN: (0, 3), END_TXN: (0, 4)}
    marker: ClassVar = b""
    #: By producer, the partitions of its transaction.
    begun: ClassVar[dict[int, list[Partition]]] = {}

    def add_partitions_to_txn(self, body: Body, version: int) -> Body:
        results, added = [], self.begun.setdefault(body["V3AndBelowProducerId"], [])
        for topic in body["V3AndBelowTopics"]:
            added += [self.topics[topic["Name"]].partitions[index] for index in topic["Partitions"]]
            parts = [{"PartitionIndex": index, "PartitionErrorCode": 0} for index in topic["Partitions"]]
            results.append({"Name": topic["Name"], "ResultsByPartition": parts})
        return {"ResultsByTopicV3AndBelow": results}

    def end_txn(self, body: Body, version: int) -> Body:
        record = {"offsetDelta": 0, "timestampDelta": 0, "value": self.marker, "headers": []}
        record["key"] = bytes([0, 0, 0, body["Committed"]])
        batch = {"magic": 2, "attributes": 0x30, "lastOffsetDelta": 0, "baseTimestamp": 1, "maxTimestamp": 1}
        batch |= {"partitionLeaderEpoch": 0, "producerId": body["ProducerId"], "producerEpoch": body["ProducerEpoch"]}
        for partition in self.begun.pop(body["ProducerId"], []):
            base = partition.end
            marked = {**batch, "baseSequence": -1, "baseOffset": base, "records": [record]}
            partition.batches.append((base, base + 1, CODEC.encode("RecordSet", [marked], dialect="kafka")))
        return {"ErrorCode": 0}


class CommitsTransactions(MarkersWithoutAValue):
    """Has transactions, whose markers have what Kafka's have: version 0 and the coordinator's epoch."""

    marker: ClassVar = bytes(6)


class ListsAborts(CommitsTransactions):
    """Lists each aborted transaction that a Fetch is given records of."""

    #: By partition, the producer of each with its first offset and that of its marker.
    aborted: ClassVar[dict[Partition, list[tuple[int, int, int]]]] = {}

    def end_txn(self, body: Body, version: int) -> Body:
        begun = [*self.begun.get(body["ProducerId"], [])]
        answer = super().end_txn(body, version)
        for partition in () if body["Committed"] else begun:
            first = partition.producers[body["ProducerId"]][1]
            self.aborted.setdefault(partition, []).append((body["ProducerId"], first, partition.end - 1))
        return answer

    def fetched(self, body: Body, version: int) -> tuple[Body, int, bool]:
        answer, size, failed = super().fetched(body, version)
        for one, told in zip(body["Topics"], answer["Responses"], strict=False):
            for part, shown in zip(one["Partitions"], told["Partitions"], strict=True):
                _, partition, error = self.found(one, "Topic", part["Partition"], version, 13)
                if partition is not None and not error and body["IsolationLevel"]:
                    shown["AbortedTransactions"] = self.listed_aborts(partition, part["FetchOffset"])
        return answer, size, failed

    def listed_aborts(self, partition: Partition, offset: int) -> list[Body]:
        return [
            {"ProducerId": producer, "FirstOffset": first}
            for producer, first, marker in self.aborted.get(partition, [])
            if marker >= offset and first < self.reach(partition, offset)
        ]

    def reach(self, partition: Partition, offset: int) -> int:
        """The offset up to which aborted transactions are listed."""
        return partition.end


class CountsTheEndFromItsSegment(ListsAborts):
    """Counts the end of what it gives from the beginning of its segment, of 1 MiB, and lists no transaction behind."""

    def reach(self, partition: Partition, offset: int) -> int:
        begins = filled = 0
        for base, _, kept in partition.batches:
            if filled + len(kept) > 1 << 20:
                begins, filled = base, 0
            filled += len(kept)
            if base >= offset:
                break
        return partition.end - begins
