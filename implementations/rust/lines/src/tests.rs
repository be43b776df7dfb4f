use std::io::{self, Cursor, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::reading::converse;
use crate::{Codec, Value, Wrapper, left_over, refused};

/// An INT8 of its own, a message that is not written again, and a type that shows values as they are.
fn toy() -> Wrapper {
    let int8 = Codec {
        decode: Some(Box::new(|_, data| {
            let first = *data.first().ok_or_else(|| refused("truncated", "end"))? as i8;
            left_over(data.len(), data.len() - 1)?;
            Ok(first.into())
        })),
        encode: Some(Box::new(|_, value| Ok(vec![value.integer::<i8>()? as u8]))),
        ..Codec::default()
    };
    let message = Codec {
        versions: Some((1, 2)),
        recode: Some(Box::new(|_, _| Err(refused("", "no").in_writing()))),
        ..Codec::default()
    };
    let same = Codec { encode: Some(Box::new(|_, value| Ok(value.to_json().to_string().into_bytes()))), ..Codec::default() };
    Wrapper {
        name: "toy",
        version: "1",
        types: [("INT8", int8), ("Message", message), ("Same", same)].map(|(name, codec)| (name.to_owned(), codec)).into(),
        array: None,
        produce: Some(|sent| Ok(format!("{} {} {:?}", sent.magic, sent.codec, sent.records).into_bytes())),
        readings: &[],
        rebuilds: &[],
    }
}

#[test]
fn answers() {
    for (question, answer) in [
        (r#""op":"decode","type":"INT8","data":"ff""#, r#""value":-1}"#),
        (r#""op":"encode","type":"INT8","value":-1"#, r#""data":"ff"}"#),
        (r#""op":"decode","type":"INT8","data":"""#, r#""reject":{"detail":"end","reason":"truncated"}}"#),
        (
            r#""op":"decode","type":"INT8","data":"0102""#,
            r#""reject":{"detail":"1 bytes left over","offset":1,"reason":"trailing-bytes"}}"#,
        ),
        (
            r#""op":"encode","type":"INT8","value":{"int":"9223372036854775808"}"#,
            r#""reject":{"detail":"i8 does not hold 9223372036854775808","reason":"out-of-range"}}"#,
        ),
        (
            r#""op":"encode","type":"INT8","value":null"#,
            r#""reject":{"detail":"i8 holds no null","reason":"null-not-allowed"}}"#,
        ),
        (r#""op":"recode","type":"Message","version":1,"data":"""#, r#""reject":{"detail":"no","half":"encode"}}"#),
        (r#""op":"recode","type":"Message","version":3,"data":"""#, r#""unsupported":"toy has versions 1 to 2 of Message"}"#),
        (r#""op":"recode","type":"Message","data":"""#, r#""unsupported":"toy has versions 1 to 2 of Message"}"#),
        (r#""op":"recode","type":"INT8","data":"00""#, r#""unsupported":"toy has no recode of INT8"}"#),
        (r#""op":"decode","type":"INT9","data":"""#, r#""unsupported":"toy has no INT9"}"#),
        (
            r#""op":"produce","records":[null],"magic":2,"codec":"lz4","options":{}"#,
            r#""data":"32206c7a34204c697374285b4e756c6c5d29"}"#,
        ),
        (r#""op":"encode","type":"Same","value":"a\ud800""#, r#""unsupported":"a lone surrogate is no text in Rust"}"#),
    ] {
        let line = format!(r#"{{"seq":7,"dialect":"kafka",{question}}}"#);
        assert_eq!(toy().answer(&line), Ok(format!(r#"{{"seq":7,{answer}"#)), "{question}");
    }
}

#[test]
fn values_come_back_as_they_were() {
    for text in [
        "null",
        "true",
        "-9007199254740991",
        r#"{"int":"9007199254740992"}"#,
        r#"{"int":"-9223372036854775808"}"#,
        r#""a""#,
        r#"{"hex":"00ff"}"#,
        r#"{"hex":""}"#,
        "[[1],[]]",
        r#"{"name":[null]}"#,
        r#"{"float64":"7ff8000000000001"}"#,
        r#"{"uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}"#,
    ] {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        assert_eq!(Value::parse(Some(&raw)).unwrap().to_json().to_string(), text);
    }
}

#[test]
fn a_line_that_is_no_question_ends_it() {
    for line in ["[]", r#"{"seq":1"#, r#"{"seq":1,"op":"decode","dialect":"kafka","type":"INT8","data":"0g"}"#] {
        let mut out = Vec::new();
        let ended = converse(&toy(), Cursor::new(format!("{{\"op\":\"describe\"}}\n{line}\n")), &mut out).unwrap_err();
        assert!(ended.to_string().starts_with("the conversation broke off: line 2: "), "{ended}");
        assert_eq!(out.iter().filter(|octet| **octet == b'\n').count(), 1);
    }
}

/// Both ends of a pipe in memory.
struct Pipe(Receiver<Vec<u8>>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Ok(data) = self.0.recv() else { return Ok(0) };
        buffer[..data.len()].copy_from_slice(&data);
        Ok(data.len())
    }
}

struct Written(Sender<Vec<u8>>);

impl Write for Written {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.send(data.to_vec()).map_err(io::Error::other)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An answer comes although a part of the next question is there already.
#[test]
fn answers_are_not_kept_back() {
    let ((questions, input), (output, answers)) = (mpsc::channel(), mpsc::channel());
    let conversation = thread::spawn(move || converse(&toy(), Pipe(input), Written(output)));
    questions
        .send(b"{\"seq\":1,\"op\":\"decode\",\"dialect\":\"kafka\",\"type\":\"INT8\",\"data\":\"05\"}\n{\"seq\":2".to_vec())
        .unwrap();
    let answer = answers.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(answer, b"{\"seq\":1,\"value\":5}\n");
    drop(questions);
    assert!(conversation.join().unwrap().is_err());
}
