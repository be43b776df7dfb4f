//! Records and batches of magic 2, the only one that kacrab-protocol has.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use kacrab_protocol::record::{Record, RecordBatch, RecordHeader, decode_batches};
use lines::{Asked, Codec, Failure, Value, fields, left_over, not_offered, pair};

const MAGIC: i8 = 2;

/// A key is bytes here: as text, with U+FFFD in the place of what is none.
fn shown_header(header: &RecordHeader) -> Value {
    pair(String::from_utf8_lossy(&header.key).as_ref().into(), header.value.as_deref().into())
}

fn shown_record(record: &Record) -> Value {
    fields([
        ("attributes", record.attributes.into()),
        ("timestampDelta", record.timestamp_delta.into()),
        ("offsetDelta", record.offset_delta.into()),
        ("key", record.key.as_deref().into()),
        ("value", record.value.as_deref().into()),
        ("headers", Value::List(record.headers.iter().map(shown_header).collect())),
    ])
}

fn taken_octets(value: &Value) -> Asked<Option<Bytes>> {
    Ok(value.nullable(Value::octets)?.map(Bytes::copy_from_slice))
}

fn taken_header(value: &Value) -> Asked<RecordHeader> {
    let (key, content) = (&value.list()?[0], &value.list()?[1]);
    Ok(RecordHeader { key: Bytes::copy_from_slice(key.text()?.as_bytes()), value: taken_octets(content)? })
}

fn taken_record(value: &Value) -> Asked<Record> {
    value.only(&["attributes", "timestampDelta", "offsetDelta", "key", "value", "headers"])?;
    Ok(Record {
        attributes: value.field("attributes").integer()?,
        timestamp_delta: value.field("timestampDelta").integer()?,
        offset_delta: value.field("offsetDelta").integer()?,
        key: taken_octets(value.field("key"))?,
        value: taken_octets(value.field("value"))?,
        headers: value.field("headers").list()?.iter().map(taken_header).collect::<Asked<_>>()?,
    })
}

fn shown_batch(batch: &RecordBatch) -> Vec<(String, Value)> {
    let shown = fields([
        ("baseOffset", batch.base_offset.into()),
        ("partitionLeaderEpoch", batch.partition_leader_epoch.into()),
        ("attributes", batch.attributes.into()),
        ("lastOffsetDelta", batch.last_offset_delta.into()),
        ("baseTimestamp", batch.first_timestamp.into()),
        ("maxTimestamp", batch.max_timestamp.into()),
        ("producerId", batch.producer_id.into()),
        ("producerEpoch", batch.producer_epoch.into()),
        ("baseSequence", batch.base_sequence.into()),
        ("records", Value::List(batch.records.iter().map(shown_record).collect())),
    ]);
    let Value::Struct(shown) = shown else { unreachable!("fields makes a struct") };
    shown
}

fn taken_batch(value: &Value) -> Asked<RecordBatch> {
    value.only(&[
        "magic",
        "baseOffset",
        "partitionLeaderEpoch",
        "attributes",
        "lastOffsetDelta",
        "baseTimestamp",
        "maxTimestamp",
        "producerId",
        "producerEpoch",
        "baseSequence",
        "records",
    ])?;
    Ok(RecordBatch {
        base_offset: value.field("baseOffset").integer()?,
        partition_leader_epoch: value.field("partitionLeaderEpoch").integer()?,
        magic: MAGIC,
        attributes: value.field("attributes").integer()?,
        last_offset_delta: value.field("lastOffsetDelta").integer()?,
        first_timestamp: value.field("baseTimestamp").integer()?,
        max_timestamp: value.field("maxTimestamp").integer()?,
        producer_id: value.field("producerId").integer()?,
        producer_epoch: value.field("producerEpoch").integer()?,
        base_sequence: value.field("baseSequence").integer()?,
        records: value.field("records").list()?.iter().map(taken_record).collect::<Asked<_>>()?,
    })
}

fn read_record(data: &[u8]) -> Asked<Record> {
    let mut left = Bytes::copy_from_slice(data);
    let record = Record::decode(&mut left)?;
    left_over(data.len(), left.len())?;
    Ok(record)
}

fn written_record(record: &Record) -> Asked<Vec<u8>> {
    let mut written = BytesMut::new();
    record.encode(&mut written)?;
    Ok(written.to_vec())
}

fn read_batch(data: &[u8]) -> Asked<RecordBatch> {
    let mut left = Bytes::copy_from_slice(data);
    let batch = RecordBatch::decode(&mut left)?;
    left_over(data.len(), left.len())?;
    Ok(batch)
}

fn written_batches(batches: &[RecordBatch]) -> Asked<Vec<u8>> {
    let mut written = BytesMut::new();
    for batch in batches {
        batch.encode(&mut written)?;
    }
    Ok(written.to_vec())
}

/// What it leaves unread of a set is a partial batch to it, and dropped.
fn read_set(data: &[u8]) -> Asked<Vec<RecordBatch>> {
    Ok(decode_batches(&mut Bytes::copy_from_slice(data))?)
}

fn shown_entry(batch: &RecordBatch) -> Value {
    let mut shown = shown_batch(batch);
    shown.push(("magic".to_owned(), batch.magic.into()));
    Value::Struct(shown)
}

fn taken_set(value: &Value) -> Asked<Vec<RecordBatch>> {
    let entries = value.list()?;
    if entries.iter().any(|entry| *entry.field("magic") != MAGIC.into()) {
        return Err(not_offered("kacrab-protocol has no messages of magic 0 and 1"));
    }
    entries.iter().map(taken_batch).collect()
}

pub fn records() -> BTreeMap<String, Codec> {
    let record = Codec {
        decode: Some(Box::new(|_, data| Ok(shown_record(&read_record(data)?)))),
        encode: Some(Box::new(|_, value| written_record(&taken_record(value)?))),
        recode: Some(Box::new(|_, data| written_record(&read_record(data)?).map_err(Failure::in_writing))),
        ..Codec::default()
    };
    let batch = Codec {
        decode: Some(Box::new(|_, data| Ok(Value::Struct(shown_batch(&read_batch(data)?))))),
        encode: Some(Box::new(|_, value| written_batches(&[taken_batch(value)?]))),
        recode: Some(Box::new(|_, data| written_batches(&[read_batch(data)?]).map_err(Failure::in_writing))),
        ..Codec::default()
    };
    let set = Codec {
        decode: Some(Box::new(|_, data| Ok(Value::List(read_set(data)?.iter().map(shown_entry).collect())))),
        encode: Some(Box::new(|_, value| written_batches(&taken_set(value)?))),
        recode: Some(Box::new(|_, data| written_batches(&read_set(data)?).map_err(Failure::in_writing))),
        ..Codec::default()
    };
    [("Record", record), ("RecordBatch", batch), ("RecordSet", set)].map(|(name, codec)| (name.to_owned(), codec)).into()
}
