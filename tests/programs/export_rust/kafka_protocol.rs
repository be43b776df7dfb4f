//! kafka-protocol's messages, headers and records, as an implementation of the exported tests.

use crate::wireproof::{Answer, Failure, Implementation, Question, Value, not_offered};

pub struct Library;

pub const IMPLEMENTATION: Library = Library;

thread_local! {
    static TYPES: std::collections::BTreeMap<String, lines::Codec> = exported::types();
}

fn to_lines(value: &Value) -> lines::Value {
    match value {
        Value::Null => lines::Value::Null,
        Value::Bool(truth) => lines::Value::Boolean(*truth),
        Value::Int(number) => lines::Value::Integer(*number),
        Value::Float64(bits) => lines::Value::Float64(*bits),
        Value::Text(text) => lines::Value::Text(text.clone()),
        Value::Bytes(bytes) => lines::Value::Octets(bytes.clone()),
        Value::Uuid(bytes) => lines::Value::Uuid(*bytes),
        Value::Array(items) => lines::Value::List(items.iter().map(to_lines).collect()),
        Value::Struct(fields) => {
            lines::Value::Struct(fields.iter().map(|(name, item)| (name.clone(), to_lines(item))).collect())
        }
    }
}

fn from_lines(value: lines::Value) -> Value {
    match value {
        lines::Value::Null => Value::Null,
        lines::Value::Boolean(truth) => Value::Bool(truth),
        lines::Value::Integer(number) => Value::Int(number),
        lines::Value::Float64(bits) => Value::Float64(bits),
        lines::Value::Text(text) => Value::Text(text),
        lines::Value::Octets(bytes) => Value::Bytes(bytes),
        lines::Value::Uuid(bytes) => Value::Uuid(bytes),
        lines::Value::List(items) => Value::Array(items.into_iter().map(from_lines).collect()),
        lines::Value::Struct(fields) => {
            Value::Struct(fields.into_iter().map(|(name, item)| (name, from_lines(item))).collect())
        }
    }
}

/// Calls the codec of the question's type, with its version.
fn call<T>(question: &Question, of: impl FnOnce(&lines::Codec, i16) -> Option<lines::Asked<T>>) -> Answer<T> {
    if question.dialect != "kafka" {
        return Err(not_offered(&question.dialect));
    }
    let answer = TYPES.with(|types| {
        let codec = types.get(&question.type_name).ok_or_else(|| not_offered(&question.type_name))?;
        let version = match (codec.versions, question.version.map(i16::try_from)) {
            (None, _) => 0,
            (Some((first, last)), Some(Ok(version))) if (first..=last).contains(&version) => version,
            _ => return Err(not_offered("this version")),
        };
        of(codec, version).ok_or_else(|| not_offered("this op"))
    })?;
    answer.map_err(|failure| match failure {
        lines::Failure::Refused { reason, offset, detail, writing } => Failure::Refused {
            reason: Some(reason).filter(|reason| !reason.is_empty()).map(str::to_owned),
            offset,
            text: detail,
            while_writing: writing,
        },
        lines::Failure::NotOffered(why) | lines::Failure::NoQuestion(why) => Failure::NotOffered(why),
    })
}

impl Implementation for Library {
    fn rebuilds(&self, type_name: &str) -> &'static [&'static str] {
        if ["RecordBatch", "RecordSet"].contains(&type_name) { exported::REBUILT } else { &[] }
    }

    fn decode(&self, question: &Question) -> Answer<Value> {
        call(question, |codec, version| codec.decode.as_ref().map(|decode| decode(version, &question.bytes))).map(from_lines)
    }

    fn encode(&self, question: &Question) -> Answer<Vec<u8>> {
        let value = to_lines(&question.value);
        call(question, |codec, version| codec.encode.as_ref().map(|encode| encode(version, &value)))
    }

    fn recode(&self, question: &Question) -> Answer<Vec<u8>> {
        call(question, |codec, version| codec.recode.as_ref().map(|recode| recode(version, &question.bytes)))
    }
}
