//! kafka-protocol behind the line protocol: see README.md in the folder above.

mod frames;
mod headers;
mod messages;
mod records;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use lines::{Failure, Wrapper, refused_by};

const VERSION: &str = "0.18.0";

/// An error of the library's, whose type is no `std::error::Error`.
fn refusal(error: anyhow::Error) -> Failure {
    refused_by(error.as_ref())
}

fn wrapper() -> Wrapper {
    let mut types = messages::messages();
    types.extend(headers::headers());
    types.extend(frames::frames());
    types.extend(records::records());
    Wrapper {
        name: "kafka-protocol",
        version: VERSION,
        types,
        array: None,
        produce: Some(records::produce),
        readings: &[
            ("R-K-1", "map"),
            ("R-K-4", "other"),
            ("R-K-19b", "other"),
            ("R-K-29", "other"),
            ("R-K-34", "other"),
        ],
        rebuilds: &[("RecordBatch", records::REBUILT), ("RecordSet", records::REBUILT)],
    }
}

fn main() -> ExitCode {
    lines::run(&wrapper())
}
