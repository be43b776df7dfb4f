//! Batches of magic 2, the only one that kafka-protocol has. Its `Record` has an absolute offset and timestamp, and what it knows
//! of its batch.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use indexmap::IndexMap;
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    BatchDecodeInfo, Compression, NO_PARTITION_LEADER_EPOCH, Record, RecordBatchDecoder, RecordBatchEncoder,
    RecordEncodeOptions, RecordSet, TimestampType,
};
use lines::{Asked, Codec, Failure, Sent, Value, fields, left_over, not_offered, pair, refused};

use crate::refusal;

/// What the encoder computes from the records, and the decoder does not return.
pub const REBUILT: &[&str] = &["lastOffsetDelta", "maxTimestamp"];

const MAGIC: i8 = 2;
const CODEC_BITS: i16 = 0x07;
const LOG_APPEND_TIME: i16 = 0x08;
const TRANSACTIONAL: i16 = 0x10;
const CONTROL: i16 = 0x20;
const DELETE_HORIZON: i16 = 0x40;
/// Those that a `Record` or the options have a place for.
const KNOWN_BITS: i16 = 0x7f;

/// A batch: its header, and its records.
type Batch = (BatchDecodeInfo, RecordSet);

fn read_all(data: &[u8]) -> Asked<Vec<Batch>> {
    let sets = RecordBatchDecoder::decode_all(&mut Bytes::copy_from_slice(data)).map_err(refusal)?;
    let headers = RecordBatchDecoder::decode_batch_info(&mut Bytes::copy_from_slice(data)).map_err(refusal)?;
    Ok(headers.into_iter().zip(sets).collect())
}

fn read_one(data: &[u8]) -> Asked<Batch> {
    let mut left = Bytes::copy_from_slice(data);
    let set = RecordBatchDecoder::decode(&mut left).map_err(refusal)?;
    left_over(data.len(), left.len())?;
    let mut headers = RecordBatchDecoder::decode_batch_info(&mut Bytes::copy_from_slice(data)).map_err(refusal)?;
    Ok((headers.remove(0), set))
}

fn written<'a>(records: impl IntoIterator<Item = &'a Record>, compression: Compression) -> Asked<Vec<u8>> {
    let records: Vec<_> = records.into_iter().collect();
    if records.is_empty() {
        return Err(not_offered("RecordBatchEncoder takes what it writes of a batch from its records"));
    }
    let mut written = BytesMut::new();
    let options = RecordEncodeOptions { version: MAGIC, compression };
    RecordBatchEncoder::encode(&mut written, records, &options).map_err(refusal)?;
    Ok(written.to_vec())
}

fn recoded(batches: &[Batch]) -> Asked<Vec<u8>> {
    let written: Asked<Vec<_>> = batches.iter().map(|(_, set)| written(&set.records, set.compression)).collect();
    Ok(written.map_err(Failure::in_writing)?.concat())
}

fn attributes_of(header: &BatchDecodeInfo) -> i16 {
    let bit = |is_set: bool, bit: i16| if is_set { bit } else { 0 };
    header.compression as i16
        | bit(header.timestamp_type == TimestampType::LogAppend, LOG_APPEND_TIME)
        | bit(header.transactional, TRANSACTIONAL)
        | bit(header.control, CONTROL)
        | bit(header.delete_horizon, DELETE_HORIZON)
}

/// A record has no attributes of its own: 0 is shown.
fn shown_record(record: &Record, header: &BatchDecodeInfo) -> Value {
    let headers = record.headers.iter().map(|(key, value)| pair(key.as_str().into(), value.as_deref().into()));
    fields([
        ("attributes", 0_i8.into()),
        ("timestampDelta", record.timestamp.wrapping_sub(header.min_timestamp).into()),
        ("offsetDelta", record.offset.wrapping_sub(header.min_offset).into()),
        ("key", record.key.as_deref().into()),
        ("value", record.value.as_deref().into()),
        ("headers", Value::List(headers.collect())),
    ])
}

fn shown((header, set): &Batch, with_magic: bool) -> Value {
    let records = set.records.iter().map(|record| shown_record(record, header)).collect();
    let shown = fields([
        ("baseOffset", header.min_offset.into()),
        ("partitionLeaderEpoch", header.partition_leader_epoch.into()),
        ("attributes", attributes_of(header).into()),
        ("baseTimestamp", header.min_timestamp.into()),
        ("producerId", header.producer_id.into()),
        ("producerEpoch", header.producer_epoch.into()),
        ("baseSequence", header.base_sequence.into()),
        ("records", Value::List(records)),
    ]);
    match shown {
        Value::Struct(mut fields) if with_magic => {
            fields.push(("magic".to_owned(), header.version.into()));
            Value::Struct(fields)
        }
        other => other,
    }
}

fn compression_of(attributes: i16) -> Asked<Compression> {
    Ok(match attributes & CODEC_BITS {
        0 => Compression::None,
        1 => Compression::Gzip,
        2 => Compression::Snappy,
        3 => Compression::Lz4,
        4 => Compression::Zstd,
        other => return Err(refused("unsupported-compression", &format!("Compression has no {other}"))),
    })
}

fn taken_octets(value: &Value) -> Asked<Option<Bytes>> {
    Ok(value.nullable(Value::octets)?.map(Bytes::copy_from_slice))
}

/// A map's key comes once.
fn taken_headers(value: &Value) -> Asked<IndexMap<StrBytes, Option<Bytes>>> {
    let mut headers = IndexMap::new();
    for header in value.list()? {
        let (key, content) = (&header.list()?[0], &header.list()?[1]);
        if headers.insert(StrBytes::from_string(key.text()?.to_owned()), taken_octets(content)?).is_some() {
            return Err(refused("key-duplicate", "IndexMap<StrBytes, Option<Bytes>> does not hold a key twice"));
        }
    }
    Ok(headers)
}

fn taken_record(value: &Value, batch: &Value, attributes: i16) -> Asked<Record> {
    value.only(&["attributes", "timestampDelta", "offsetDelta", "key", "value", "headers"])?;
    if value.field("attributes").integer::<i8>()? != 0 {
        return Err(not_offered("kafka_protocol::records::Record has no attributes"));
    }
    let offset_delta: i32 = value.field("offsetDelta").integer()?;
    let is_set = |bit: i16| attributes & bit != 0;
    Ok(Record {
        transactional: is_set(TRANSACTIONAL),
        control: is_set(CONTROL),
        delete_horizon: is_set(DELETE_HORIZON),
        partition_leader_epoch: batch.field("partitionLeaderEpoch").integer()?,
        producer_id: batch.field("producerId").integer()?,
        producer_epoch: batch.field("producerEpoch").integer()?,
        timestamp_type: if is_set(LOG_APPEND_TIME) { TimestampType::LogAppend } else { TimestampType::Creation },
        offset: batch.field("baseOffset").integer::<i64>()?.wrapping_add(offset_delta.into()),
        sequence: batch.field("baseSequence").integer::<i32>()?.wrapping_add(offset_delta),
        timestamp: batch.field("baseTimestamp").integer::<i64>()?.wrapping_add(value.field("timestampDelta").integer()?),
        key: taken_octets(value.field("key"))?,
        value: taken_octets(value.field("value"))?,
        headers: taken_headers(value.field("headers"))?,
    })
}

fn encode_batch(value: &Value) -> Asked<Vec<u8>> {
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
    let attributes = value.field("attributes").integer()?;
    if attributes & !KNOWN_BITS != 0 {
        return Err(not_offered("kafka_protocol::records::Record has no place for these bits of a batch's attributes"));
    }
    let compression = compression_of(attributes)?;
    let items = value.field("records").list()?;
    let records: Vec<Record> = items.iter().map(|item| taken_record(item, value, attributes)).collect::<Asked<_>>()?;
    let has_base =
        |first: Option<i64>, name: &str| -> Asked<bool> { Ok(first.is_none() || first == Some(value.field(name).integer()?)) };
    if !has_base(records.iter().map(|record| record.offset).min(), "baseOffset")?
        || !has_base(records.iter().map(|record| record.timestamp).min(), "baseTimestamp")?
    {
        return Err(not_offered("RecordBatchEncoder takes a batch's base offset and timestamp from the least of its records"));
    }
    written(&records, compression)
}

fn encode_set(value: &Value) -> Asked<Vec<u8>> {
    let entries = value.list()?;
    if entries.iter().any(|entry| *entry.field("magic") != MAGIC.into()) {
        return Err(not_offered("kafka-protocol has no messages of magic 0 and 1"));
    }
    Ok(entries.iter().map(encode_batch).collect::<Asked<Vec<_>>>()?.concat())
}

fn compression_named(codec: &str) -> Asked<Compression> {
    Ok(match codec {
        "none" => Compression::None,
        "gzip" => Compression::Gzip,
        "snappy" => Compression::Snappy,
        "lz4" => Compression::Lz4,
        "zstd" => Compression::Zstd,
        other => return Err(not_offered(format!("Compression has no {other}"))),
    })
}

/// A record as an application makes it for the encoder, which counts nothing: it takes records into a batch if the sequence of
/// each is as far from its offset as that of the first.
fn sent_record(value: &Value, index: i32, options: &Value) -> Asked<Record> {
    Ok(Record {
        transactional: options.field("transactional").boolean()?,
        control: false,
        delete_horizon: false,
        partition_leader_epoch: NO_PARTITION_LEADER_EPOCH,
        producer_id: options.field("producer_id").integer()?,
        producer_epoch: options.field("producer_epoch").integer()?,
        timestamp_type: TimestampType::Creation,
        offset: index.into(),
        sequence: options.field("base_sequence").integer::<i32>()?.wrapping_add(index),
        timestamp: value.field("timestamp").integer()?,
        key: taken_octets(value.field("key"))?,
        value: taken_octets(value.field("value"))?,
        headers: taken_headers(value.field("headers"))?,
    })
}

/// What the encoder makes of an application's records.
pub fn produce(sent: &Sent) -> Asked<Vec<u8>> {
    if sent.magic != MAGIC {
        return Err(not_offered("RecordBatchEncoder writes magic 2 alone"));
    }
    let items = (0..).zip(sent.records.list()?);
    let records: Vec<Record> = items.map(|(index, item)| sent_record(item, index, &sent.options)).collect::<Asked<_>>()?;
    written(&records, compression_named(sent.codec)?)
}

pub fn records() -> BTreeMap<String, Codec> {
    let batch = Codec {
        decode: Some(Box::new(|_, data| Ok(shown(&read_one(data)?, false)))),
        encode: Some(Box::new(|_, value| encode_batch(value))),
        recode: Some(Box::new(|_, data| recoded(&[read_one(data)?]))),
        ..Codec::default()
    };
    let set = Codec {
        decode: Some(Box::new(|_, data| Ok(Value::List(read_all(data)?.iter().map(|one| shown(one, true)).collect())))),
        encode: Some(Box::new(|_, value| encode_set(value))),
        recode: Some(Box::new(|_, data| recoded(&read_all(data)?))),
        ..Codec::default()
    };
    [("RecordBatch", batch), ("RecordSet", set)].map(|(name, codec)| (name.to_owned(), codec)).into()
}
