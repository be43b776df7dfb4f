//! The bytes follow from the protocol guide, and were written by hand.

use lines::Wrapper;

use crate::{VERSION, wrapper};

fn ask(wrapper: &Wrapper, question: &str) -> String {
    wrapper.answer(&format!(r#"{{"seq":1,"dialect":"kafka",{question}}}"#)).unwrap()
}

#[test]
fn the_version_is_the_one_that_is_pinned() {
    assert!(include_str!("../Cargo.toml").contains(&format!("version = \"={VERSION}\"")));
}

#[test]
fn values_both_ways() {
    let wrapper = wrapper();
    for (name, hex, value) in [
        ("BOOLEAN", "01", "true"),
        ("UINT32", "ffffffff", "4294967295"),
        ("VARINT", "01", "-1"),
        ("VARLONG", "8001", "64"),
        ("FLOAT64", "7ff8000000000001", r#"{"float64":"7ff8000000000001"}"#),
        ("UUID", "000102030405060708090a0b0c0d0e0f", r#"{"uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}"#),
        ("NULLABLE_STRING", "ffff", "null"),
        ("COMPACT_STRING", "0261", r#""a""#),
        ("COMPACT_NULLABLE_BYTES", "01", r#"{"hex":""}"#),
        ("NULLABLE_BYTES", "ffffffff", "null"),
        ("TAG_BUFFER", "020100e80702abcd", r#"[[1,{"hex":""}],[1000,{"hex":"abcd"}]]"#),
        ("COMPACT_ARRAY<VARINT>", "030201", "[1,-1]"),
        ("NULLABLE_ARRAY<STRING>", "ffffffff", "null"),
        ("ARRAY<ARRAY<INT8>>", "000000010000000107", "[[7]]"),
    ] {
        assert_eq!(
            ask(&wrapper, &format!(r#""op":"decode","type":"{name}","data":"{hex}""#)),
            format!(r#"{{"seq":1,"value":{value}}}"#)
        );
        for question in [format!(r#""op":"encode","value":{value}"#), format!(r#""op":"recode","data":"{hex}""#)] {
            assert_eq!(ask(&wrapper, &format!(r#"{question},"type":"{name}""#)), format!(r#"{{"seq":1,"data":"{hex}"}}"#));
        }
    }
}

/// A record of 13 bytes with two headers of one key, a null value and an empty one.
const RECORD: &str = "1a00020001027604026801026800";

#[test]
fn records_keep_headers_of_one_key() {
    let wrapper = wrapper();
    let value = r#"{"attributes":0,"headers":[["h",null],["h",{"hex":""}]],"key":null,"offsetDelta":0,"timestampDelta":1,"value":{"hex":"76"}}"#;
    let decoded = ask(&wrapper, &format!(r#""op":"decode","type":"Record","data":"{RECORD}""#));
    assert_eq!(decoded, format!(r#"{{"seq":1,"value":{value}}}"#));
    let encoded = ask(&wrapper, &format!(r#""op":"encode","type":"Record","value":{value}"#));
    assert_eq!(encoded, format!(r#"{{"seq":1,"data":"{RECORD}"}}"#));
}

#[test]
fn batches_with_each_codec() {
    let wrapper = wrapper();
    for attributes in 0..=4 {
        let record = r#"{"attributes":0,"headers":[],"key":null,"offsetDelta":0,"timestampDelta":0,"value":{"hex":"76"}}"#;
        let value = format!(
            r#"{{"attributes":{attributes},"baseOffset":5,"baseSequence":-1,"baseTimestamp":1600000000000,"lastOffsetDelta":0,"maxTimestamp":1600000000000,"partitionLeaderEpoch":1,"producerEpoch":-1,"producerId":-1,"records":[{record}]}}"#
        );
        let encoded = ask(&wrapper, &format!(r#""op":"encode","type":"RecordBatch","value":{value}"#));
        let data = encoded.strip_prefix(r#"{"seq":1,"data":"#).unwrap().strip_suffix('}').unwrap();
        let decoded = ask(&wrapper, &format!(r#""op":"decode","type":"RecordBatch","data":{data}"#));
        assert_eq!(decoded, format!(r#"{{"seq":1,"value":{value}}}"#));
    }
}

#[test]
fn bytes_left_over_are_refused_at_their_offset() {
    let answer = ask(&wrapper(), r#""op":"decode","type":"STRING","data":"000161ff""#);
    assert_eq!(answer, r#"{"seq":1,"reject":{"detail":"1 bytes left over","offset":3,"reason":"trailing-bytes"}}"#);
}

#[test]
fn an_unknown_tag_is_written_again() {
    let data = "000000000000010501aa";
    let answer = ask(&wrapper(), &format!(r#""op":"recode","type":"HeartbeatResponse","version":4,"data":"{data}""#));
    assert_eq!(answer, format!(r#"{{"seq":1,"data":"{data}"}}"#));
}

#[test]
fn headers() {
    let value = r#"{"ClientId":"a","CorrelationId":7,"RequestApiKey":18,"RequestApiVersion":0,"_tags":[]}"#;
    for (version, data) in [(1, "0012000000000007000161"), (2, "001200000000000700016100")] {
        let wrapper = wrapper();
        let written = ask(&wrapper, &format!(r#""op":"encode","type":"RequestHeader","version":{version},"value":{value}"#));
        assert_eq!(written, format!(r#"{{"seq":1,"data":"{data}"}}"#));
        let read = ask(&wrapper, &format!(r#""op":"decode","type":"RequestHeader","version":{version},"data":"{data}""#));
        assert_eq!(read, format!(r#"{{"seq":1,"value":{value}}}"#));
    }
}
