//! Verdicts, by the rules of docs/reference/export-format.md of Wireproof; comments with numbers name them.
//!
//! SPDX-License-Identifier: Apache-2.0. @versions@.

use crate::frames;
use crate::wireproof::{Answer, Failure, Implementation, Question, Value, unhex};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Unknown: it cannot be compared here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Matched {
    Yes,
    No,
    Unknown,
}

impl From<bool> for Matched {
    fn from(truth: bool) -> Self {
        if truth { Self::Yes } else { Self::No }
    }
}

/// How values are compared.
#[derive(Clone, Copy, Default)]
pub struct Manner<'a> {
    /// The paths of fields that an answer may leave out.
    pub optional: &'a [Value],
    /// The names of fields that the library's writer sets itself.
    pub rebuilt: &'a [&'a str],
    /// Whether both values were decoded from written bytes: then fields that are rebuilt or derived are not compared.
    pub written: bool,
    /// Whether texts are equal that show the same bytes. (4)
    pub fold: bool,
}

/// Fields that follow from the others. A value has none of them; an answer may, and also "magic".
const DERIVED: [&str; 6] = ["size", "length", "batchLength", "crc", "recordsCount", "headersCount"];
const REPLACEMENT: char = '\u{fffd}';

/// Whether an answer is equal to what was expected.
pub fn same(expected: &Value, answer: &Value, how: Manner) -> bool {
    same_at(expected, answer, how, "")
}

fn folded(text: &str) -> String {
    let mut out = String::new();
    for one in text.chars() {
        if one != REPLACEMENT || !out.ends_with(REPLACEMENT) {
            out.push(one);
        }
    }
    out
}

/// Whether bytes have a U+FFFD.
fn shows(bytes: &[u8]) -> bool {
    bytes.windows(REPLACEMENT.len_utf8()).any(|window| window == "\u{fffd}".as_bytes())
}

/// The answer of a decode with the keys of headers as text, if they are bytes that are UTF-8.
fn with_text_keys(type_name: &str, answer: &Value) -> Value {
    match (type_name, answer) {
        ("HEADERS", Value::Array(headers)) => {
            Value::Array(headers.iter().map(|header| with_text_keys("HEADER", header)).collect())
        }
        ("HEADER", Value::Array(pair)) => match &pair[..] {
            [Value::Bytes(key), item] => {
                let key = String::from_utf8(key.clone()).map_or(Value::Bytes(key.clone()), Value::Text);
                Value::Array(vec![key, item.clone()])
            }
            _ => answer.clone(),
        },
        _ => answer.clone(),
    }
}

fn same_at(expected: &Value, answer: &Value, how: Manner, path: &str) -> bool {
    match (expected, answer) {
        (Value::Text(one), Value::Text(other)) if how.fold && one.contains(REPLACEMENT) => folded(one) == folded(other),
        (Value::Text(one), Value::Bytes(other)) if how.fold && one.contains(REPLACEMENT) => {
            folded(one) == folded(&String::from_utf8_lossy(other))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .enumerate()
                    .all(|(index, (one, other))| same_at(one, other, how, &format!("{path}[{index}]")))
        }
        (Value::Struct(left), Value::Struct(right)) => {
            let empty = |name: &str, item: &Value| name == "_tags" && *item == Value::Array(Vec::new());
            let rebuilt = |name: &str| how.rebuilt.contains(&name);
            let without = |name: &str| how.written && (rebuilt(name) || DERIVED.contains(&name));
            let surplus = |name: &str| name == "magic" || DERIVED.contains(&name) || without(name);
            left.iter().filter(|(name, _)| !without(name)).all(|(name, item)| {
                let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match answer.get(name) {
                    Some(there) if name == "headers" => {
                        let keyed = |headers: &Value| with_text_keys("HEADERS", headers);
                        same_at(&keyed(item), &keyed(there), how, &place)
                    }
                    Some(there) => same_at(item, there, how, &place),
                    None if name == "_tags" => empty(name, item),
                    None => rebuilt(name) || how.optional.iter().any(|one| one.text() == Some(&place)),
                }
            }) && right.iter().all(|(name, item)| expected.get(name).is_some() || empty(name, item) || surplus(name))
        }
        _ => expected == answer,
    }
}

/// Whether this is what an application has to be given. Types of timestamps may be left out of all records.
fn is_delivered(expected: &Value, answer: &Value, fold: bool) -> bool {
    let told = answer.get("records").is_some_and(|records| records.items().iter().any(|one| one.get("timestamp_type").is_some()));
    let rebuilt: &[&str] = if told { &[] } else { &["timestamp_type"] };
    same(expected, answer, Manner { rebuilt, written: true, fold, ..Manner::default() })
}

/// What an implementation did.
#[derive(Debug)]
enum Seen {
    Answer(Value),
    Refused { text: String, while_writing: bool },
    NotOffered(String),
    Crash(String),
}

/// A verdict: pass, contested, skip, fail or crash; the op that was asked; and a text for a person.
pub struct Verdict {
    pub verdict: &'static str,
    pub op: String,
    pub text: String,
}

/// The files of a dialect beside its vectors.
pub struct Dialect {
    pub name: String,
    pub frames: Option<Value>,
    pub is_configured: bool,
}

/// What is asked in the course of a case besides its own op: the twin, whose crash is not the case's, or another op.
pub enum Step {
    Twin,
    Op(&'static str),
}

/// A judge of one implementation. `before`: called before a step.
pub struct Judge<'a> {
    pub implementation: &'a dyn Implementation,
    pub before: &'a dyn Fn(Step),
}

fn text_of(line: &Value, name: &str) -> String {
    line.get(name).and_then(Value::text).unwrap_or_default().to_owned()
}

fn range_of(value: Option<&Value>) -> Option<(i32, i32)> {
    match value?.items() {
        [lowest, highest] => Some((lowest.int()? as i32, highest.int()? as i32)),
        _ => None,
    }
}

/// The question that a line asks, or its twin: what a twin does not say is the line's, but for its version.
pub fn question(dialect: &str, line: &Value, from: &Value) -> Question {
    let value = |name| from.get(name).cloned().unwrap_or(Value::Null);
    let bytes = |value: Option<&Value>| value.and_then(Value::bytes).map(<[u8]>::to_vec);
    let number = |of: &Value, name| of.get(name).and_then(Value::int).unwrap_or_default() as i64;
    Question {
        dialect: dialect.to_owned(),
        type_name: text_of(line, "type"),
        version: from.get("version").and_then(Value::int).map(|version| version as i32),
        bytes: from.get("bytes").and_then(Value::text).and_then(unhex).unwrap_or_default(),
        value: value("value"),
        key: value("key"),
        to: text_of(from, "to"),
        position: number(from, "position"),
        isolation: text_of(from, "isolation"),
        aborted: value("aborted").items().iter().map(|one| (number(one, "producer_id"), number(one, "first_offset"))).collect(),
        chunks: value("chunks").items().iter().filter_map(|one| bytes(Some(one))).collect(),
        request: bytes(from.get("request")).unwrap_or_default(),
        response: bytes(from.get("response")),
        api_key: from.get("api_key").and_then(Value::int).map(|key| key as i32),
        client: range_of(from.get("client")),
        broker: range_of(from.get("broker")),
        old: value("old"),
        new: value("new"),
        settings: value("settings"),
    }
}

thread_local! {
    /// What the last panic of this thread said.
    pub static PANICKED: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

impl Judge<'_> {
    fn ask(&self, op: &str, asked: &Question) -> Seen {
        let it = self.implementation;
        let bytes = |answer: Answer<Vec<u8>>| answer.map(Value::Bytes);
        let call = || -> Answer<Value> {
            match op {
                "decode" => it.decode(asked),
                "encode" => bytes(it.encode(asked)),
                "recode" => bytes(it.recode(asked)),
                "convert" => bytes(it.convert(asked)),
                "lookup" => it.lookup(asked).map(Value::Array),
                "consume" => it.consume(asked),
                "serve" => it.serve(asked).map(|(sent, closed)| {
                    Value::Struct(vec![("sent".into(), Value::Bytes(sent)), ("closed".into(), Value::Bool(closed))])
                }),
                "interpret" => it.interpret(asked),
                "negotiate" => it.negotiate(asked).map(|choice| choice.map_or(Value::Null, |one| Value::Int(one.into()))),
                "evolve" => it.evolve(asked).map(|breaks| Value::Array(breaks.into_iter().map(Value::Text).collect())),
                "produce" => Err(Failure::NotOffered("produce: batches would have to be read here".into())),
                _ => Err(Failure::NotOffered(format!("{op} is unknown"))),
            }
        };
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(Ok(answer)) => Seen::Answer(answer),
            Ok(Err(Failure::NotOffered(text))) => Seen::NotOffered(text),
            Ok(Err(Failure::Refused { reason, offset, text, while_writing })) => {
                let at = offset.map_or(String::new(), |offset| format!(" at byte {offset}"));
                let how = if while_writing { "read, then refused on write" } else { "a refusal" };
                let text = format!("{how}: {}{at} {text}", reason.unwrap_or_default());
                Seen::Refused { text, while_writing: while_writing && op == "recode" }
            }
            Err(_) => Seen::Crash(PANICKED.take()), // 3
        }
    }

    /// 1: whether the line's twin is accepted, or it has none for this op.
    fn is_twin_accepted(&self, of: &Dialect, line: &Value, op: &str) -> bool {
        let needed = match op {
            "encode" => "value",
            "evolve" => "new",
            _ => "bytes",
        };
        let Some(twin) = line.get("twin").filter(|twin| twin.get(needed).is_some()) else { return true };
        (self.before)(Step::Twin);
        matches!(self.ask(op, &question(&of.name, line, twin)), Seen::Answer(_))
    }

    fn rebuilt(&self, line: &Value) -> &'static [&'static str] {
        self.implementation.rebuilds(&text_of(line, "type"))
    }

    /// Whether this is what decode has to answer.
    fn is_decoded(&self, line: &Value, value: &Value, answer: &Value, fold: bool) -> bool {
        let optional = line.get("optional").map_or(&[][..], Value::items);
        let how = Manner { optional, rebuilt: self.rebuilt(line), written: false, fold };
        same(value, &with_text_keys(&text_of(line, "type"), answer), how)
    }

    /// 7, 8
    fn are_bytes(&self, of: &Dialect, line: &Value, op: &str, from: (&Value, &str), answer: &Value, fold: bool) -> Matched {
        let expected = from.0.get(from.1).and_then(Value::text).and_then(unhex);
        let (Some(expected), Some(answer)) = (expected, answer.bytes()) else { return Matched::No };
        if expected == answer {
            return Matched::Yes;
        }
        let rebuilt = self.rebuilt(line);
        let replaced = fold && shows(&expected) && shows(answer);
        if text_of(line, "compare") != "decoded" && (rebuilt.is_empty() || op == "convert") && !replaced {
            return Matched::No;
        }
        let mut asked = question(&of.name, line, line);
        if let Some(form) = line.get("as") {
            (asked.dialect, asked.type_name) = (text_of(form, "dialect"), text_of(form, "type"));
            asked.version = form.get("version").and_then(Value::int).map(|version| version as i32);
        }
        asked.bytes = expected;
        let Seen::Answer(left) = self.ask("decode", &asked) else { return Matched::Unknown };
        if from.0.get("value").is_some_and(|value| !self.is_decoded(line, value, &left, fold)) {
            return Matched::Unknown;
        }
        asked.bytes = answer.to_vec();
        let Seen::Answer(right) = self.ask("decode", &asked) else { return Matched::No };
        let optional = line.get("optional").map_or(&[][..], Value::items);
        same(&left, &right, Manner { optional, rebuilt, written: true, fold }).into()
    }

    fn frame_matches(&self, of: &Dialect, pattern: &Value, frame: &[u8], marks: &mut frames::Marks) -> Matched {
        let type_name = text_of(pattern, "type");
        let version = pattern.get("version").and_then(Value::int);
        let name = format!("{type_name}/{}", version.map_or("-".to_owned(), |version| version.to_string()));
        let read = match of.frames.as_ref().and_then(|layouts| layouts.get(&name)) {
            Some(layout) => frames::read(layout, frame),
            None => {
                let mut asked = question(&of.name, pattern, pattern);
                asked.bytes = frame.to_vec();
                match self.ask("decode", &asked) {
                    Seen::Answer(value) => Some(value),
                    Seen::NotOffered(_) => return Matched::Unknown,
                    _ => None,
                }
            }
        };
        let Some(value) = read else { return Matched::No };
        frames::value_matches(pattern.get("value").unwrap_or(&Value::Null), &value, marks).into()
    }

    /// Whether an answer is what `from` says: the line, or another reading in it.
    fn is_answer(&self, of: &Dialect, line: &Value, from: &Value, reading: bool, op: &str, answer: &Value) -> Matched {
        let plain = Manner { fold: reading, ..Manner::default() };
        let is = |name| from.get(name).is_some_and(|one| same(one, answer, plain)).into();
        let bytes = |name| self.are_bytes(of, line, op, (from, if reading { "bytes" } else { name }), answer, reading);
        match op {
            "decode" => from.get("value").is_some_and(|one| self.is_decoded(line, one, answer, reading)).into(),
            "lookup" => is(if reading { "value" } else { "values" }),
            "consume" => from.get("delivers").is_some_and(|one| is_delivered(one, answer, reading)).into(),
            "encode" | "recode" => bytes("canonical"),
            "convert" => bytes("gives"),
            "negotiate" => is("chooses"),
            "evolve" => from.get("breaks").is_some_and(|one| one.items().is_empty() == answer.items().is_empty()).into(),
            "interpret" => {
                let Some(outcome) = from.get("outcome") else { return Matched::No };
                let malformed = text_of(outcome, "outcome") == "malformed";
                let fits = |name: &&str| match (outcome.get(name), answer.get(name)) {
                    (None, _) => true,
                    (Some(_), None) => *name == "request" && malformed,
                    (Some(one), Some(there)) => one == there,
                };
                ["outcome", "version", "error", "request"].iter().all(fits).into()
            }
            _ => {
                let (Some(sends), Some(Value::Bytes(sent))) = (from.get("sends"), answer.get("sent")) else {
                    return Matched::No;
                };
                if from.get("closes") != answer.get("closed") {
                    return Matched::No;
                }
                frames::are_sent(sends.items(), sent, &|pattern, frame, marks| self.frame_matches(of, pattern, frame, marks))
            }
        }
    }

    fn verdict(&self, of: &Dialect, line: &Value, op: &str) -> Verdict {
        let made = |verdict, text: String| Verdict { verdict, op: op.to_owned(), text };
        let refused_twin = || made("skip", "its valid twin was not accepted".into());
        let seen = self.ask(op, &question(&of.name, line, line));
        let (refused, while_writing) = match &seen {
            Seen::NotOffered(text) => return made("skip", text.clone()), // 5
            Seen::Crash(text) => return made("crash", format!("{text}: {}", described(line, op, None))),
            Seen::Refused { while_writing, .. } => (true, *while_writing),
            Seen::Answer(_) => (false, false),
        };
        let must = line.get("reject").is_some();
        let may = line.get("or_reject").is_some() && op == "encode";
        if refused && !while_writing && (must || may) {
            return if self.is_twin_accepted(of, line, op) { made("pass", format!("{seen:?}")) } else { refused_twin() }; // 2
        }
        let mut found = match &seen {
            Seen::Answer(answer) if !must => self.is_answer(of, line, line, false, op, answer),
            _ => Matched::No,
        };
        if found == Matched::Yes {
            return made("pass", String::new());
        }
        for reading in line.get("contested").map_or(&[][..], Value::items) {
            if !names_op(reading, op) {
                continue;
            }
            let taken = match &seen {
                Seen::Answer(_) if reading.get("accepts").is_some() => Matched::Yes,
                Seen::Answer(answer) => self.is_answer(of, line, reading, true, op, answer),
                // "decode": not of a recode that read the bytes.
                _ => reading.get("refuses").is_some_and(|one| one.is_true() || !while_writing).into(),
            };
            if taken == Matched::Yes {
                if refused && !self.is_twin_accepted(of, line, op) {
                    return refused_twin();
                }
                let rulings: Vec<_> =
                    reading.get("rulings").map_or(&[][..], Value::items).iter().filter_map(Value::text).collect();
                let chosen = self.implementation.readings();
                return match rulings.iter().find(|one| chosen.is_some_and(|chosen| !chosen.contains(one))) {
                    Some(ruling) => made("fail", format!("another reading of {ruling}, which readings() does not name")),
                    None => made("contested", rulings.join(", ")), // 4
                };
            }
            if taken == Matched::Unknown {
                found = taken;
            }
        }
        if found == Matched::Unknown {
            return made("skip", "the answer cannot be compared without decode of its type".into());
        }
        made("fail", described(line, op, Some(&seen)))
    }

    /// The verdict on an op of a line.
    pub fn judge(&self, of: &Dialect, line: &Value, op: &str) -> Verdict {
        if line.get("needs").is_some() && !of.is_configured {
            return Verdict { verdict: "skip", op: op.to_owned(), text: "it needs settings: no configure".into() };
        }
        let found = self.verdict(of, line, op);
        // 5: bytes that have to be refused are asked by recode where there is no decode.
        if found.verdict == "skip" && op == "decode" && text_of(line, "kind") == "invalid" && names_op(line, "recode") {
            let twin = line.get("twin").unwrap_or(line);
            if matches!(self.ask("decode", &question(&of.name, line, twin)), Seen::NotOffered(_)) {
                (self.before)(Step::Op("recode"));
                let again = self.verdict(of, line, "recode");
                if again.verdict != "skip" {
                    return again;
                }
            }
        }
        found
    }
}

/// Whether the `ops` of a line or of a reading have this one.
pub fn names_op(of: &Value, op: &str) -> bool {
    of.get("ops").is_some_and(|ops| ops.items().iter().any(|one| one.text() == Some(op)))
}

/// What a person has to see of a case that fails: what was asked, demanded and got.
pub fn describe(line: &Value, op: &str) -> String {
    described(line, op, None)
}

fn described(line: &Value, op: &str, seen: Option<&Seen>) -> String {
    let show = |value: &Value| {
        let text = value.text().map_or_else(|| value.to_json().to_string(), str::to_owned);
        match text.char_indices().nth(400) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    let valid = text_of(line, "kind") == "valid";
    let mut out = format!("{}\n  {op} {}", text_of(line, "about"), text_of(line, "type"));
    if let Some(version) = line.get("version") {
        out += &format!(" {}", show(version));
    }
    let asked = ["bytes", "value", "key", "to", "position", "isolation", "aborted", "chunks", "request", "response", "api_key", "client", "broker", "old", "new"];
    for name in asked {
        if let Some(value) = line.get(name).filter(|_| !valid || name != if op == "encode" { "bytes" } else { "value" }) {
            out += &format!("\n  {name:<9} {}", show(value));
        }
    }
    let demanded = match op {
        _ if line.get("reject").is_some() => &["reject"][..],
        "decode" => &["value"],
        "encode" | "recode" => &["canonical"],
        "serve" => &["sends", "closes"],
        _ => &["values", "gives", "delivers", "outcome", "chooses", "breaks"],
    };
    for value in demanded.iter().filter_map(|name| line.get(name)) {
        out += &format!("\n  expected: {}", show(value));
    }
    match seen {
        Some(Seen::Answer(answer)) => out += &format!("\n  got:      {}", show(answer)),
        Some(Seen::Refused { text, .. }) => out += &format!("\n  got:      {text}"),
        _ => {}
    }
    out + &format!("\n  source:   {}", text_of(line, "source"))
}
