//! What a broker sent: frames, read by the layouts of frames.json, and the patterns that they have to match.
//!
//! SPDX-License-Identifier: Apache-2.0. @versions@.

use crate::judge::{Manner, Matched, same};
use crate::wireproof::Value;
use std::collections::HashMap;

/// Name → the number that a pattern marked.
pub type Marks = HashMap<String, i128>;

/// Bytes that are read from the front. None: they are no value.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = (self.0.get(..size)?, self.0.get(size..)?);
        self.0 = rest;
        Some(taken)
    }

    fn bits(&mut self, size: usize) -> Option<u64> {
        Some(self.take(size)?.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    fn signed(&mut self, size: usize) -> Option<i64> {
        let unused = 64 - 8 * size as u32;
        Some((self.bits(size)? << unused) as i64 >> unused)
    }

    fn uvarint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.bits(1)?;
            if shift == 28 && byte > 0x0f {
                return None;
            }
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn sized(&mut self, length: i64, nullable: bool, text: bool) -> Option<Value> {
        if length == -1 && nullable {
            return Some(Value::Null);
        }
        let bytes = self.take(usize::try_from(length).ok()?)?.to_vec();
        if text { String::from_utf8(bytes).ok().map(Value::Text) } else { Some(Value::Bytes(bytes)) }
    }

    fn primitive(&mut self, name: &str) -> Option<Value> {
        Some(match name {
            "BOOLEAN" => Value::Bool(self.bits(1)? != 0),
            "INT8" => Value::Int(self.signed(1)?.into()),
            "INT16" => Value::Int(self.signed(2)?.into()),
            "INT32" => Value::Int(self.signed(4)?.into()),
            "INT64" => Value::Int(self.signed(8)?.into()),
            "UINT16" => Value::Int(self.bits(2)?.into()),
            "UINT32" => Value::Int(self.bits(4)?.into()),
            "FLOAT64" => Value::Float64(self.bits(8)?),
            "UUID" => Value::Uuid(self.take(16)?.try_into().ok()?),
            _ => {
                let compact = name.starts_with("COMPACT_");
                let text = name.ends_with("STRING");
                let length = match (compact, text) {
                    (true, _) => self.uvarint()? as i64 - 1,
                    (false, true) => self.signed(2)?,
                    (false, false) => self.signed(4)?,
                };
                return self.sized(length, name.contains("NULLABLE_"), text);
            }
        })
    }

    fn value(&mut self, layout: &Value) -> Option<Value> {
        if let Value::Text(name) = layout {
            return self.primitive(name);
        }
        let is = |name| layout.get(name).is_some_and(Value::is_true);
        if let Some(element) = layout.get("array") {
            let count = if is("compact") { self.uvarint()? as i64 - 1 } else { self.signed(4)? };
            if count == -1 && is("nullable") {
                return Some(Value::Null);
            }
            let count = usize::try_from(count).ok().filter(|count| *count <= self.0.len())?;
            return (0..count).map(|_| self.value(element)).collect::<Option<_>>().map(Value::Array);
        }
        if let Some(pair) = layout.get("pair") {
            return pair.items().iter().map(|one| self.value(one)).collect::<Option<_>>().map(Value::Array);
        }
        let (null, mark) = match layout.get("marker")?.text()? {
            "int8" => (-1, self.signed(1)?),
            "uvarint" => (0, self.uvarint()? as i64),
            _ => (0, 1),
        };
        if mark == null {
            return Some(Value::Null);
        }
        if mark != 1 {
            return None;
        }
        let mut fields = Vec::new();
        for field in layout.get("fields")?.items() {
            fields.push((field.get("name")?.text()?.to_owned(), self.value(field.get("type")?)?));
        }
        let tagged = layout.get("tagged")?.items();
        if is("flexible") {
            self.tags(tagged, &mut fields)?;
        }
        for field in tagged {
            let name = field.get("name")?.text()?;
            if !fields.iter().any(|(one, _)| one == name) {
                fields.push((name.to_owned(), field.get("default")?.clone()));
            }
        }
        Some(Value::Struct(fields))
    }

    fn tags(&mut self, known: &[Value], fields: &mut Vec<(String, Value)>) -> Option<()> {
        let (mut before, mut unknown) = (-1, Vec::new());
        for _ in 0..self.uvarint()? {
            let tag = i128::from(self.uvarint()?);
            let size = self.uvarint()? as usize;
            let mut content = Input(self.take(size)?);
            if tag <= before {
                return None;
            }
            before = tag;
            match known.iter().find(|field| field.get("tag").and_then(Value::int) == Some(tag)) {
                Some(field) => {
                    let value = content.value(field.get("type")?)?;
                    if !content.0.is_empty() {
                        return None;
                    }
                    fields.push((field.get("name")?.text()?.to_owned(), value));
                }
                None => unknown.push(Value::Array(vec![Value::Int(tag), Value::Bytes(content.0.to_vec())])),
            }
        }
        fields.push(("_tags".to_owned(), Value::Array(unknown)));
        Some(())
    }
}

/// The value of a whole frame, by its layout.
pub fn read(layout: &Value, frame: &[u8]) -> Option<Value> {
    let framed = layout.get("framed").is_some_and(Value::is_true);
    let mut input = Input(if framed { &frame[4..] } else { frame });
    let value = input.value(layout.get("type")?)?;
    input.0.is_empty().then_some(value)
}

fn number_matches(pattern: &[(String, Value)], value: &Value, marks: &mut Marks) -> bool {
    let Some(number) = value.int() else { return false };
    for (name, against) in pattern {
        let other = match against {
            Value::Text(mark) => marks.get(mark).copied(),
            _ => against.int(),
        };
        let holds = match (name.as_str(), other) {
            ("greater", Some(other)) => number > other,
            ("less", Some(other)) => number < other,
            ("other_than", Some(other)) => number != other,
            (one, _) => one == "mark",
        };
        if !holds {
            return false;
        }
    }
    if let Some((_, Value::Text(mark))) = pattern.iter().find(|(name, _)| name == "mark") {
        marks.insert(mark.clone(), number);
    }
    true
}

fn some_match<'a>(patterns: impl IntoIterator<Item = (&'a Value, &'a Value)>, marks: &mut Marks) -> bool {
    patterns.into_iter().any(|(pattern, value)| {
        let mut here = marks.clone();
        let matched = value_matches(pattern, value, &mut here);
        if matched {
            *marks = here;
        }
        matched
    })
}

/// Whether a value matches a pattern; then its marks are kept.
pub fn value_matches(pattern: &Value, value: &Value, marks: &mut Marks) -> bool {
    if let Value::Struct(fields) = pattern {
        if let [(form, inner)] = &fields[..] {
            match form.as_str() {
                "any" => return true,
                "either" => return some_match(inner.items().iter().map(|one| (one, value)), marks),
                "none_of" => return !some_match(inner.items().iter().map(|one| (one, value)), marks),
                "contains" => return some_match(value.items().iter().map(|item| (inner, item)), marks),
                _ => {}
            }
        }
        let comparisons = ["greater", "less", "other_than", "mark"];
        if !fields.is_empty() && fields.iter().all(|(name, _)| comparisons.contains(&name.as_str())) {
            return number_matches(fields, value, marks);
        }
        if let Value::Struct(_) = value {
            let none = Value::Array(Vec::new());
            return fields.iter().all(|(name, inner)| match value.get(name).or((name == "_tags").then_some(&none)) {
                Some(there) => value_matches(inner, there, marks),
                None => false,
            });
        }
    }
    if let (Value::Array(patterns), Value::Array(items)) = (pattern, value) {
        return patterns.len() == items.len()
            && patterns.iter().zip(items).all(|(inner, item)| value_matches(inner, item, marks));
    }
    same(pattern, value, Manner::default())
}

type FrameMatches<'a> = &'a dyn Fn(&Value, &[u8], &mut Marks) -> Matched;

/// Whether these frames match the patterns of a group in any order.
fn group_matches(patterns: &[Value], frames: &[&[u8]], marks: &mut Marks, matches: FrameMatches) -> Matched {
    let Some((pattern, others)) = patterns.split_first() else { return Matched::Yes };
    for (index, frame) in frames.iter().enumerate() {
        let mut here = marks.clone();
        let mut matched = matches(pattern, frame, &mut here);
        if matched == Matched::Yes {
            let left: Vec<&[u8]> = frames.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, one)| *one).collect();
            matched = group_matches(others, &left, &mut here, matches);
        }
        if matched == Matched::Yes {
            *marks = here;
        }
        if matched != Matched::No {
            return matched;
        }
    }
    Matched::No
}

/// Whether all that was sent are frames that match.
pub fn are_sent(sends: &[Value], mut sent: &[u8], matches: FrameMatches) -> Matched {
    let mut marks = Marks::new();
    let any = |pattern: &Value| pattern.get("order").and_then(Value::text) == Some("any");
    let mut at = 0;
    while let Some(pattern) = sends.get(at) {
        if let Value::Bytes(exact) = pattern {
            let Some(rest) = sent.strip_prefix(&exact[..]) else { return Matched::No };
            sent = rest;
            at += 1;
            continue;
        }
        let count = if any(pattern) { sends[at..].iter().take_while(|one| any(one)).count() } else { 1 };
        let mut frames = Vec::new();
        for _ in 0..count {
            let size = Input(sent).signed(4).and_then(|size| usize::try_from(size).ok());
            let Some(frame) = size.and_then(|size| sent.get(..4 + size)) else { return Matched::No };
            sent = &sent[frame.len()..];
            frames.push(frame);
        }
        let matched = group_matches(&sends[at..at + count], &frames, &mut marks, matches);
        if matched != Matched::Yes {
            return matched;
        }
        at += count;
    }
    if sent.is_empty() { Matched::Yes } else { Matched::No }
}
