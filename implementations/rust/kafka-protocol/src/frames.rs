//! Frames: kafka-protocol chooses the header's version, and reads and writes header and body. The size before them is its
//! caller's, so that no frame of another size is asked.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::{ApiKey, RequestKind, ResponseHeader, ResponseKind};
use kafka_protocol::protocol::{
    Decodable, Encodable, decode_request_header_from_buffer, encode_request_header_into_buffer,
};
use lines::{Asked, Codec, Failure, Recode, left_over, not_offered};

use crate::refusal;

/// What stands behind the size.
fn content(data: &[u8]) -> Asked<Bytes> {
    match data.split_first_chunk() {
        Some((size, content)) if i32::from_be_bytes(*size) as usize == content.len() => Ok(Bytes::copy_from_slice(content)),
        _ => Err(not_offered("kafka-protocol reads no size before a frame")),
    }
}

/// A frame of what `write` writes.
fn framed(write: impl FnOnce(&mut BytesMut) -> anyhow::Result<()>) -> Asked<Vec<u8>> {
    let mut written = BytesMut::new();
    write(&mut written).map_err(refusal).map_err(Failure::in_writing)?;
    Ok([&(written.len() as i32).to_be_bytes(), written.as_ref()].concat())
}

fn request(data: &[u8]) -> Asked<Vec<u8>> {
    let mut left = content(data)?;
    let header = decode_request_header_from_buffer(&mut left).map_err(refusal)?;
    let version = header.request_api_version;
    let key = ApiKey::try_from(header.request_api_key).expect("the header's reader knows this key");
    let body = RequestKind::decode(key, &mut left, version).map_err(refusal)?;
    left_over(data.len(), left.len())?;
    framed(|out| {
        encode_request_header_into_buffer(out, &header)?;
        body.encode(out, version)
    })
}

fn response(key: ApiKey, version: i16, data: &[u8]) -> Asked<Vec<u8>> {
    let mut left = content(data)?;
    let of_header = key.response_header_version(version);
    let header = ResponseHeader::decode(&mut left, of_header).map_err(refusal)?;
    let body = ResponseKind::decode(key, &mut left, version).map_err(refusal)?;
    left_over(data.len(), left.len())?;
    framed(|out| {
        header.encode(out, of_header)?;
        body.encode(out, version)
    })
}

fn codec(versions: Option<(i16, i16)>, recode: Recode) -> Codec {
    Codec { versions, judges: true, recode: Some(recode), ..Codec::default() }
}

pub fn frames() -> BTreeMap<String, Codec> {
    let mut types = BTreeMap::from([("RequestFrame".to_owned(), codec(None, Box::new(|_, data| request(data))))]);
    for key in ApiKey::iter() {
        let versions = key.valid_versions();
        let recode: Recode = Box::new(move |version, data| response(key, version, data));
        types.insert(format!("ResponseFrame:{key:?}"), codec(Some((versions.min, versions.max)), recode));
    }
    types
}
