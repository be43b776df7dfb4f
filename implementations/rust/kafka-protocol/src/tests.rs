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
fn frames() {
    for (frame, data) in [
        (r#""type":"RequestFrame""#, "00000013001500020000000700026d6500010000000500"),
        (r#""type":"ResponseFrame:DeleteRecords","version":2"#, "0000000b0000000700000000000100"),
        (r#""type":"ResponseFrame:ApiVersions","version":3"#, "0000000c000000070000010000000000"),
    ] {
        let answer = ask(&wrapper(), &format!(r#""op":"recode",{frame},"data":"{data}""#));
        assert_eq!(answer, format!(r#"{{"seq":1,"data":"{data}"}}"#));
    }
}

#[test]
fn a_size_is_not_the_library_s() {
    let answer = ask(&wrapper(), r#""op":"recode","type":"RequestFrame","data":"00000005""#);
    assert!(answer.contains(r#""unsupported":"#), "{answer}");
}

#[test]
fn batches_with_each_codec() {
    let wrapper = wrapper();
    for attributes in 0..=4 {
        let record = r#"{"attributes":0,"headers":[],"key":null,"offsetDelta":0,"timestampDelta":0,"value":{"hex":"76"}}"#;
        let value = format!(
            r#"{{"attributes":{attributes},"baseOffset":5,"baseSequence":-1,"baseTimestamp":1600000000000,"partitionLeaderEpoch":1,"producerEpoch":-1,"producerId":-1,"records":[{record}]}}"#
        );
        let encoded = ask(&wrapper, &format!(r#""op":"encode","type":"RecordBatch","value":{value}"#));
        let data = encoded.strip_prefix(r#"{"seq":1,"data":"#).unwrap().strip_suffix('}').unwrap();
        let decoded = ask(&wrapper, &format!(r#""op":"decode","type":"RecordBatch","data":{data}"#));
        assert_eq!(decoded, format!(r#"{{"seq":1,"value":{value}}}"#));
    }
}

fn batch(attributes: i16, base: i64, records: &str) -> String {
    format!(
        r#""op":"encode","type":"RecordBatch","value":{{"attributes":{attributes},"baseOffset":{base},"baseSequence":-1,"baseTimestamp":0,"lastOffsetDelta":0,"maxTimestamp":0,"partitionLeaderEpoch":1,"producerEpoch":-1,"producerId":-1,"records":[{records}]}}"#
    )
}

fn record(headers: &str) -> String {
    format!(r#"{{"attributes":0,"headers":[{headers}],"key":null,"offsetDelta":0,"timestampDelta":0,"value":null}}"#)
}

/// The library has no place for these: it is not blamed for what the wrapper would lose.
#[test]
fn what_a_record_has_no_place_for_is_not_asked() {
    let first = record("").replace(r#""offsetDelta":0"#, r#""offsetDelta":1"#);
    for question in [batch(0, 0, ""), batch(0x80, 0, &record("")), batch(0, 0, &first)] {
        let answer = ask(&wrapper(), &question);
        assert!(answer.contains(r#""unsupported":"#), "{answer}");
    }
}

#[test]
fn a_header_that_comes_twice_is_refused_by_the_map() {
    let answer = ask(&wrapper(), &batch(0, 0, &record(r#"["h",null],["h",null]"#)));
    assert!(answer.contains(r#""reason":"key-duplicate""#), "{answer}");
}

#[test]
fn a_version_that_there_is_not_is_refused_by_the_library() {
    let answer = ask(&wrapper(), r#""op":"recode","type":"HeartbeatResponse","version":99,"data":"""#);
    assert!(answer.contains("specified version not supported"), "{answer}");
}

fn produce(magic: i8, records: &str) -> String {
    let options = r#"{"producer_id":{"int":"9007199254740993"},"producer_epoch":3,"base_sequence":5,"transactional":true}"#;
    let question = format!(r#""op":"produce","records":[{records}],"magic":{magic},"codec":"lz4","options":{options}"#);
    ask(&wrapper(), &question)
}

#[test]
fn records_are_written_into_one_batch() {
    let record = |time| format!(r#"{{"timestamp":{time},"key":null,"value":{{"hex":"76"}},"headers":[["h",null]]}}"#);
    let written = produce(2, &[record(1005), record(1000)].join(","));
    let data = written.strip_prefix(r#"{"seq":1,"data":"#).unwrap().strip_suffix('}').unwrap();
    let read = ask(&wrapper(), &format!(r#""op":"decode","type":"RecordSet","data":{data}"#));
    assert_eq!(read.matches("baseOffset").count(), 1, "{read}");
    assert_eq!(read.matches(r#""headers":[["h",null]]"#).count(), 2, "{read}");
    for field in [
        r#""attributes":19"#,
        r#""baseSequence":5"#,
        r#""baseTimestamp":1000"#,
        r#""producerEpoch":3"#,
        r#""producerId":{"int":"9007199254740993"}"#,
    ] {
        assert!(read.contains(field), "{field} in {read}");
    }
}

#[test]
fn a_magic_that_the_encoder_lacks_is_not_offered() {
    let answer = produce(1, r#"{"timestamp":1,"key":null,"value":null,"headers":[]}"#);
    assert!(answer.contains("magic 2 alone"), "{answer}");
}
