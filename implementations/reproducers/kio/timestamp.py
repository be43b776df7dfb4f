"""A record's timestamp has milliseconds: the base plus the delta of the record. They are lost when it is read."""

from kio.records.readers import read_record
from kio.static.primitive import i64

BASE = 1_000  # milliseconds; the third byte of the record is its delta, +1

record, _size = read_record(bytes.fromhex("@bytes@"), i64(BASE), i64(0), 0)
print("1,001 ms after 1970-01-01 00:00:00 are read as", record.timestamp)
