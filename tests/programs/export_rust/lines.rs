//! Speaks the kit's line protocol (docs/reference/contract.md) for an implementation.rs of an exported test.

#[path = "../tests/codec/implementation.rs"]
mod implementation;
#[path = "../tests/codec/wireproof.rs"]
mod wireproof;

use crate::wireproof::{Answer, Failure, Implementation, Question, Value, hex, unhex};
use serde_json::{Value as Json, json};
use std::io::{BufRead, Write};

const OPS: [&str; 8] = ["decode", "encode", "recode", "lookup", "serve", "interpret", "negotiate", "evolve"];

fn range(json: &Json) -> Option<(i32, i32)> {
    Some((json[0].as_i64()? as i32, json[1].as_i64()? as i32))
}

fn question(asked: &Json) -> Question {
    let text = |name: &str| asked[name].as_str().unwrap_or_default().to_owned();
    let bytes = |json: &Json| json.as_str().and_then(unhex);
    let value = |name: &str| Value::from_json(asked[name].clone());
    Question {
        dialect: text("dialect"),
        type_name: text("type"),
        version: asked["version"].as_i64().map(|version| version as i32),
        bytes: bytes(&asked["data"]).unwrap_or_default(),
        value: value("value"),
        key: value("key"),
        to: text("to"),
        position: 0, // no codec that is asked so has consume
        isolation: String::new(),
        aborted: Vec::new(),
        chunks: asked["chunks"].as_array().into_iter().flatten().filter_map(bytes).collect(),
        request: bytes(&asked["request"]).unwrap_or_default(),
        response: bytes(&asked["response"]),
        api_key: asked["api_key"].as_i64().map(|key| key as i32),
        client: range(&asked["client"]),
        broker: range(&asked["broker"]),
        old: value("old"),
        new: value("new"),
        settings: value("settings"),
    }
}

fn answer(op: &str, asked: &Question) -> Answer<Json> {
    let it = &implementation::IMPLEMENTATION;
    let data = |bytes: Vec<u8>| json!({"data": hex(&bytes)});
    Ok(match op {
        "decode" => json!({"value": it.decode(asked)?.to_json()}),
        "encode" => data(it.encode(asked)?),
        "recode" => data(it.recode(asked)?),
        "lookup" => json!({"value": Value::Array(it.lookup(asked)?).to_json()}),
        "serve" => it.serve(asked).map(|(sent, closed)| json!({"sent": hex(&sent), "closed": closed}))?,
        "interpret" => json!({"outcome": it.interpret(asked)?.to_json()}),
        "negotiate" => json!({"version": it.negotiate(asked)?}),
        "evolve" => json!({"breaks": it.evolve(asked)?}),
        _ => return Err(Failure::NotOffered(op.to_owned())),
    })
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let asked: Json = serde_json::from_str(&line.expect("a line")).expect("a question");
        let op = asked["op"].as_str().expect("an op");
        let mut said = match answer(op, &question(&asked)) {
            _ if op == "describe" => {
                let rebuilds = json!({"RecordBatch": implementation::IMPLEMENTATION.rebuilds("RecordBatch")});
                json!({"name": "small codec", "version": "1", "language": "rust", "ops": OPS, "rebuilds": rebuilds})
            }
            Ok(answer) => answer,
            Err(Failure::NotOffered(why)) => json!({"unsupported": why}),
            Err(Failure::Refused { reason, offset, text, while_writing }) => {
                let mut reject = json!({"reason": reason, "offset": offset, "detail": text});
                if op == "recode" {
                    reject["half"] = json!(if while_writing { "encode" } else { "decode" });
                }
                json!({"reject": reject})
            }
        };
        if op != "describe" {
            said["seq"] = asked["seq"].clone();
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "{said}").and_then(|()| out.flush()).expect("somebody reads");
    }
}
