//! kafka_wire_protocol behind the line protocol: see README.md in the folder above.

mod headers;
mod messages;
mod primitives;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use lines::Wrapper;

const VERSION: &str = "3.0.0";

fn wrapper() -> Wrapper {
    let mut types = messages::messages();
    types.extend(primitives::primitives());
    types.extend(headers::headers());
    Wrapper {
        name: "kafka_wire_protocol",
        version: VERSION,
        types,
        array: None,
        produce: None,
        readings: &[("R-K-1", "other"), ("R-K-6", "other"), ("R-K-9", "other"), ("R-K-11", "other"), ("R-K-15", "other")],
        rebuilds: &[],
    }
}

fn main() -> ExitCode {
    lines::run(&wrapper())
}
