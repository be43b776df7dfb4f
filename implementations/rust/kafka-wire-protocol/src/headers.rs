//! Headers, of which kafka_wire_protocol has a struct for each version: none for request header 0.

use std::collections::BTreeMap;
use std::io::Cursor;

use kafka_wire_protocol::readable_writable::{Readable, Writable};
use kafka_wire_protocol::schema::{request_header, response_header};
use kafka_wire_protocol::tagged_fields::RawTaggedField;
use lines::{Asked, Codec, Failure, Value, fields, left_over, pair, refused};

fn read<T: Readable>(data: &[u8]) -> Asked<T> {
    let mut input = Cursor::new(data);
    let header = T::read(&mut input)?;
    left_over(data.len(), data.len() - input.position() as usize)?;
    Ok(header)
}

fn written(header: &impl Writable) -> Asked<Vec<u8>> {
    let mut written = Vec::new();
    header.write(&mut written)?;
    Ok(written)
}

fn recoded<T: Readable + Writable>(data: &[u8]) -> Asked<Vec<u8>> {
    written(&read::<T>(data)?).map_err(Failure::in_writing)
}

fn shown_tags(tags: &[RawTaggedField]) -> Value {
    let shown = |field: &RawTaggedField| pair((field.tag as u32).into(), field.data.as_slice().into());
    Value::List(tags.iter().map(shown).collect())
}

fn taken_tags(value: &Value) -> Asked<Vec<RawTaggedField>> {
    let Some(tags) = value.nullable(Value::list)? else { return Ok(Vec::new()) };
    tags.iter()
        .map(|tag| {
            let (number, data) = (&tag.list()?[0], &tag.list()?[1]);
            Ok(RawTaggedField { tag: number.integer::<u32>()? as i32, data: data.octets()?.to_vec() })
        })
        .collect()
}

/// A version that has no tags has no room for them.
fn no_tags(value: &Value) -> Asked<()> {
    match taken_tags(value.field("_tags"))?.is_empty() {
        true => Ok(()),
        false => Err(refused("tags-not-allowed", "the struct of this version has no field for tags")),
    }
}

const REQUEST: [&str; 5] = ["RequestApiKey", "RequestApiVersion", "CorrelationId", "ClientId", "_tags"];

fn shown_request(key: i16, version: i16, id: i32, client: Option<String>, tags: &[RawTaggedField]) -> Value {
    fields([
        ("RequestApiKey", key.into()),
        ("RequestApiVersion", version.into()),
        ("CorrelationId", id.into()),
        ("ClientId", client.as_deref().into()),
        ("_tags", shown_tags(tags)),
    ])
}

fn decode_request(version: i16, data: &[u8]) -> Asked<Value> {
    if version == 1 {
        let header: request_header::v1::RequestHeader = read(data)?;
        let (key, version, id) = (header.request_api_key, header.request_api_version, header.correlation_id);
        return Ok(shown_request(key, version, id, header.client_id, &[]));
    }
    let header: request_header::v2::RequestHeader = read(data)?;
    let (key, version, id) = (header.request_api_key, header.request_api_version, header.correlation_id);
    Ok(shown_request(key, version, id, header.client_id, &header._unknown_tagged_fields))
}

fn encode_request(version: i16, value: &Value) -> Asked<Vec<u8>> {
    value.only(&REQUEST)?;
    let request_api_key = value.field("RequestApiKey").integer()?;
    let request_api_version = value.field("RequestApiVersion").integer()?;
    let correlation_id = value.field("CorrelationId").integer()?;
    let client_id = value.field("ClientId").nullable(Value::text)?.map(str::to_owned);
    if version == 1 {
        no_tags(value)?;
        return written(&request_header::v1::RequestHeader { request_api_key, request_api_version, correlation_id, client_id });
    }
    let _unknown_tagged_fields = taken_tags(value.field("_tags"))?;
    written(&request_header::v2::RequestHeader {
        request_api_key,
        request_api_version,
        correlation_id,
        client_id,
        _unknown_tagged_fields,
    })
}

fn decode_response(version: i16, data: &[u8]) -> Asked<Value> {
    let (id, tags) = if version == 0 {
        (read::<response_header::v0::ResponseHeader>(data)?.correlation_id, Vec::new())
    } else {
        let header: response_header::v1::ResponseHeader = read(data)?;
        (header.correlation_id, header._unknown_tagged_fields)
    };
    Ok(fields([("CorrelationId", id.into()), ("_tags", shown_tags(&tags))]))
}

fn encode_response(version: i16, value: &Value) -> Asked<Vec<u8>> {
    value.only(&["CorrelationId", "_tags"])?;
    let correlation_id = value.field("CorrelationId").integer()?;
    if version == 0 {
        no_tags(value)?;
        return written(&response_header::v0::ResponseHeader { correlation_id });
    }
    let _unknown_tagged_fields = taken_tags(value.field("_tags"))?;
    written(&response_header::v1::ResponseHeader { correlation_id, _unknown_tagged_fields })
}

pub fn headers() -> BTreeMap<String, Codec> {
    let request = Codec {
        versions: Some((1, 2)),
        decode: Some(Box::new(decode_request)),
        encode: Some(Box::new(encode_request)),
        recode: Some(Box::new(|version, data| match version {
            1 => recoded::<request_header::v1::RequestHeader>(data),
            _ => recoded::<request_header::v2::RequestHeader>(data),
        })),
        ..Codec::default()
    };
    let response = Codec {
        versions: Some((0, 1)),
        decode: Some(Box::new(decode_response)),
        encode: Some(Box::new(encode_response)),
        recode: Some(Box::new(|version, data| match version {
            0 => recoded::<response_header::v0::ResponseHeader>(data),
            _ => recoded::<response_header::v1::ResponseHeader>(data),
        })),
        ..Codec::default()
    };
    [("RequestHeader", request), ("ResponseHeader", response)].map(|(name, codec)| (name.to_owned(), codec)).into()
}
