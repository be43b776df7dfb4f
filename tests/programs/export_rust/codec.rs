//! A small codec in Rust: primitives, strings, bytes, tag buffers, records and uncompressed batches. tests/export/test_export_rust.py
//! asks it through exported tests, and through the line protocol (lines.rs).
//!
//! WIREPROOF_WRONG=NAME plants one fault: see `wrong` below. Without it the codec is right.

use crate::wireproof::{Answer, Failure, Implementation, Question, Value, not_offered, refused};
use std::sync::LazyLock;

pub struct Codec;

pub const IMPLEMENTATION: Codec = Codec;

/// Whether this fault is planted.
fn wrong(name: &str) -> bool {
    static CHOSEN: LazyLock<String> = LazyLock::new(|| std::env::var("WIREPROOF_WRONG").unwrap_or_default());
    *CHOSEN == name
}

const EPOCH: &str = "partitionLeaderEpoch";

/// Whether a field of a batch is lost: that is a fault, or declared.
fn lost(name: &str) -> bool {
    name == EPOCH && (wrong("epoch") || wrong("rebuilds"))
}

/// Bytes that are read up to `end`.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    fn left(&self) -> usize {
        self.end - self.at
    }

    fn take(&mut self, size: usize, prefix: usize) -> Answer<&'a [u8]> {
        if size > self.left() {
            return Err(refused("truncated", Some(prefix), "cut off"));
        }
        self.at += size;
        Ok(&self.bytes[self.at - size..self.at])
    }

    fn bits(&mut self, size: usize) -> Answer<u64> {
        Ok(self.take(size, self.at)?.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    fn signed(&mut self, size: usize) -> Answer<i64> {
        let unused = 64 - 8 * size as u32;
        Ok((self.bits(size)? << unused) as i64 >> unused)
    }

    fn uvarint(&mut self, width: u32) -> Answer<u64> {
        let start = self.at;
        let overflow = || refused("varint-overflow", Some(start), "too long");
        let (mut number, mut shift) = (0, 0);
        loop {
            if shift >= width && !wrong("range") {
                while wrong("hang") && width == 64 && self.left() == 0 {
                    std::thread::yield_now();
                }
                return Err(overflow());
            }
            let byte = self.bits(1)?;
            if shift + 7 > width && !wrong("range") && (byte & 0x7f) >> (width - shift) != 0 {
                return Err(overflow());
            }
            if shift < 64 {
                number |= (byte & 0x7f) << shift;
            }
            if byte < 0x80 {
                return Ok(if width == 32 { number & 0xffff_ffff } else { number });
            }
            shift += 7;
        }
    }

    fn varint(&mut self, width: u32) -> Answer<i64> {
        let number = self.uvarint(width)?;
        Ok(if wrong("sign") { number as i64 } else { (number >> 1) as i64 ^ -((number & 1) as i64) })
    }

    fn count(&mut self, count: i64, prefix: usize) -> Answer<usize> {
        let count = usize::try_from(count).map_err(|_| refused("negative-length", Some(prefix), "negative"))?;
        if count > self.left() { Err(refused("truncated", Some(prefix), "more than there is")) } else { Ok(count) }
    }

    fn sized(&mut self, length: i64, nullable: bool, text: bool, prefix: usize) -> Answer<Value> {
        let length = match length {
            -1 if wrong("null") => 0,
            -1 if nullable => return Ok(Value::Null),
            -1 => return Err(refused("null-not-allowed", Some(prefix), "null")),
            _ => self.count(length, prefix)?,
        };
        let bytes = self.take(length, prefix)?.to_vec();
        if !text {
            return Ok(Value::Bytes(bytes));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Value::Text(text)),
            Err(error) if wrong("utf8") => Ok(Value::Text(String::from_utf8_lossy(error.as_bytes()).into_owned())),
            Err(_) => Err(refused("invalid-utf8", Some(prefix), "no text")),
        }
    }

    fn tags(&mut self) -> Answer<Value> {
        let (prefix, mut before, mut tags) = (self.at, -1, Vec::new());
        let count = self.uvarint(32)? as i64;
        for _ in 0..self.count(count, prefix)? {
            let start = self.at;
            let tag = self.uvarint(32)? as i64;
            if tag <= before && !wrong("order") {
                return Err(refused(if tag == before { "tag-duplicate" } else { "tag-order" }, Some(start), "tags ascend"));
            }
            before = tag;
            let prefix = self.at;
            let size = self.uvarint(32)? as i64;
            tags.push(Value::Array(vec![Value::Int(tag.into()), self.sized(size, false, false, prefix)?]));
        }
        Ok(Value::Array(tags))
    }

    fn varint_sized(&mut self, nullable: bool, text: bool) -> Answer<Value> {
        let prefix = self.at;
        let length = self.varint(32)?;
        self.sized(length, nullable, text, prefix)
    }

    fn headers(&mut self) -> Answer<Value> {
        let prefix = self.at;
        let count = self.varint(32)?;
        let mut headers: Vec<Value> = Vec::new();
        for _ in 0..self.count(count, prefix)? {
            let header = Value::Array(vec![self.varint_sized(false, !wrong("keys"))?, self.varint_sized(true, false)?]);
            let same = headers.iter().position(|other| other.items()[0] == header.items()[0]);
            match same {
                Some(at) if wrong("multimap") => headers[at] = header,
                _ => headers.push(header),
            }
        }
        Ok(Value::Array(headers))
    }

    fn record(&mut self) -> Answer<Value> {
        let prefix = self.at;
        let length = self.varint(32)?;
        let length = self.count(length, prefix)?;
        let mut inner = Reader { bytes: self.bytes, at: self.at, end: self.at + length };
        let mut fields = vec![
            ("attributes".to_owned(), Value::Int(inner.signed(1)?.into())),
            ("timestampDelta".to_owned(), Value::Int(inner.varint(64)?.into())),
            ("offsetDelta".to_owned(), Value::Int(inner.varint(32)?.into())),
            ("key".to_owned(), inner.varint_sized(true, false)?),
            ("value".to_owned(), inner.varint_sized(true, false)?),
            ("headers".to_owned(), inner.headers()?),
        ];
        if inner.left() > 0 {
            return Err(refused("length-mismatch", Some(prefix), "bytes left over"));
        }
        self.at += length;
        if wrong("keys") {
            fields.push(("length".to_owned(), Value::Int(length as i128)));
        }
        Ok(Value::Struct(fields))
    }

    fn batch(&mut self) -> Answer<Value> {
        let mut fields = vec![("baseOffset".to_owned(), Value::Int(self.signed(8)?.into()))];
        let prefix = self.at;
        let length = self.signed(4)?;
        let length = self.count(length, prefix)?;
        if length < self.left() {
            return Err(refused("trailing-bytes", Some(self.at + length), "behind the batch"));
        }
        fields.push((EPOCH.to_owned(), Value::Int(self.signed(4)?.into())));
        if self.signed(1)? != 2 {
            return Err(refused("unsupported-magic", Some(self.at - 1), "not 2"));
        }
        let crc = self.bits(4)?;
        if crc != u64::from(crc32c(&self.bytes[self.at..self.end])) && !wrong("crc") {
            return Err(refused("crc-mismatch", Some(self.at - 4), "wrong"));
        }
        for (name, size) in BATCH_FIELDS {
            let number = self.signed(size)?;
            fields.push((name.to_owned(), Value::Int(number.into())));
        }
        if fields[2].1.int().is_some_and(|attributes| attributes & 7 != 0) {
            return Err(not_offered("compression"));
        }
        let prefix = self.at;
        let count = self.signed(4)?;
        let records = (0..self.count(count, prefix)?).map(|_| self.record()).collect::<Answer<Vec<_>>>()?;
        if self.left() > 0 {
            return Err(refused("count-mismatch", Some(prefix), "bytes left over"));
        }
        fields.push(("records".to_owned(), Value::Array(records)));
        fields.retain(|(name, _)| !lost(name));
        Ok(Value::Struct(fields))
    }

    fn value(&mut self, type_name: &str) -> Answer<Value> {
        if let Some((size, signed)) = integer(type_name) {
            let mut bits = self.signed(size)?;
            if wrong("endian") && size == 4 {
                bits = (bits as i32).swap_bytes().into();
            }
            return Ok(Value::Int(if signed { bits.into() } else { i128::from(bits) & ((1 << (8 * size)) - 1) }));
        }
        if let Some((compact, nullable, text)) = sized(type_name) {
            let prefix = self.at;
            if wrong("refuses") {
                return Err(refused("truncated", Some(prefix), "whatever it is"));
            }
            let length = match (compact, text) {
                (true, _) => self.uvarint(32)? as i64 - 1,
                (false, true) => self.signed(2)?,
                (false, false) => self.signed(4)?,
            };
            if text && length > 32767 && length <= self.left() as i64 {
                return Err(refused("string-too-long", Some(prefix), "too long"));
            }
            return self.sized(length, nullable, text, prefix);
        }
        Ok(match type_name {
            "BOOLEAN" => {
                let byte = self.bits(1)?;
                assert!(byte < 2 || !wrong("crash"), "neither");
                Value::Bool(byte != 0)
            }
            "FLOAT64" => {
                let bits = self.bits(8)?;
                Value::Float64(if wrong("nan") && f64::from_bits(bits).is_nan() { 0x7ff8 << 48 } else { bits })
            }
            "UUID" => Value::Uuid(self.take(16, self.at)?.try_into().expect("sixteen")),
            "UNSIGNED_VARINT" => Value::Int(self.uvarint(32)?.into()),
            "VARINT" => Value::Int(self.varint(32)?.into()),
            "VARLONG" => Value::Int(self.varint(64)?.into()),
            "TAG_BUFFER" => self.tags()?,
            "Record" => self.record()?,
            "RecordBatch" => self.batch()?,
            _ => return Err(not_offered(type_name)),
        })
    }
}

/// The fields of a batch behind its CRC, with their sizes.
const BATCH_FIELDS: [(&str, usize); 7] = [
    ("attributes", 2),
    ("lastOffsetDelta", 4),
    ("baseTimestamp", 8),
    ("maxTimestamp", 8),
    ("producerId", 8),
    ("producerEpoch", 2),
    ("baseSequence", 4),
];

/// The size of an integer, and whether it has a sign.
fn integer(type_name: &str) -> Option<(usize, bool)> {
    Some(match type_name {
        "INT8" => (1, true),
        "INT16" => (2, true),
        "INT32" => (4, true),
        "INT64" => (8, true),
        "UINT16" => (2, false),
        "UINT32" => (4, false),
        _ => return None,
    })
}

/// Of text and bytes: whether the length is compact, null is allowed, it is text.
fn sized(type_name: &str) -> Option<(bool, bool, bool)> {
    let (compact, rest) = type_name.strip_prefix("COMPACT_").map_or((false, type_name), |rest| (true, rest));
    let (nullable, rest) = rest.strip_prefix("NULLABLE_").map_or((false, rest), |rest| (true, rest));
    ["STRING", "BYTES"].contains(&rest).then_some((compact, nullable, rest == "STRING"))
}

/// CRC-32C (Castagnoli), bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

fn put_fixed(out: &mut Vec<u8>, number: i128, size: usize) {
    out.extend(&number.to_be_bytes()[16 - size..]);
}

fn put_uvarint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_varint(out: &mut Vec<u8>, number: i64) {
    put_uvarint(out, if wrong("sign") { number as u64 & 0xffff_ffff } else { (number << 1 ^ number >> 63) as u64 });
}

/// The integer in a value, which has to have so many bits.
fn within(value: Option<&Value>, bits: u32, signed: bool) -> Answer<i128> {
    let lowest = if signed { -(1 << (bits - 1)) } else { 0 };
    match value {
        Some(Value::Int(number)) if *number >= lowest && *number < lowest + (1 << bits) => Ok(*number),
        Some(Value::Null) => Err(refused("null-not-allowed", None, "null")),
        _ => Err(refused("out-of-range", None, "out of range")),
    }
}

/// The bytes of text or bytes; None for null.
fn content(value: Option<&Value>) -> Answer<Option<&[u8]>> {
    match value {
        Some(Value::Text(text)) => Ok(Some(text.as_bytes())),
        Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
        Some(Value::Null) => Ok(if wrong("null") { Some(&[]) } else { None }),
        _ => Err(refused("out-of-range", None, "neither text nor bytes")),
    }
}

fn put_varint_sized(out: &mut Vec<u8>, value: Option<&Value>, nullable: bool) -> Answer<()> {
    if value == Some(&Value::Null) && !nullable {
        return Err(refused("null-not-allowed", None, "null"));
    }
    let content = content(value)?;
    put_varint(out, content.map_or(-1, |bytes| bytes.len() as i64));
    out.extend(content.unwrap_or_default());
    Ok(())
}

fn demand_fields(value: &Value, most: usize) -> Answer<()> {
    match value {
        Value::Struct(fields) if fields.len() <= most => Ok(()),
        _ => Err(refused("unknown-field", None, "an unknown field")),
    }
}

fn put_record(out: &mut Vec<u8>, record: &Value) -> Answer<()> {
    demand_fields(record, 6 + usize::from(record.get("length").is_some()))?;
    let mut inner = Vec::new();
    put_fixed(&mut inner, within(record.get("attributes"), 8, true)?, 1);
    put_varint(&mut inner, within(record.get("timestampDelta"), 64, true)? as i64);
    put_varint(&mut inner, within(record.get("offsetDelta"), 32, true)? as i64);
    put_varint_sized(&mut inner, record.get("key"), true)?;
    put_varint_sized(&mut inner, record.get("value"), true)?;
    let Some(Value::Array(headers)) = record.get("headers") else { return Err(refused("null-not-allowed", None, "null")) };
    put_varint(&mut inner, headers.len() as i64);
    for header in headers {
        put_varint_sized(&mut inner, header.items().first(), false)?;
        put_varint_sized(&mut inner, header.items().get(1), true)?;
    }
    put_varint(out, inner.len() as i64);
    out.extend(inner);
    Ok(())
}

fn put_batch(out: &mut Vec<u8>, batch: &Value) -> Answer<()> {
    demand_fields(batch, BATCH_FIELDS.len() + 3)?;
    let attributes = within(batch.get("attributes"), 16, true);
    if attributes.is_ok_and(|attributes| attributes & 7 != 0) {
        return Err(not_offered("compression"));
    }
    let mut inner = Vec::new();
    for (name, size) in BATCH_FIELDS {
        put_fixed(&mut inner, within(batch.get(name), 8 * size as u32, true)?, size);
    }
    let records = batch.get("records").map_or(&[][..], Value::items);
    put_fixed(&mut inner, records.len() as i128, 4);
    for record in records {
        put_record(&mut inner, record)?;
    }
    put_fixed(out, within(batch.get("baseOffset"), 64, true)?, 8);
    put_fixed(out, 9 + inner.len() as i128, 4);
    let epoch = batch.get(EPOCH);
    put_fixed(out, if lost(EPOCH) { 0 } else { within(epoch, 32, true)? }, 4);
    put_fixed(out, 2, 1);
    put_fixed(out, crc32c(&inner).into(), 4);
    out.extend(inner);
    Ok(())
}

fn put_tags(out: &mut Vec<u8>, tags: &[Value]) -> Answer<()> {
    put_uvarint(out, tags.len() as u64);
    let mut before = -1;
    for pair in tags {
        let tag = within(pair.items().first(), 32, false)?;
        if tag <= before && !wrong("order") {
            return Err(refused(if tag == before { "tag-duplicate" } else { "tag-order" }, None, "tags ascend"));
        }
        before = tag;
        let bytes = pair.items()[1].bytes().unwrap_or_default();
        put_uvarint(out, tag as u64);
        if !wrong("tag-size") {
            put_uvarint(out, bytes.len() as u64);
        }
        out.extend(bytes);
    }
    Ok(())
}

fn put(out: &mut Vec<u8>, type_name: &str, value: &Value) -> Answer<()> {
    if let Some((size, signed)) = integer(type_name) {
        put_fixed(out, within(Some(value), 8 * size as u32, signed)?, size);
        return Ok(());
    }
    if let Some((compact, nullable, text)) = sized(type_name) {
        let content = content(Some(value))?;
        if content.is_none() && !nullable {
            return Err(refused("null-not-allowed", None, "null"));
        }
        if text && content.is_some_and(|bytes| bytes.len() > 32767) {
            return Err(refused("string-too-long", None, "too long"));
        }
        match content.map(<[u8]>::len) {
            length if compact => put_uvarint(out, length.map_or(0, |length| length as u64 + 1)),
            length => put_fixed(out, length.map_or(-1, |length| length as i128), if text { 2 } else { 4 }),
        }
        out.extend(content.unwrap_or_default());
        return Ok(());
    }
    match (type_name, value) {
        ("BOOLEAN", Value::Bool(truth)) => out.push(u8::from(*truth)),
        ("FLOAT64", Value::Float64(bits)) => put_fixed(out, (*bits).into(), 8),
        ("UUID", Value::Uuid(bytes)) => out.extend(bytes),
        ("UNSIGNED_VARINT", _) => put_uvarint(out, within(Some(value), 32, false)? as u64),
        ("VARINT", _) => put_varint(out, within(Some(value), 32, true)? as i64),
        ("VARLONG", _) => put_varint(out, within(Some(value), 64, true)? as i64),
        ("TAG_BUFFER", Value::Array(tags)) => put_tags(out, tags)?,
        ("Record", _) => put_record(out, value)?,
        ("RecordBatch", _) => put_batch(out, value)?,
        ("BOOLEAN" | "FLOAT64" | "UUID" | "TAG_BUFFER", _) => return Err(refused("null-not-allowed", None, "null")),
        _ => return Err(not_offered(type_name)),
    }
    Ok(())
}

impl Implementation for Codec {
    fn readings(&self) -> Option<&'static [&'static str]> {
        static CHOSEN: LazyLock<Option<[&str; 1]>> =
            LazyLock::new(|| std::env::var("WIREPROOF_CHOSEN").ok().map(|ruling| [&*ruling.leak()]));
        CHOSEN.as_ref().map(|chosen| &chosen[..])
    }

    fn rebuilds(&self, type_name: &str) -> &'static [&'static str] {
        if wrong("rebuilds") && type_name == "RecordBatch" { &[EPOCH] } else { &[] }
    }

    fn decode(&self, question: &Question) -> Answer<Value> {
        if question.dialect != "kafka" {
            return Err(not_offered(&question.dialect));
        }
        let mut reader = Reader { bytes: &question.bytes, at: 0, end: question.bytes.len() };
        let value = reader.value(&question.type_name)?;
        if reader.left() > 0 && !wrong("trailing") {
            return Err(refused("trailing-bytes", Some(reader.at), "bytes left over"));
        }
        Ok(value)
    }

    fn encode(&self, question: &Question) -> Answer<Vec<u8>> {
        if question.dialect != "kafka" {
            return Err(not_offered(&question.dialect));
        }
        let mut out = Vec::new();
        put(&mut out, &question.type_name, &question.value)?;
        Ok(out)
    }

    fn lookup(&self, question: &Question) -> Answer<Vec<Value>> {
        if question.type_name != "Record" {
            return Err(not_offered(&question.type_name));
        }
        let record = self.decode(question)?;
        let headers = record.get("headers").map_or(&[][..], Value::items);
        let wanted = content(Some(&question.key))?;
        let is_wanted = |header: &&Value| content(header.items().first()).is_ok_and(|key| key == wanted);
        Ok(headers.iter().filter(is_wanted).map(|one| one.items()[1].clone()).collect())
    }

    fn negotiate(&self, question: &Question) -> Answer<Option<i32>> {
        if question.dialect != "kafka" {
            return Err(not_offered(&question.dialect));
        }
        let (Some(client), Some(broker)) = (question.client, question.broker) else { return Ok(None) };
        let lowest = client.0.max(broker.0);
        let highest = if wrong("version") { broker.1 } else { client.1.min(broker.1) };
        Ok((lowest <= highest).then_some(highest))
    }

    /// The least that can be said: asked where that is the fault, for it makes many of the answers wrong.
    fn interpret(&self, _: &Question) -> Answer<Value> {
        if !wrong("outcome") {
            return Err(Failure::NotOffered("interpret".into()));
        }
        Ok(Value::Struct(vec![("outcome".into(), Value::Text("accepted".into()))]))
    }

    fn serve(&self, _: &Question) -> Answer<(Vec<u8>, bool)> {
        if wrong("silent") { Ok((Vec::new(), false)) } else { Err(not_offered("serve")) }
    }

    fn evolve(&self, _: &Question) -> Answer<Vec<String>> {
        if wrong("breaks") { Ok(Vec::new()) } else { Err(not_offered("evolve")) }
    }
}
