//! kacrab-protocol behind the line protocol: see README.md in the folder above.

mod headers;
mod messages;
mod primitives;
mod records;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use lines::Wrapper;

const VERSION: &str = "0.4.0";

fn wrapper() -> Wrapper {
    let mut types = messages::messages();
    types.extend(primitives::primitives());
    types.extend(headers::headers());
    types.extend(records::records());
    Wrapper {
        name: "kacrab-protocol",
        version: VERSION,
        types,
        array: Some(primitives::array),
        produce: None,
        readings: &[
            ("R-K-6", "other"),
            ("R-K-9", "other"),
            ("R-K-12", "other"),
            ("R-K-15", "other"),
            ("R-K-19b", "other"),
            ("R-K-22", "other"),
            ("R-K-29", "other"),
            ("R-K-34", "other"),
        ],
        rebuilds: &[],
    }
}

fn main() -> ExitCode {
    lines::run(&wrapper())
}
