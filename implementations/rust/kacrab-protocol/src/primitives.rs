//! Primitives, arrays and tags, by the functions that kacrab-protocol's generated code calls.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::result::Result;

use bytes::{Bytes, BytesMut};
use kacrab_protocol::bytes_io::*;
use kacrab_protocol::primitives::*;
use kacrab_protocol::string::*;
use kacrab_protocol::tagged::{RawTaggedField, read_tagged_fields, write_tagged_fields};
use kacrab_protocol::uuid::{KafkaUuid, read_uuid, write_uuid};
use lines::{Asked, Codec, Failure, Value, element_of, left_over, not_offered, pair};
use uuid::Uuid;

type Read = Rc<dyn Fn(&mut Bytes) -> Asked<Value>>;
type Write = Rc<dyn Fn(&mut BytesMut, &Value) -> Asked<()>>;

/// A reader and a writer.
struct Pair(Read, Write);

/// Of a function that returns an error or not, such as kacrab-protocol has for reading, and for some of its writing.
fn both<T, E: Into<Failure>>(
    read: fn(&mut Bytes) -> Result<T, E>,
    shown: fn(T) -> Value,
    write: impl Fn(&mut BytesMut, &Value) -> Asked<()> + 'static,
) -> Pair
where
    T: 'static,
    E: 'static,
{
    Pair(Rc::new(move |input| read(input).map(shown).map_err(Into::into)), Rc::new(write))
}

fn integer<T: Into<Value> + TryFrom<i128> + 'static>(
    read: fn(&mut Bytes) -> Result<T, PrimitiveError>,
    write: fn(&mut BytesMut, T),
) -> Pair {
    both(read, T::into, move |out, value| {
        write(out, value.integer()?);
        Ok(())
    })
}

fn text(
    read: fn(&mut Bytes) -> Result<KafkaString, StringError>,
    write: fn(&mut BytesMut, &KafkaString) -> Result<(), StringError>,
) -> Pair {
    both(read, |text| text.as_str().into(), move |out, value| Ok(write(out, &KafkaString::from(value.text()?.to_owned()))?))
}

fn nullable_text(
    read: fn(&mut Bytes) -> Result<Option<KafkaString>, StringError>,
    write: fn(&mut BytesMut, Option<&KafkaString>) -> Result<(), StringError>,
) -> Pair {
    let shown = |text: Option<KafkaString>| text.as_ref().map(KafkaString::as_str).into();
    both(read, shown, move |out, value| {
        let text = value.nullable(Value::text)?.map(|text| KafkaString::from(text.to_owned()));
        Ok(write(out, text.as_ref())?)
    })
}

fn octets(
    read: fn(&mut Bytes) -> Result<Bytes, BytesError>,
    write: fn(&mut BytesMut, &[u8]) -> Result<(), BytesError>,
) -> Pair {
    both(read, |octets| octets.as_ref().into(), move |out, value| Ok(write(out, value.octets()?)?))
}

fn nullable_octets(
    read: fn(&mut Bytes) -> Result<Option<Bytes>, BytesError>,
    write: fn(&mut BytesMut, Option<&[u8]>) -> Result<(), BytesError>,
) -> Pair {
    both(read, |octets| octets.as_deref().into(), move |out, value| Ok(write(out, value.nullable(Value::octets)?)?))
}

/// The primitive of a name.
fn primitive(name: &str) -> Option<Pair> {
    Some(match name {
        "BOOLEAN" => both(read_bool, bool::into, |out, value| {
            write_bool(out, value.boolean()?);
            Ok(())
        }),
        "INT8" => integer(read_i8, write_i8),
        "INT16" => integer(read_i16, write_i16),
        "INT32" => integer(read_i32, write_i32),
        "INT64" => integer(read_i64, write_i64),
        "UINT16" => integer(read_u16, write_u16),
        "UINT32" => integer(read_u32, write_u32),
        "UNSIGNED_VARINT" => integer(read_unsigned_varint, write_unsigned_varint),
        "VARINT" => integer(read_signed_varint, write_signed_varint),
        "VARLONG" => integer(read_signed_varlong, write_signed_varlong),
        "FLOAT64" => both(read_f64, f64::into, |out, value| {
            write_f64(out, value.float64()?);
            Ok(())
        }),
        "UUID" => both(
            read_uuid,
            |id: KafkaUuid| Value::Uuid(id.to_bytes()),
            |out, value| {
                write_uuid(out, &KafkaUuid::from(Uuid::from_bytes(value.uuid()?)));
                Ok(())
            },
        ),
        "STRING" => text(read_string, write_string),
        "COMPACT_STRING" => text(read_compact_string, write_compact_string),
        "NULLABLE_STRING" => nullable_text(read_nullable_string, write_nullable_string),
        "COMPACT_NULLABLE_STRING" => nullable_text(read_compact_nullable_string, write_compact_nullable_string),
        "BYTES" => octets(read_bytes, write_bytes),
        "COMPACT_BYTES" => octets(read_compact_bytes, write_compact_bytes),
        "NULLABLE_BYTES" => nullable_octets(read_nullable_bytes, write_nullable_bytes),
        "COMPACT_NULLABLE_BYTES" => nullable_octets(read_compact_nullable_bytes, write_compact_nullable_bytes),
        "TAG_BUFFER" => {
            both(read_tagged_fields, |tags| shown_tags(&tags), |out, value| Ok(write_tagged_fields(out, &taken_tags(value)?)?))
        }
        _ => return None,
    })
}

const PRIMITIVES: [&str; 21] = [
    "BOOLEAN",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "UINT16",
    "UINT32",
    "UNSIGNED_VARINT",
    "VARINT",
    "VARLONG",
    "FLOAT64",
    "UUID",
    "STRING",
    "COMPACT_STRING",
    "NULLABLE_STRING",
    "COMPACT_NULLABLE_STRING",
    "BYTES",
    "COMPACT_BYTES",
    "NULLABLE_BYTES",
    "COMPACT_NULLABLE_BYTES",
    "TAG_BUFFER",
];

pub fn shown_tags(tags: &[RawTaggedField]) -> Value {
    Value::List(tags.iter().map(|field| pair(field.tag.into(), field.data.as_ref().into())).collect())
}

/// No tags where there is no field for them.
pub fn taken_tags(value: &Value) -> Asked<Vec<RawTaggedField>> {
    let Some(tags) = value.nullable(Value::list)? else { return Ok(Vec::new()) };
    tags.iter()
        .map(|tag| {
            let (number, data) = (&tag.list()?[0], &tag.list()?[1]);
            Ok(RawTaggedField { tag: number.integer()?, data: Bytes::copy_from_slice(data.octets()?) })
        })
        .collect()
}

/// An array, as kacrab-protocol's generated code reads and writes it around its elements.
fn array_of(compact: bool, nullable: bool, Pair(read, write): Pair) -> Pair {
    let read_length = if compact { read_compact_array_length } else { read_array_length };
    let write_length = if compact { write_compact_array_length } else { write_array_length };
    let read_array = move |input: &mut Bytes| {
        let length = read_length(input)?;
        if nullable && length < 0 {
            return Ok(Value::Null);
        }
        let mut items = Vec::with_capacity(array_read_capacity(length, input.len()));
        for _ in 0..length {
            items.push(read(input)?);
        }
        Ok(Value::List(items))
    };
    let write_array = move |out: &mut BytesMut, value: &Value| {
        if nullable && *value == Value::Null {
            write_length(out, -1);
            return Ok(());
        }
        let items = value.list()?;
        write_length(out, items.len() as i32);
        items.iter().try_for_each(|item| write(out, item))
    };
    Pair(Rc::new(read_array), Rc::new(write_array))
}

fn pair_of(name: &str) -> Asked<Pair> {
    let Some((kind, element)) = element_of(name) else {
        return primitive(name).ok_or_else(|| not_offered(format!("kacrab-protocol has no {name}")));
    };
    let (compact, nullable) = match kind {
        "ARRAY" => (false, false),
        "NULLABLE_ARRAY" => (false, true),
        "COMPACT_ARRAY" => (true, false),
        "COMPACT_NULLABLE_ARRAY" => (true, true),
        _ => return Err(not_offered(format!("kacrab-protocol has no {kind}"))),
    };
    Ok(array_of(compact, nullable, pair_of(element)?))
}

fn codec(Pair(read, write): Pair) -> Codec {
    let read_whole = move |data: &[u8]| {
        let mut left = Bytes::copy_from_slice(data);
        let value = read(&mut left)?;
        left_over(data.len(), left.len())?;
        Ok(value)
    };
    let write_new = move |value: &Value| {
        let mut written = BytesMut::new();
        write(&mut written, value)?;
        Ok(written.to_vec())
    };
    let (read_again, write_again) = (read_whole.clone(), write_new.clone());
    Codec {
        decode: Some(Box::new(move |_, data| read_whole(data))),
        encode: Some(Box::new(move |_, value| write_new(value))),
        recode: Some(Box::new(move |_, data| write_again(&read_again(data)?).map_err(Failure::in_writing))),
        ..Codec::default()
    }
}

/// The codec of a type like `ARRAY<INT32>`.
pub fn array(name: &str) -> Asked<Codec> {
    pair_of(name).map(codec)
}

pub fn primitives() -> BTreeMap<String, Codec> {
    PRIMITIVES.into_iter().filter_map(|name| Some((name.to_owned(), codec(primitive(name)?)))).collect()
}
