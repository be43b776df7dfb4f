//! The bodies of all messages. kafka-protocol's readers and writers have the version as an argument, and refuse those that do
//! not exist.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use kafka_protocol::messages::*;
use kafka_protocol::protocol::{Decodable, Encodable, Message};
use lines::{Asked, Codec, Failure, Recode, left_over};

use crate::refusal;

fn codec(first: i16, last: i16, recode: Recode) -> Codec {
    Codec { versions: Some((first, last)), judges: true, recode: Some(recode), ..Codec::default() }
}

/// Reads all of the bytes, and writes what was read.
fn recoded<T>(
    data: &[u8],
    read: impl FnOnce(&mut Bytes) -> anyhow::Result<T>,
    write: impl FnOnce(T, &mut BytesMut) -> anyhow::Result<()>,
) -> Asked<Vec<u8>> {
    let mut left = Bytes::copy_from_slice(data);
    let message = read(&mut left).map_err(refusal)?;
    left_over(data.len(), left.len())?;
    let mut written = BytesMut::new();
    write(message, &mut written).map_err(refusal).map_err(Failure::in_writing)?;
    Ok(written.to_vec())
}

fn request(key: ApiKey) -> Recode {
    Box::new(move |version, data| {
        recoded(data, |input| RequestKind::decode(key, input, version), |body, out| body.encode(out, version))
    })
}

fn response(key: ApiKey) -> Recode {
    Box::new(move |version, data| {
        recoded(data, |input| ResponseKind::decode(key, input, version), |body, out| body.encode(out, version))
    })
}

/// A message that is no request and no response.
fn other<T: Message + Decodable + Encodable>() -> Codec {
    let recode: Recode =
        Box::new(|version, data| recoded(data, |input| T::decode(input, version), |body, out| body.encode(out, version)));
    codec(T::VERSIONS.min, T::VERSIONS.max, recode)
}

macro_rules! others {
    ($($name:ident)*) => {
        [$((stringify!($name).to_owned(), other::<$name>())),*]
    };
}

/// By the names that Kafka has for them, which are those of [`ApiKey`] too.
pub fn messages() -> BTreeMap<String, Codec> {
    let mut types = BTreeMap::from(others! {
        ConsumerProtocolAssignment ConsumerProtocolSubscription DefaultPrincipalData EndTxnMarker KRaftVersionRecord
        LeaderChangeMessage SnapshotFooterRecord SnapshotHeaderRecord VotersRecord
    });
    for key in ApiKey::iter() {
        let versions = key.valid_versions();
        types.insert(format!("{key:?}Request"), codec(versions.min, versions.max, request(key)));
        types.insert(format!("{key:?}Response"), codec(versions.min, versions.max, response(key)));
    }
    types
}
