//! Asks the implementation in implementation.rs Wireproof's vectors: `cargo test --test wireproof` (see README.md).
//!
//! Cases are judged in a child: this program again, with WIREPROOF_CHILD set. One that ends the child (an abort, a stack that
//! overflows), or does not answer in time, has that as its verdict, and a new child goes on with the next case.
//!
//! SPDX-License-Identifier: Apache-2.0. @versions@.

mod frames;
mod implementation;
mod judge;
mod wireproof;

use crate::judge::{Dialect, Judge, PANICKED, Step, Verdict};
use crate::wireproof::{Implementation, Value};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const OPS: [&str; 11] = [
    "decode", "encode", "recode", "lookup", "convert", "consume", "produce", "serve", "interpret", "negotiate", "evolve",
];
const VERDICTS: [&str; 6] = ["pass", "contested", "skip", "fail", "crash", "hang"];

/// This folder: `file!()` is relative to the crate, or to its workspace.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let here = Path::new(file!()).parent().unwrap_or(Path::new(""));
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|place| place.join(here))
        .find(|place| place.join("vectors/manifest.json").exists())
        .expect("the folder `vectors` of the export")
});

/// How many types of skipped cases are named.
const MOST_TYPES: usize = 10;

/// Before what a child tells: the test runner writes lines too.
const TOLD: &str = "wireproof ";

struct Case {
    dialect: String,
    line: String,
    op: &'static str,
    id: String,
    /// The type; without one, the op.
    type_name: String,
    /// Whether recode is asked where decode is not offered.
    or_recode: bool,
}

impl Case {
    /// Whether the id with its op begins so.
    fn begins(&self, prefix: &str) -> bool {
        let with = |op: &str| format!("{}#{op}", self.id).starts_with(prefix);
        with(self.op) || self.or_recode && with("recode")
    }
}

fn content(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parsed(text: &str, path: &Path) -> Value {
    let json = serde_json::from_str(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Value::from_json(json)
}

/// A file beside the vectors of a dialect, if there is one.
fn beside(path: &Path, name: &str) -> Option<Value> {
    let file = path.with_file_name(name);
    file.exists().then(|| parsed(&content(&file), &file))
}

fn dialect(name: &str) -> Dialect {
    let path = FOLDER.join("vectors").join(name).join("settings.json");
    let mut asked = judge::question(name, &Value::Null, &Value::Null);
    let settings = beside(&path, "settings.json");
    asked.settings = settings.clone().unwrap_or(Value::Null);
    let is_configured = settings.is_some() && implementation::IMPLEMENTATION.configure(&asked).is_ok();
    Dialect { name: name.to_owned(), frames: beside(&path, "frames.json"), is_configured }
}

/// All cases, in the order of the files.
fn cases() -> Vec<Case> {
    let vectors = FOLDER.join("vectors");
    let manifest = parsed(&content(&vectors.join("manifest.json")), &vectors.join("manifest.json"));
    let Some(Value::Struct(files)) = manifest.get("files") else { panic!("manifest.json has no files") };
    let mut found = Vec::new();
    for (name, _) in files.iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        let path = vectors.join(name);
        let dialect = name.split('/').next().unwrap_or_default();
        let text = content(&path);
        let mut lines = text.lines();
        let header = parsed(lines.next().unwrap_or_default(), &path);
        assert_eq!(header.get("wireproof-export"), Some(&Value::Int(1)), "{}: not of format 1", path.display());
        for raw in lines {
            let line = parsed(raw, &path);
            let id = line.get("id").and_then(Value::text).expect("an id").to_owned();
            let invalid = line.get("kind").and_then(Value::text) == Some("invalid");
            for op in OPS.into_iter().filter(|op| judge::names_op(&line, op)) {
                if !(invalid && op == "recode" && judge::names_op(&line, "decode")) {
                    found.push(Case {
                        dialect: dialect.to_owned(),
                        line: raw.to_owned(),
                        op,
                        id: id.clone(),
                        type_name: line.get("type").and_then(Value::text).unwrap_or(op).to_owned(),
                        or_recode: invalid && op == "decode" && judge::names_op(&line, "recode"),
                    });
                }
            }
        }
    }
    found
}

/// What a child does: it reads a dialect, an op and a line, and tells the verdict, until nothing more comes.
fn judge_all() {
    std::panic::set_hook(Box::new(|info| PANICKED.set(format!("it panicked: {info}"))));
    let mut dialects = BTreeMap::new();
    let tell = |told: Json| writeln!(std::io::stdout(), "\n{TOLD}{told}").expect("the parent reads");
    let before = |step| match step {
        Step::Twin => tell(json!({"twin": true})),
        Step::Op(op) => tell(json!({"op": op})),
    };
    let judge = Judge { implementation: &implementation::IMPLEMENTATION, before: &before };
    for asked in std::io::stdin().lines() {
        let asked = asked.expect("the parent writes text");
        let mut parts = asked.splitn(3, '\t');
        let [name, op, line] = [(); 3].map(|()| parts.next().expect("a dialect, an op and a line"));
        let of = dialects.entry(name.to_owned()).or_insert_with(|| dialect(name));
        let found = judge.judge(of, &parsed(line, Path::new("a line")), op);
        tell(json!({"verdict": found.verdict, "op": found.op, "text": found.text}));
    }
}

/// A child that judges, and what it tells.
struct Worker {
    child: Child,
    questions: ChildStdin,
    told: Receiver<Json>,
}

impl Worker {
    fn start() -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .args(["vectors", "--exact", "--test-threads=1"])
            .env("WIREPROOF_CHILD", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child");
        let (questions, answers) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let (tell, told) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                let said = line.strip_prefix(TOLD).and_then(|text| serde_json::from_str(text).ok());
                if said.is_some_and(|said| tell.send(said).is_err()) {
                    return;
                }
            }
        });
        Self { child, questions, told }
    }

    fn send(&mut self, case: &Case) -> std::io::Result<()> {
        writeln!(self.questions, "{}\t{}\t{}", case.dialect, case.op, case.line)
    }

    /// The verdict on a case; this worker is replaced if it gives none.
    fn ask(&mut self, case: &Case, limit: Duration) -> Verdict {
        if self.send(case).is_err() {
            self.replace(); // it ended after its last verdict
            self.send(case).expect("a new child reads");
        }
        let (mut op, mut of_twin) = (case.op.to_owned(), false);
        let ended = loop {
            let told = match self.told.recv_timeout(limit) {
                Ok(told) => told,
                Err(ended) => break ended,
            };
            of_twin = told["twin"] == true;
            if let Some(other) = told["op"].as_str() {
                op = other.to_owned();
            }
            if let Some(verdict) = VERDICTS.into_iter().find(|one| told["verdict"] == *one) {
                return Verdict { verdict, op, text: told["text"].as_str().unwrap_or_default().to_owned() };
            }
        };
        let how = self.replace();
        let text = judge::describe(&parsed(&case.line, Path::new("a line")), &op);
        let made = |verdict, text: String| Verdict { verdict, op, text };
        match ended {
            _ if of_twin => made("skip", "its valid twin was not accepted".to_owned()),
            RecvTimeoutError::Timeout => made("hang", format!("no answer within {} s: {text}", limit.as_secs())),
            RecvTimeoutError::Disconnected => made("crash", format!("the process ended ({how}): {text}")),
        }
    }

    /// Ends the child and starts another one. The answer is how it ended.
    fn replace(&mut self) -> String {
        let _ = self.child.kill(); // it may have ended already
        let how = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        *self = Self::start();
        how
    }
}

/// known.txt: an id, a blank, and why.
fn known() -> BTreeMap<String, String> {
    let path = FOLDER.join("known.txt");
    let text = if path.exists() { content(&path) } else { String::new() };
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let split = |line: &str| {
        let (id, reason) = line.split_once(' ').unwrap_or_else(|| panic!("known.txt: {line}: an id without a reason"));
        (id.to_owned(), reason.to_owned())
    };
    lines.map(split).collect()
}

/// Past the test runner, which shows the output of failures alone.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The command that asks a question alone.
fn say_again(id: &str) {
    say(&format!("  again:    WIREPROOF_ONLY='{id}' cargo test --test {}", env!("CARGO_CRATE_NAME")));
}

/// The types that were skipped most.
fn say_skips(skips: &BTreeMap<&str, usize>) {
    let mut most: Vec<_> = skips.iter().map(|(name, count)| (*count, *name)).collect();
    most.sort_by_key(|(count, name)| (usize::MAX - count, *name));
    let (named, others) = most.split_at(most.len().min(MOST_TYPES));
    let mut words: Vec<_> = named.iter().map(|(count, name)| format!("{count} {name}")).collect();
    if !others.is_empty() {
        let rest: usize = others.iter().map(|(count, _)| count).sum();
        words.push(format!("{rest} of {} other types", others.len()));
    }
    say(&format!("skipped: {}", words.join(", ")));
}

#[test]
fn vectors() {
    ask_all(&std::env::var("WIREPROOF_ONLY").unwrap_or_default());
}

/// With `harness = false` in Cargo.toml this is the program, and its argument the beginning of the ids to ask:
/// `cargo test --test wireproof -- kafka/varints`. The runner's options are for its own harness.
fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let only = words.next().or_else(|| std::env::var("WIREPROOF_ONLY").ok()).unwrap_or_default();
    if let Some(second) = words.next() {
        panic!("{second}: one beginning of ids is asked at a time, and there is {only}");
    }
    ask_all(&only);
}

fn ask_all(only: &str) {
    if std::env::var_os("WIREPROOF_CHILD").is_some() {
        return judge_all();
    }
    let limit = std::env::var("WIREPROOF_TIMEOUT").ok().map_or(10, |text| text.parse().expect("WIREPROOF_TIMEOUT: seconds"));
    let mut limit = Duration::from_secs(limit);
    let mut report = std::env::var("WIREPROOF_REPORT")
        .ok()
        .map(|path| std::fs::File::create(&path).unwrap_or_else(|error| panic!("WIREPROOF_REPORT: {path}: {error}")));
    let (cases, known) = (cases(), known());
    let (mut used, mut counts, mut skips) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
    let (mut excused, mut broken, mut hangs) = (0, 0, 0);
    let mut worker = Worker::start();
    for case in cases.iter().filter(|case| case.begins(only)) {
        let found = worker.ask(case, limit);
        let id = format!("{}#{}", case.id, found.op);
        if let Some(report) = &mut report {
            let line = serde_json::json!({"id": id, "verdict": found.verdict, "text": found.text});
            writeln!(report, "{line}").expect("WIREPROOF_REPORT is written");
        }
        hangs += i32::from(found.verdict == "hang");
        if hangs == 3 && limit > Duration::from_secs(1) {
            limit = Duration::from_secs(1);
            say("wireproof: three cases hung; the others get one second each");
        }
        let deviates = ["fail", "crash", "hang"].contains(&found.verdict);
        match known.get(&id) {
            Some(reason) if deviates => {
                used.insert(id.clone());
                excused += 1;
                say(&format!("known      {id}: {reason}"));
                continue;
            }
            Some(_) => {
                used.insert(id.clone());
                broken += 1;
                say(&format!("STALE      {id}: known.txt lists it, but it ends as {}: take it out", found.verdict));
                say_again(&id);
            }
            None => {}
        }
        *counts.entry(found.verdict).or_insert(0) += 1;
        if deviates {
            broken += 1;
            say(&format!("{:<10} {id}: {}", found.verdict.to_uppercase(), found.text));
            say_again(&id);
        } else if found.verdict == "contested" {
            say(&format!("contested  {id}: {}", found.text));
        } else if found.verdict == "skip" {
            *skips.entry(case.type_name.as_str()).or_insert(0) += 1;
            if !only.is_empty() {
                say(&format!("skip       {id}: {}", found.text));
            }
        }
    }
    drop(worker.questions);
    let _ = worker.child.wait();
    for id in known.keys().filter(|id| only.is_empty() && !used.contains(*id)) {
        broken += 1;
        say(&format!("STALE      {id}: known.txt lists it, but it was not asked"));
    }
    let count = |verdict: &&str| counts.get(verdict).copied().unwrap_or(0);
    let words: Vec<_> = VERDICTS.iter().map(|verdict| format!("{} {verdict}", count(verdict))).collect();
    say(&format!("wireproof: {}, {excused} known", words.join(", ")));
    if !skips.is_empty() {
        say_skips(&skips);
    }
    let asked: i32 = VERDICTS.iter().filter(|one| **one != "skip").map(count).sum();
    if asked + excused == 0 && skips.is_empty() {
        let one = &cases[0];
        panic!("nothing was asked: no id begins with {only}. One is {}#{}: dialect, area, name, op", one.id, one.op);
    }
    assert!(
        asked + excused > 0,
        "nothing was asked: implementation.rs offers no type of those that were chosen. Fill in its functions for one of \
         them, or export the types that it has: wireproof export --type T"
    );
    assert!(broken == 0, "{broken} cases fail: see above");
}
