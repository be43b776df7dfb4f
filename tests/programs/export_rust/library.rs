//! kafka-protocol's messages, headers and records by the mapping of implementations/rust, for an implementation.rs of an exported test.

#[path = "@wrappers@/kafka-protocol/src/headers.rs"]
mod headers;
#[path = "@wrappers@/kafka-protocol/src/messages.rs"]
mod messages;
#[path = "@wrappers@/kafka-protocol/src/records.rs"]
mod records;

pub use records::REBUILT;

use lines::{Codec, Failure};
use std::collections::BTreeMap;

fn refusal(error: anyhow::Error) -> Failure {
    lines::refused_by(error.as_ref())
}

/// All types, by name.
pub fn types() -> BTreeMap<String, Codec> {
    let mut types = messages::messages();
    types.extend(headers::headers());
    types.extend(records::records());
    types
}
