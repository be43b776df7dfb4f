//! Headers: kafka-protocol has no request header 0.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::{RequestHeader, ResponseHeader};
use kafka_protocol::protocol::{Decodable, Encodable, Message, StrBytes};
use lines::{Asked, Codec, Failure, Value, fields, left_over, not_offered, pair};

use crate::refusal;

fn read<T: Decodable>(version: i16, data: &[u8]) -> Asked<T> {
    let mut left = Bytes::copy_from_slice(data);
    let header = T::decode(&mut left, version).map_err(refusal)?;
    left_over(data.len(), left.len())?;
    Ok(header)
}

fn written(version: i16, header: &impl Encodable) -> Asked<Vec<u8>> {
    let mut written = BytesMut::new();
    header.encode(&mut written, version).map_err(refusal)?;
    Ok(written.to_vec())
}

/// The numbers of tags are i32 here.
type Tags = BTreeMap<i32, Bytes>;

fn shown_tags(tags: &Tags) -> Value {
    Value::List(tags.iter().map(|(tag, data)| pair((*tag as u32).into(), data.as_ref().into())).collect())
}

/// The writer passes over tags in versions without them: a caller has no way to see that in its bytes.
fn tags_of(value: &Value, has_tags: bool) -> Asked<Tags> {
    let Some(tags) = value.field("_tags").nullable(Value::list)? else { return Ok(Tags::new()) };
    if !has_tags && !tags.is_empty() {
        return Err(not_offered("kafka-protocol's headers drop tags in silence where the version has none"));
    }
    tags.iter()
        .map(|tag| {
            let (number, data) = (&tag.list()?[0], &tag.list()?[1]);
            Ok((number.integer::<u32>()? as i32, Bytes::copy_from_slice(data.octets()?)))
        })
        .collect()
}

fn decode_request(version: i16, data: &[u8]) -> Asked<Value> {
    let header: RequestHeader = read(version, data)?;
    Ok(fields([
        ("RequestApiKey", header.request_api_key.into()),
        ("RequestApiVersion", header.request_api_version.into()),
        ("CorrelationId", header.correlation_id.into()),
        ("ClientId", header.client_id.as_ref().map(StrBytes::as_str).into()),
        ("_tags", shown_tags(&header.unknown_tagged_fields)),
    ]))
}

fn encode_request(version: i16, value: &Value) -> Asked<Vec<u8>> {
    value.only(&["RequestApiKey", "RequestApiVersion", "CorrelationId", "ClientId", "_tags"])?;
    let client = value.field("ClientId").nullable(Value::text)?;
    let header = RequestHeader::default()
        .with_request_api_key(value.field("RequestApiKey").integer()?)
        .with_request_api_version(value.field("RequestApiVersion").integer()?)
        .with_correlation_id(value.field("CorrelationId").integer()?)
        .with_client_id(client.map(|text| StrBytes::from_string(text.to_owned())))
        .with_unknown_tagged_fields(tags_of(value, version >= 2)?);
    written(version, &header)
}

fn decode_response(version: i16, data: &[u8]) -> Asked<Value> {
    let header: ResponseHeader = read(version, data)?;
    Ok(fields([("CorrelationId", header.correlation_id.into()), ("_tags", shown_tags(&header.unknown_tagged_fields))]))
}

fn encode_response(version: i16, value: &Value) -> Asked<Vec<u8>> {
    value.only(&["CorrelationId", "_tags"])?;
    let header = ResponseHeader::default()
        .with_correlation_id(value.field("CorrelationId").integer()?)
        .with_unknown_tagged_fields(tags_of(value, version >= 1)?);
    written(version, &header)
}

fn codec<T: Message + Decodable + Encodable>(
    decode: fn(i16, &[u8]) -> Asked<Value>,
    encode: fn(i16, &Value) -> Asked<Vec<u8>>,
) -> Codec {
    Codec {
        versions: Some((T::VERSIONS.min, T::VERSIONS.max)),
        judges: true,
        decode: Some(Box::new(decode)),
        encode: Some(Box::new(encode)),
        recode: Some(Box::new(|version, data| written(version, &read::<T>(version, data)?).map_err(Failure::in_writing))),
    }
}

pub fn headers() -> BTreeMap<String, Codec> {
    [
        ("RequestHeader", codec::<RequestHeader>(decode_request, encode_request)),
        ("ResponseHeader", codec::<ResponseHeader>(decode_response, encode_response)),
    ]
    .map(|(name, codec)| (name.to_owned(), codec))
    .into()
}
