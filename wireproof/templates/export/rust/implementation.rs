//! Your implementation: put calls of your library here, and leave out what it does not have. As an example it has the type
//! VARINT.

use crate::wireproof::{Answer, Implementation, Question, Value, not_offered, refused};

pub struct Example;

pub const IMPLEMENTATION: Example = Example;

fn demand_varint(question: &Question) -> Answer<()> {
    if question.dialect == "kafka" && question.type_name == "VARINT" { Ok(()) } else { Err(not_offered(&question.type_name)) }
}

impl Implementation for Example {
    fn decode(&self, question: &Question) -> Answer<Value> {
        demand_varint(question)?;
        let size = 1 + question.bytes.iter().take_while(|byte| **byte >= 0x80).count();
        if size > 5 {
            return Err(refused("varint-overflow", Some(0), "a VARINT has at most five bytes"));
        }
        match question.bytes.len() {
            there if there < size => return Err(refused("truncated", Some(0), "the last byte says that more come")),
            there if there > size => return Err(refused("trailing-bytes", Some(size), "bytes after a VARINT")),
            _ => {}
        }
        let bits = question.bytes.iter().rev().fold(0, |bits, byte| bits << 7 | u64::from(byte & 0x7f));
        let bits = u32::try_from(bits).map_err(|_| refused("varint-overflow", Some(0), "a VARINT has 32 bits"))?;
        Ok(Value::Int(((bits >> 1) as i32 ^ -((bits & 1) as i32)).into()))
    }

    fn encode(&self, question: &Question) -> Answer<Vec<u8>> {
        demand_varint(question)?;
        let number = question.value.int().and_then(|number| i32::try_from(number).ok());
        let number = number.ok_or_else(|| refused("out-of-range", None, "no int32"))?;
        let mut left = (number << 1 ^ number >> 31) as u32;
        let mut bytes = Vec::new();
        while left > 0x7f {
            bytes.push(left as u8 & 0x7f | 0x80);
            left >>= 7;
        }
        bytes.push(left as u8);
        Ok(bytes)
    }
}
