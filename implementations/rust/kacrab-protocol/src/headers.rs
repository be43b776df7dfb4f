//! Headers: kacrab-protocol has the schemas of Kafka 4.3, where request header 0 is no more.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use kacrab_protocol::KafkaString;
use kacrab_protocol::generated::{RequestHeaderData, ResponseHeaderData};
use lines::{Asked, Codec, Failure, Value, fields, left_over, not_offered};

use crate::primitives::{shown_tags, taken_tags};

macro_rules! read {
    ($type:ty, $version:expr, $data:expr) => {{
        let mut left = Bytes::copy_from_slice($data);
        let header = <$type>::read(&mut left, $version)?;
        left_over($data.len(), left.len())?;
        header
    }};
}

macro_rules! written {
    ($header:expr, $version:expr) => {{
        let mut written = BytesMut::new();
        $header.write(&mut written, $version).map_err(Failure::from).map(|()| written.to_vec())
    }};
}

/// The writer passes over tags in versions without them: a caller has no way to see that in its bytes.
fn tags_of(value: &Value, has_tags: bool) -> Asked<Vec<kacrab_protocol::RawTaggedField>> {
    let tags = taken_tags(value.field("_tags"))?;
    if !has_tags && !tags.is_empty() {
        return Err(not_offered("kacrab-protocol's headers drop tags in silence where the version has none"));
    }
    Ok(tags)
}

fn decode_request(version: i16, data: &[u8]) -> Asked<Value> {
    let header = read!(RequestHeaderData, version, data);
    Ok(fields([
        ("RequestApiKey", header.request_api_key.into()),
        ("RequestApiVersion", header.request_api_version.into()),
        ("CorrelationId", header.correlation_id.into()),
        ("ClientId", header.client_id.as_ref().map(KafkaString::as_str).into()),
        ("_tags", shown_tags(&header._unknown_tagged_fields)),
    ]))
}

fn encode_request(version: i16, value: &Value) -> Asked<Vec<u8>> {
    value.only(&["RequestApiKey", "RequestApiVersion", "CorrelationId", "ClientId", "_tags"])?;
    let header = RequestHeaderData {
        request_api_key: value.field("RequestApiKey").integer()?,
        request_api_version: value.field("RequestApiVersion").integer()?,
        correlation_id: value.field("CorrelationId").integer()?,
        client_id: value.field("ClientId").nullable(Value::text)?.map(|text| KafkaString::from(text.to_owned())),
        _unknown_tagged_fields: tags_of(value, version >= 2)?,
    };
    written!(header, version)
}

fn decode_response(version: i16, data: &[u8]) -> Asked<Value> {
    let header = read!(ResponseHeaderData, version, data);
    Ok(fields([("CorrelationId", header.correlation_id.into()), ("_tags", shown_tags(&header._unknown_tagged_fields))]))
}

fn encode_response(version: i16, value: &Value) -> Asked<Vec<u8>> {
    value.only(&["CorrelationId", "_tags"])?;
    let header = ResponseHeaderData {
        correlation_id: value.field("CorrelationId").integer()?,
        _unknown_tagged_fields: tags_of(value, version >= 1)?,
    };
    written!(header, version)
}

pub fn headers() -> BTreeMap<String, Codec> {
    let request = Codec {
        versions: Some((1, 2)),
        decode: Some(Box::new(decode_request)),
        encode: Some(Box::new(encode_request)),
        recode: Some(Box::new(|version, data| {
            written!(read!(RequestHeaderData, version, data), version).map_err(Failure::in_writing)
        })),
        ..Codec::default()
    };
    let response = Codec {
        versions: Some((0, 1)),
        decode: Some(Box::new(decode_response)),
        encode: Some(Box::new(encode_response)),
        recode: Some(Box::new(|version, data| {
            written!(read!(ResponseHeaderData, version, data), version).map_err(Failure::in_writing)
        })),
        ..Codec::default()
    };
    [("RequestHeader", request), ("ResponseHeader", response)].map(|(name, codec)| (name.to_owned(), codec)).into()
}
