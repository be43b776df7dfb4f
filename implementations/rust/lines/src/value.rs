//! Values, in the contract's encoding in JSON, and as arguments of a library's writers. Where the argument's type in Rust cannot
//! hold a value, the library has refused it by that type.

use crate::failure::{Failure, not_offered, refused};
use serde_json::{Map, Value as Json, json, value::RawValue};

/// Integers beyond this have an object of their own in JSON.
const SAFE: i128 = (1 << 53) - 1;

/// A value of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i128),
    Text(String),
    Octets(Vec<u8>),
    Uuid([u8; 16]),
    /// Its bits.
    Float64(u64),
    List(Vec<Value>),
    Struct(Vec<(String, Value)>),
}

impl Value {
    /// From the text of a question. A lone surrogate is a `NotOffered`: no text in Rust has it.
    pub fn parse(text: Option<&RawValue>) -> Result<Self, Failure> {
        let Some(text) = text else { return Ok(Self::Null) };
        match serde_json::from_str(text.get()) {
            Ok(json) => Self::from_json(json),
            Err(error) if error.to_string().contains("surrogate") || error.to_string().contains("hex escape") => {
                Err(not_offered("a lone surrogate is no text in Rust"))
            }
            Err(error) => Err(Failure::NoQuestion(error.to_string())),
        }
    }

    fn from_json(json: Json) -> Result<Self, Failure> {
        Ok(match json {
            Json::Null => Self::Null,
            Json::Bool(truth) => Self::Boolean(truth),
            Json::Number(number) => match number.as_i128() {
                Some(number) => Self::Integer(number),
                None => return Err(Failure::NoQuestion(format!("{number} is no integer"))),
            },
            Json::String(text) => Self::Text(text),
            Json::Array(items) => Self::List(items.into_iter().map(Self::from_json).collect::<Result<_, _>>()?),
            Json::Object(object) => match marked(&object)? {
                Some(value) => value,
                None => Self::Struct(
                    object
                        .into_iter()
                        .map(|(name, item)| Ok((name, Self::from_json(item)?)))
                        .collect::<Result<_, Failure>>()?,
                ),
            },
        })
    }

    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Boolean(truth) => json!(truth),
            Self::Integer(number) if (-SAFE..=SAFE).contains(number) => json!(*number as i64),
            Self::Integer(number) => json!({"int": number.to_string()}),
            Self::Text(text) => json!(text),
            Self::Octets(octets) => json!({"hex": in_hex(octets)}),
            Self::Uuid(octets) => {
                let hex = in_hex(octets);
                let groups = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
                json!({"uuid": groups.join("-")})
            }
            Self::Float64(bits) => json!({"float64": format!("{bits:016x}")}),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Struct(fields) => {
                Json::Object(fields.iter().map(|(name, value)| (name.clone(), value.to_json())).collect::<Map<_, _>>())
            }
        }
    }

    /// As an integer of a size.
    pub fn integer<T: TryFrom<i128>>(&self) -> Result<T, Failure> {
        let holder = std::any::type_name::<T>();
        match self {
            Self::Integer(number) => {
                T::try_from(*number).map_err(|_| refused("out-of-range", &format!("{holder} does not hold {number}")))
            }
            _ => Err(self.unfit(holder)),
        }
    }

    pub fn boolean(&self) -> Result<bool, Failure> {
        if let Self::Boolean(truth) = self { Ok(*truth) } else { Err(self.unfit("bool")) }
    }

    pub fn text(&self) -> Result<&str, Failure> {
        if let Self::Text(text) = self { Ok(text) } else { Err(self.unfit("String")) }
    }

    pub fn octets(&self) -> Result<&[u8], Failure> {
        if let Self::Octets(octets) = self { Ok(octets) } else { Err(self.unfit("Vec<u8>")) }
    }

    pub fn uuid(&self) -> Result<[u8; 16], Failure> {
        if let Self::Uuid(octets) = self { Ok(*octets) } else { Err(self.unfit("Uuid")) }
    }

    pub fn float64(&self) -> Result<f64, Failure> {
        if let Self::Float64(bits) = self { Ok(f64::from_bits(*bits)) } else { Err(self.unfit("f64")) }
    }

    pub fn list(&self) -> Result<&[Value], Failure> {
        if let Self::List(items) = self { Ok(items) } else { Err(self.unfit("Vec<T>")) }
    }

    /// None for null, else what `of` makes of it.
    pub fn nullable<'a, T>(&'a self, of: impl FnOnce(&'a Self) -> Result<T, Failure>) -> Result<Option<T>, Failure> {
        if *self == Self::Null { Ok(None) } else { of(self).map(Some) }
    }

    /// A struct's field, null where it has none.
    pub fn field(&self, name: &str) -> &Value {
        let Self::Struct(fields) = self else { return &Self::Null };
        fields.iter().find(|(one, _)| one == name).map_or(&Self::Null, |(_, value)| value)
    }

    /// Refuses a struct with other fields than these: a struct of Rust's has no room for them.
    pub fn only(&self, names: &[&str]) -> Result<(), Failure> {
        let Self::Struct(fields) = self else { return Err(self.unfit("a struct")) };
        match fields.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            Some((name, _)) => Err(refused("unknown-field", &format!("the struct has no field for {name}"))),
            None => Ok(()),
        }
    }

    /// That a type of Rust's does not hold this: null, as nothing else of a wrong type is ever asked.
    fn unfit(&self, holder: &str) -> Failure {
        match self {
            Self::Null => refused("null-not-allowed", &format!("{holder} holds no null")),
            _ => Failure::NoQuestion(format!("{holder} in the place of a {self:?}")),
        }
    }
}

/// The value of an object that stands for no struct.
fn marked(object: &Map<String, Json>) -> Result<Option<Value>, Failure> {
    let mut members = object.iter();
    let (Some((name, Json::String(text))), None) = (members.next(), members.next()) else { return Ok(None) };
    let bad = || Failure::NoQuestion(format!("{text:?} is no {name}"));
    Ok(Some(match name.as_str() {
        // What is too large for any type of the protocol may as well be the largest.
        "int" => Value::Integer(text.parse().unwrap_or(if text.starts_with('-') { i128::MIN } else { i128::MAX })),
        "hex" => Value::Octets(from_hex(text).ok_or_else(bad)?),
        "uuid" => Value::Uuid(from_hex(&text.replace('-', "")).and_then(|octets| octets.try_into().ok()).ok_or_else(bad)?),
        "float64" => Value::Float64(u64::from_str_radix(text, 16).map_err(|_| bad())?),
        _ => return Ok(None),
    }))
}

pub(crate) fn in_hex(octets: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    octets.iter().flat_map(|octet| [DIGITS[usize::from(octet >> 4)], DIGITS[usize::from(octet & 15)]]).map(char::from).collect()
}

pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |one: u8| char::from(one).to_digit(16);
    let octet = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8);
    text.as_bytes().chunks(2).map(octet).collect()
}

/// A struct.
pub fn fields<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Struct(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A pair, such as a tag and its content.
pub fn pair(first: Value, second: Value) -> Value {
    Value::List(vec![first, second])
}

macro_rules! from_integers {
    ($($number:ty)*) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Integer(number.into())
            }
        }
    )*};
}
from_integers!(i8 i16 i32 i64 u16 u32);

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float64(number.to_bits())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&[u8]> for Value {
    fn from(octets: &[u8]) -> Self {
        Self::Octets(octets.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
