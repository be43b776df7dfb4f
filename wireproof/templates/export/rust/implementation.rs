//! Your implementation: put calls of your library here, and leave out what it does not have. As an example it offers INT16.

use crate::wireproof::{Answer, Implementation, Question, Value, not_offered, refused};

pub struct Example;

pub const IMPLEMENTATION: Example = Example;

fn demand_int16(question: &Question) -> Answer<()> {
    if question.dialect == "kafka" && question.type_name == "INT16" { Ok(()) } else { Err(not_offered(&question.type_name)) }
}

impl Implementation for Example {
    fn decode(&self, question: &Question) -> Answer<Value> {
        demand_int16(question)?;
        match question.bytes[..] {
            [high, low] => Ok(Value::Int(i16::from_be_bytes([high, low]).into())),
            [_, _, ..] => Err(refused("trailing-bytes", Some(2), "an INT16 has two bytes")),
            _ => Err(refused("truncated", Some(0), "an INT16 has two bytes")),
        }
    }

    fn encode(&self, question: &Question) -> Answer<Vec<u8>> {
        demand_int16(question)?;
        let number = question.value.int().and_then(|number| i16::try_from(number).ok());
        number.map(|number| number.to_be_bytes().to_vec()).ok_or_else(|| refused("out-of-range", None, "no INT16"))
    }
}
