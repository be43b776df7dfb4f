//! A library behind the line protocol: what it offers, and an answer for each line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json, value::RawValue};

use crate::failure::{Failure, not_offered};
use crate::value::{Value, from_hex, in_hex};

const DIALECT: &str = "kafka";
const OPS: [&str; 3] = ["decode", "encode", "recode"];

pub type Asked<T> = Result<T, Failure>;
pub type Decode = Box<dyn Fn(i16, &[u8]) -> Asked<Value>>;
pub type Encode = Box<dyn Fn(i16, &Value) -> Asked<Vec<u8>>>;
pub type Recode = Box<dyn Fn(i16, &[u8]) -> Asked<Vec<u8>>>;
pub type Produce = fn(&Sent) -> Asked<Vec<u8>>;

/// What a library has for a type.
#[derive(Default)]
pub struct Codec {
    /// The first and last version; None for a type without versions.
    pub versions: Option<(i16, i16)>,
    /// The library itself refuses other versions: then it is asked for them too.
    pub judges: bool,
    pub decode: Option<Decode>,
    pub encode: Option<Encode>,
    pub recode: Option<Recode>,
}

impl Codec {
    fn ops(&self) -> Vec<&'static str> {
        let offered = [self.decode.is_some(), self.encode.is_some(), self.recode.is_some()];
        OPS.into_iter().zip(offered).filter_map(|(op, offered)| offered.then_some(op)).collect()
    }
}

/// What an application has given to a producer, and how it is to be written: records and options are those of the contract.
pub struct Sent<'a> {
    pub records: Value,
    pub magic: i8,
    pub codec: &'a str,
    pub options: Value,
}

/// A library.
pub struct Wrapper {
    pub name: &'static str,
    pub version: &'static str,
    pub types: BTreeMap<String, Codec>,
    /// The codec of a type like `ARRAY<INT32>`; None where the library has no arrays.
    pub array: Option<fn(&str) -> Asked<Codec>>,
    /// What a producer writes; None where the library has no code for it.
    pub produce: Option<Produce>,
    /// As in the contract.
    pub readings: &'static [(&'static str, &'static str)],
    pub rebuilds: &'static [(&'static str, &'static [&'static str])],
}

#[derive(Deserialize)]
struct Question<'a> {
    #[serde(borrow)]
    seq: Option<&'a RawValue>,
    op: Cow<'a, str>,
    #[serde(default)]
    dialect: Cow<'a, str>,
    #[serde(default, rename = "type")]
    type_name: Cow<'a, str>,
    version: Option<i64>,
    #[serde(default)]
    data: Cow<'a, str>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    /// These are those of "produce".
    #[serde(borrow)]
    records: Option<&'a RawValue>,
    #[serde(default)]
    magic: i8,
    #[serde(default)]
    codec: Cow<'a, str>,
    #[serde(borrow)]
    options: Option<&'a RawValue>,
}

impl Wrapper {
    /// The line that answers a line, without its end. An error is why the line is no question.
    pub fn answer(&self, line: &str) -> Result<String, String> {
        let asked: Question = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if asked.op == "describe" {
            return Ok(self.description().to_string());
        }
        let answer = match self.ask(&asked) {
            Ok(answer) => answer,
            Err(Failure::NoQuestion(why)) => return Err(why),
            Err(Failure::NotOffered(why)) => json!({"unsupported": why}),
            Err(Failure::Refused { reason, offset, detail, writing }) => {
                let mut reject = json!({"detail": detail});
                if !reason.is_empty() {
                    reject["reason"] = json!(reason);
                }
                if let Some(offset) = offset {
                    reject["offset"] = json!(offset);
                }
                if asked.op == "recode" {
                    reject["half"] = json!(if writing { "encode" } else { "decode" });
                }
                json!({"reject": reject})
            }
        };
        let seq = asked.seq.map_or("null", RawValue::get);
        Ok(format!("{{\"seq\":{seq},{}", &answer.to_string()[1..]))
    }

    fn ask(&self, asked: &Question) -> Asked<Json> {
        let Question { op, type_name, .. } = asked;
        if let (Some(produce), DIALECT, "produce") = (self.produce, asked.dialect.as_ref(), op.as_ref()) {
            let (records, options) = (Value::parse(asked.records)?, Value::parse(asked.options)?);
            let sent = Sent { records, magic: asked.magic, codec: &asked.codec, options };
            return Ok(json!({"data": in_hex(&produce(&sent)?)}));
        }
        if asked.dialect != DIALECT || !OPS.contains(&op.as_ref()) {
            return Err(not_offered(format!("no {op} in the dialect {}", asked.dialect)));
        }
        let made;
        let codec = match self.array {
            Some(array) if type_name.ends_with('>') => {
                made = array(type_name)?;
                &made
            }
            _ => self.types.get(type_name.as_ref()).ok_or_else(|| not_offered(format!("{} has no {type_name}", self.name)))?,
        };
        let version = self.version_of(codec, asked)?;
        let lacking = || not_offered(format!("{} has no {op} of {type_name}", self.name));
        let data = || from_hex(&asked.data).ok_or_else(|| Failure::NoQuestion("data is no hex".to_owned()));
        Ok(match op.as_ref() {
            "decode" => {
                let value = codec.decode.as_ref().ok_or_else(lacking)?(version, &data()?)?;
                json!({"value": value.to_json()})
            }
            "encode" => {
                let value = Value::parse(asked.value)?;
                json!({"data": in_hex(&codec.encode.as_ref().ok_or_else(lacking)?(version, &value)?)})
            }
            _ => json!({"data": in_hex(&codec.recode.as_ref().ok_or_else(lacking)?(version, &data()?)?)}),
        })
    }

    /// The version asked for, 0 for a type without versions.
    fn version_of(&self, codec: &Codec, asked: &Question) -> Asked<i16> {
        let Some((first, last)) = codec.versions else { return Ok(0) };
        match asked.version.map(i16::try_from) {
            Some(Ok(version)) if codec.judges || (first..=last).contains(&version) => Ok(version),
            _ => Err(not_offered(format!("{} has versions {first} to {last} of {}", self.name, asked.type_name))),
        }
    }

    fn description(&self) -> Json {
        let mut types: BTreeMap<&str, Json> = BTreeMap::new();
        for (name, codec) in &self.types {
            let ops = codec.ops();
            let versions = json!(codec.versions);
            types.insert(name, if ops.len() < OPS.len() { json!({"versions": versions, "ops": ops}) } else { versions });
        }
        if self.array.is_some() {
            types.insert("ARRAY", Json::Null);
        }
        json!({
            "name": self.name,
            "version": self.version,
            "language": "rust",
            "dialects": [DIALECT],
            "ops": OPS.into_iter().chain(self.produce.map(|_| "produce")).collect::<Vec<_>>(),
            "types": {DIALECT: types},
            "readings": self.readings.iter().copied().collect::<BTreeMap<_, _>>(),
            "rebuilds": self.rebuilds.iter().copied().collect::<BTreeMap<_, _>>(),
        })
    }
}

/// An array type's kind, and the type of its elements: `ARRAY` and `INT32` of `ARRAY<INT32>`.
pub fn element_of(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix('>')?.split_once('<')
}
