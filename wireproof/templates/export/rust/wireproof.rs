//! The interface between your implementation and the tests: values, questions, and the trait in which you call your library.
//!
//! SPDX-License-Identifier: Apache-2.0. @versions@.

#![allow(dead_code)] // what your implementation does not need

use serde_json::Value as Json;

/// A value of the protocol, without loss: null, absent and empty are different, and a float64 keeps all its bits.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i128),
    /// Its bits.
    Float64(u64),
    Text(String),
    Bytes(Vec<u8>),
    Uuid([u8; 16]),
    Array(Vec<Value>),
    Struct(Vec<(String, Value)>),
}

impl Value {
    /// The field of a struct; None if it is absent.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let Self::Struct(fields) = self else { return None };
        fields.iter().find(|(one, _)| one == name).map(|(_, value)| value)
    }

    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub fn int(&self) -> Option<i128> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }

    pub fn bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The elements of an array; none for what is no array.
    pub fn items(&self) -> &[Value] {
        if let Self::Array(items) = self { items } else { &[] }
    }

    pub fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// JSON in the value encoding → a value.
    pub fn from_json(json: Json) -> Value {
        match json {
            Json::Null => Self::Null,
            Json::Bool(truth) => Self::Bool(truth),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => Self::Int(number.into()),
                (None, Some(number)) => Self::Int(number.into()),
                _ => Self::Float64(number.as_f64().unwrap_or(0.0).to_bits()),
            },
            Json::String(text) => Self::Text(text),
            Json::Array(items) => Self::Array(items.into_iter().map(Self::from_json).collect()),
            Json::Object(fields) => {
                if let (1, Some((name, Json::String(text)))) = (fields.len(), fields.iter().next()) {
                    if let Some(value) = special(name, text) {
                        return value;
                    }
                }
                Self::Struct(fields.into_iter().map(|(name, item)| (name, Self::from_json(item))).collect())
            }
        }
    }

    /// A value → JSON in the value encoding.
    pub fn to_json(&self) -> Json {
        const SAFE: i128 = (1 << 53) - 1;
        let form = |name: &str, text: String| Json::Object([(name.to_owned(), Json::String(text))].into_iter().collect());
        match self {
            Self::Null => Json::Null,
            Self::Bool(truth) => Json::Bool(*truth),
            Self::Int(number) if (-SAFE..=SAFE).contains(number) => Json::from(*number as i64),
            Self::Int(number) => form("int", number.to_string()),
            Self::Float64(bits) => form("float64", format!("{bits:016x}")),
            Self::Text(text) => Json::String(text.clone()),
            Self::Bytes(bytes) => form("hex", hex(bytes)),
            Self::Uuid(bytes) => {
                let digits = hex(bytes);
                let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
                form("uuid", groups.join("-"))
            }
            Self::Array(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Self::Struct(fields) => Json::Object(fields.iter().map(|(name, item)| (name.clone(), item.to_json())).collect()),
        }
    }
}

fn special(name: &str, text: &str) -> Option<Value> {
    match name {
        // What is too large for 128 bits may as well be the largest.
        "int" => Some(Value::Int(text.parse().unwrap_or(if text.starts_with('-') { i128::MIN } else { i128::MAX }))),
        "hex" => unhex(text).map(Value::Bytes),
        "uuid" => unhex(&text.replace('-', "")).and_then(|bytes| bytes.try_into().ok()).map(Value::Uuid),
        "float64" => u64::from_str_radix(text, 16).ok().map(Value::Float64),
        _ => None,
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hex digits → bytes; None for others.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |one: u8| char::from(one).to_digit(16);
    let byte = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8);
    digits.as_bytes().chunks(2).map(byte).collect()
}

/// A question. What its op does not need is empty, or None.
#[derive(Clone, Debug)]
pub struct Question {
    pub dialect: String,
    /// decode, encode, recode, lookup, convert
    pub type_name: String,
    pub version: Option<i32>,
    /// decode, recode, lookup, convert, consume
    pub bytes: Vec<u8>,
    /// encode
    pub value: Value,
    /// lookup: text or an integer
    pub key: Value,
    /// convert: the name of a format
    pub to: String,
    /// consume: the offset from which records are wanted
    pub position: i64,
    /// consume: "read_uncommitted" or "read_committed"
    pub isolation: String,
    /// consume: the producer's id and the first offset of each aborted transaction, as a Fetch answer lists them
    pub aborted: Vec<(i64, i64)>,
    /// serve: as they arrive on one connection
    pub chunks: Vec<Vec<u8>>,
    /// interpret
    pub request: Vec<u8>,
    /// interpret; None: the connection was closed
    pub response: Option<Vec<u8>>,
    /// negotiate
    pub api_key: Option<i32>,
    pub client: Option<(i32, i32)>,
    /// negotiate; None: the broker does not list the api
    pub broker: Option<(i32, i32)>,
    /// evolve
    pub old: Value,
    pub new: Value,
    /// configure
    pub settings: Value,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The library refuses these bytes, or this value. `while_writing`: in recode, the bytes were read.
    Refused { reason: Option<String>, offset: Option<usize>, text: String, while_writing: bool },
    /// The implementation does not have this op, type or version.
    NotOffered(String),
}

pub fn refused(reason: &str, offset: Option<usize>, text: impl ToString) -> Failure {
    Failure::Refused { reason: Some(reason.to_owned()), offset, text: text.to_string(), while_writing: false }
}

pub fn not_offered(text: impl ToString) -> Failure {
    Failure::NotOffered(text.to_string())
}

pub type Answer<T> = Result<T, Failure>;

/// The ops that you have. The others are skipped, and counted. A panic is a crash, no refusal.
pub trait Implementation: Send + Sync {
    /// The rulings of which you chose another reading: those of other rulings fail then. None: all are contested.
    fn readings(&self) -> Option<&'static [&'static str]> {
        None
    }
    /// The fields of a type that the library's writer sets itself: written bytes are compared without them.
    fn rebuilds(&self, _type_name: &str) -> &'static [&'static str] {
        &[]
    }
    /// The value of bytes. The key of a header may be bytes.
    fn decode(&self, _question: &Question) -> Answer<Value> {
        Err(not_offered("no decode"))
    }
    /// The bytes of a value.
    fn encode(&self, _question: &Question) -> Answer<Vec<u8>> {
        Err(not_offered("no encode"))
    }
    /// The bytes after decoding and encoding again.
    fn recode(&self, question: &Question) -> Answer<Vec<u8>> {
        let value = self.decode(question)?;
        self.encode(&Question { value, ..question.clone() }).map_err(|failure| match failure {
            Failure::Refused { reason, offset, text, .. } => Failure::Refused { reason, offset, text, while_writing: true },
            other => other,
        })
    }
    /// All values of a header key, in their order.
    fn lookup(&self, _question: &Question) -> Answer<Vec<Value>> {
        Err(not_offered("no lookup"))
    }
    /// The bytes in another format.
    fn convert(&self, _question: &Question) -> Answer<Vec<u8>> {
        Err(not_offered("no convert"))
    }
    /// What an application is given of a partition's records: a struct with "records", an array of structs, and "position",
    /// where the consumer reads on. A record has "offset", "timestamp", "timestamp_type", "key", "value" and "headers"; the
    /// "timestamp_type" may be left out of all records.
    fn consume(&self, _question: &Question) -> Answer<Value> {
        Err(not_offered("no consume"))
    }
    /// As a broker: all that it sends for these chunks, and whether it then closes the connection.
    fn serve(&self, _question: &Question) -> Answer<(Vec<u8>, bool)> {
        Err(not_offered("no serve"))
    }
    /// As a client: a struct with "outcome", and "version", "error" and "request" where they apply.
    fn interpret(&self, _question: &Question) -> Answer<Value> {
        Err(not_offered("no interpret"))
    }
    /// The version to use.
    fn negotiate(&self, _question: &Question) -> Answer<Option<i32>> {
        Err(not_offered("no negotiate"))
    }
    /// The changes that break compatibility.
    fn evolve(&self, _question: &Question) -> Answer<Vec<String>> {
        Err(not_offered("no evolve"))
    }
    /// Gets the settings before the first question of a dialect.
    fn configure(&self, _question: &Question) -> Answer<()> {
        Err(not_offered("no configure"))
    }
}
