//! The types for which kafka_wire_protocol's `Readable` and `Writable` are implemented: no bytes, varints and arrays.

use std::collections::BTreeMap;
use std::io::Cursor;

use kafka_wire_protocol::readable_writable::{Readable, Writable};
use lines::{Asked, Codec, Failure, Value, left_over};
use uuid::Uuid;

/// The name of the field, which stands in errors.
const FIELD: &str = "value";

fn codec<T: Readable + Writable + 'static>(
    compact: bool,
    shown: fn(T) -> Value,
    taken: impl Fn(&Value) -> Asked<T> + 'static,
) -> Codec {
    let read = move |data: &[u8]| -> Asked<T> {
        let mut input = Cursor::new(data);
        let value = T::read_ext(&mut input, FIELD, compact)?;
        left_over(data.len(), data.len() - input.position() as usize)?;
        Ok(value)
    };
    let write = move |value: &T| -> Asked<Vec<u8>> {
        let mut written = Vec::new();
        value.write_ext(&mut written, FIELD, compact)?;
        Ok(written)
    };
    Codec {
        decode: Some(Box::new(move |_, data| read(data).map(shown))),
        encode: Some(Box::new(move |_, value| write(&taken(value)?))),
        recode: Some(Box::new(move |_, data| write(&read(data)?).map_err(Failure::in_writing))),
        ..Codec::default()
    }
}

fn integer<T: Readable + Writable + Into<Value> + TryFrom<i128> + 'static>() -> Codec {
    codec::<T>(false, T::into, |value| value.integer())
}

fn text(compact: bool) -> Codec {
    codec(compact, |text: String| text.as_str().into(), |value| Ok(value.text()?.to_owned()))
}

fn nullable_text(compact: bool) -> Codec {
    codec(compact, |text: Option<String>| text.as_deref().into(), |value| Ok(value.nullable(Value::text)?.map(str::to_owned)))
}

pub fn primitives() -> BTreeMap<String, Codec> {
    [
        ("BOOLEAN", codec(false, bool::into, Value::boolean)),
        ("INT8", integer::<i8>()),
        ("INT16", integer::<i16>()),
        ("INT32", integer::<i32>()),
        ("INT64", integer::<i64>()),
        ("UINT16", integer::<u16>()),
        ("UINT32", integer::<u32>()),
        ("FLOAT64", codec(false, f64::into, Value::float64)),
        ("UUID", codec(false, |id: Uuid| Value::Uuid(*id.as_bytes()), |value| value.uuid().map(Uuid::from_bytes))),
        ("STRING", text(false)),
        ("COMPACT_STRING", text(true)),
        ("NULLABLE_STRING", nullable_text(false)),
        ("COMPACT_NULLABLE_STRING", nullable_text(true)),
    ]
    .map(|(name, codec)| (name.to_owned(), codec))
    .into()
}
