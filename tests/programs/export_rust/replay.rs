//! An implementation that answers from a table: tests/support/replayed.py makes it.

use crate::wireproof::{Answer, Failure, Implementation, Question, Value, hex, not_offered, unhex};
use serde_json::Value as Json;
use std::sync::LazyLock;

pub struct Table;

pub const IMPLEMENTATION: Table = Table;

static TABLE: LazyLock<Json> = LazyLock::new(|| {
    let content = std::fs::read_to_string("table.json").expect("table.json is in the package");
    serde_json::from_str(&content).expect("table.json is JSON")
});

/// What the table says; with the part of the answer that has this name.
fn look(asked: &[String], name: &str) -> Answer<Json> {
    let found = TABLE.get(asked.join("|")).ok_or_else(|| not_offered("not in the table"))?;
    assert!(found.get("error").is_none(), "it crashed");
    if found.get("unsupported").is_some() {
        return Err(not_offered("not by what is replayed"));
    }
    if found.get("reject").is_some() {
        let text = "it refused".to_owned();
        return Err(Failure::Refused { reason: None, offset: None, text, while_writing: false });
    }
    Ok(found[name].clone())
}

fn parts(op: &str, question: &Question, of_op: &[String]) -> Vec<String> {
    let version = question.version.map_or("-".to_owned(), |version| version.to_string());
    let form = [op.to_owned(), question.dialect.clone(), question.type_name.clone(), version, hex(&question.bytes)];
    [&form[..], of_op].concat()
}

fn of_dialect(op: &str, question: &Question, of_op: &[String]) -> Vec<String> {
    [&[op.to_owned(), question.dialect.clone()][..], of_op].concat()
}

fn octets(digits: &Json) -> Vec<u8> {
    digits.as_str().and_then(unhex).expect("hex digits")
}

fn range(of: Option<(i32, i32)>) -> String {
    of.map_or("null".to_owned(), |(lowest, highest)| format!("[{lowest},{highest}]"))
}

impl Implementation for Table {
    fn decode(&self, question: &Question) -> Answer<Value> {
        look(&parts("decode", question, &[]), "value").map(Value::from_json)
    }

    fn lookup(&self, question: &Question) -> Answer<Vec<Value>> {
        let asked = parts("lookup", question, &[question.key.to_json().to_string()]);
        Ok(Value::from_json(look(&asked, "value")?).items().to_vec())
    }

    fn convert(&self, question: &Question) -> Answer<Vec<u8>> {
        let asked = parts("convert", question, &[Json::from(question.to.as_str()).to_string()]);
        Ok(octets(&look(&asked, "data")?))
    }

    fn consume(&self, question: &Question) -> Answer<Value> {
        let fetch = [hex(&question.bytes), question.position.to_string(), question.isolation.clone()];
        let aborted = question.aborted.iter().map(|(producer, first)| format!("{producer}:{first}"));
        let asked: Vec<_> = fetch.into_iter().chain(aborted).collect();
        look(&of_dialect("consume", question, &asked), "delivered").map(Value::from_json)
    }

    fn serve(&self, question: &Question) -> Answer<(Vec<u8>, bool)> {
        let chunks: Vec<_> = question.chunks.iter().map(|chunk| hex(chunk)).collect();
        let asked = of_dialect("serve", question, &chunks);
        Ok((octets(&look(&asked, "sent")?), look(&asked, "closed")? == true))
    }

    fn interpret(&self, question: &Question) -> Answer<Value> {
        let response = question.response.as_ref().map_or("null".to_owned(), |bytes| hex(bytes));
        look(&of_dialect("interpret", question, &[hex(&question.request), response]), "outcome").map(Value::from_json)
    }

    fn negotiate(&self, question: &Question) -> Answer<Option<i32>> {
        let api_key = question.api_key.map_or("null".to_owned(), |key| key.to_string());
        let asked = of_dialect("negotiate", question, &[api_key, range(question.client), range(question.broker)]);
        Ok(look(&asked, "version")?.as_i64().map(|version| version as i32))
    }

    fn evolve(&self, question: &Question) -> Answer<Vec<String>> {
        let asked = of_dialect("evolve", question, &[question.old.to_json().to_string(), question.new.to_json().to_string()]);
        Ok(look(&asked, "breaks")?.as_array().expect("an array").iter().map(Json::to_string).collect())
    }

    fn configure(&self, _: &Question) -> Answer<()> {
        Ok(())
    }
}
