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
