//! The bytes follow from the protocol guide, and were written by hand.

use lines::Wrapper;

use crate::{VERSION, wrapper};

fn ask(wrapper: &Wrapper, question: &str) -> String {
    wrapper.answer(&format!(r#"{{"seq":1,"dialect":"kafka",{question}}}"#)).unwrap()
}

#[test]
fn the_version_is_the_one_that_is_pinned() {
    assert!(include_str!("../Cargo.toml").contains(&format!("kafka_wire_protocol = \"={VERSION}\"")));
}

#[test]
fn values_both_ways() {
    let wrapper = wrapper();
    for (name, hex, value) in [
        ("BOOLEAN", "01", "true"),
        ("UINT32", "ffffffff", "4294967295"),
        ("FLOAT64", "7ff8000000000001", r#"{"float64":"7ff8000000000001"}"#),
        ("UUID", "000102030405060708090a0b0c0d0e0f", r#"{"uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}"#),
        ("NULLABLE_STRING", "ffff", "null"),
        ("COMPACT_STRING", "0261", r#""a""#),
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

#[test]
fn each_message_has_its_own_versions() {
    let answer = ask(&wrapper(), r#""op":"recode","type":"ListOffsetsRequest","version":0,"data":"""#);
    assert_eq!(answer, r#"{"seq":1,"unsupported":"kafka_wire_protocol has versions 1 to 10 of ListOffsetsRequest"}"#);
}
