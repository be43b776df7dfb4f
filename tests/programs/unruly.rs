//! INT32 decode behind the line protocol, in Rust without a library: right answers, but at the question `ffffffff` it does what
//! its argument names. `says-nothing` describes nothing either.

use std::io::{self, BufRead, Write};
use std::{env, fs, hint, process, thread, time::Duration};

const CULPRIT: &str = "ffffffff";
const MEBIBYTE: usize = 1 << 20;

fn say(line: &str) {
    // As `println!` would, but without a panic when nobody reads any more.
    if writeln!(io::stdout(), "{line}").is_err() {
        process::exit(4);
    }
}

fn hang() -> ! {
    if let Ok(path) = env::var("PROGRAMS_HANGING") {
        let mut noted = fs::OpenOptions::new().append(true).open(path).expect("the file of those that hang");
        writeln!(noted, "{}", process::id()).expect("room in that file");
    }
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

fn eat() -> ! {
    let mut all = Vec::new();
    loop {
        all.push(vec![1_u8; MEBIBYTE]);
        hint::black_box(&all);
    }
}

/// The text of a member of a flat object without escapes, as the kit writes these questions.
fn member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{name}\":"))?;
    rest.trim_start().split([',', '}']).next().map(|text| text.trim().trim_matches('"'))
}

fn main() {
    let manner = env::args().nth(1).expect("a manner");
    let mut kept: Option<String> = None;
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line of text");
        if member(&line, "op") == Some("describe") {
            if manner == "says-nothing" {
                hang();
            }
            say(r#"{"name":"unruly","language":"rust","ops":["decode"],"types":{"kafka":{"INT32":null}}}"#);
            continue;
        }
        let seq = member(&line, "seq").expect("a number");
        let data = member(&line, "data").expect("bytes in hex");
        let value = u32::from_str_radix(data, 16).expect("four bytes") as i32;
        let right = format!(r#"{{"seq":{seq},"value":{value}}}"#);
        match (data == CULPRIT, manner.as_str()) {
            // Each pair of answers in reverse.
            (_, "shuffles") => match kept.take() {
                None => kept = Some(right),
                Some(first) => {
                    say(&right);
                    say(&first);
                }
            },
            (true, "dies") => process::abort(),
            (true, "exits") => process::exit(3),
            (true, "panics") => panic!("nobody catches this"),
            (true, "hangs") => hang(),
            (true, "eats") => eat(),
            (true, "floods") => {
                for _ in 0..100 {
                    io::stdout().write_all(&vec![b'x'; MEBIBYTE]).unwrap_or_else(|_| process::exit(4));
                }
            }
            (true, "prints") => say("decoding …"),
            (true, "twice") => {
                say(&right);
                say(&right);
            }
            _ => say(&right),
        }
    }
}
