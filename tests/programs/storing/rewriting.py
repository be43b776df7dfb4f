"""Those that store other records than were produced."""

from __future__ import annotations

import crc32c
from store import Body, Partition, Storing, Topic


class Rewriting(Storing):
    """Changes each record that it stores."""

    def stamped(self, topic: Topic, data: bytes) -> Body:
        batch = super().stamped(topic, data)
        return {**batch, "records": [self.changed(one) for one in batch["records"]]}

    def changed(self, record: Body) -> Body:
        return record


class LosesEqualHeaders(Rewriting):
    """Keeps the last header of each key alone, as in a map."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": [*dict(record["headers"]).items()]}


class LosesHeaders(Rewriting):
    """Stores no headers."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": []}


class NullHeaderIsEmpty(Rewriting):
    """Stores an empty value for a header whose value is null."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": [(key, value or b"") for key, value in record["headers"]]}


class EmptyIsNull(Rewriting):
    """Stores null for an empty key, and for an empty value."""

    def changed(self, record: Body) -> Body:
        return {**record, "key": record["key"] or None, "value": record["value"] or None}


class SortsHeaders(Rewriting):
    """Stores headers by their values."""

    def changed(self, record: Body) -> Body:
        return {**record, "headers": sorted(record["headers"], key=lambda header: header[1] or b"")}


class LosesTimes(Rewriting):
    """Gives all records of a batch the time of the first one."""

    def changed(self, record: Body) -> Body:
        return {**record, "timestampDelta": 0}


class TakesAnyCrc(Storing):
    """Stores a batch with a wrong CRC."""

    def refused(self, topic: Topic, partition: Partition, data: bytes, version: int) -> int:
        return 0

    def stamped(self, topic: Topic, data: bytes) -> Body:
        return super().stamped(topic, data[:17] + crc32c.crc32c(data[21:]).to_bytes(4) + data[21:])
