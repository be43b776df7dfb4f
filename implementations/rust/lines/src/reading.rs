//! The conversation: lines in, lines out.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread;

use crate::wrapper::Wrapper;

/// Lines that wait at most, while others are answered.
const WAITING: usize = 4_096;
/// Bytes of a line at most: the kit asks none that is nearly as long.
const LONGEST: u64 = 1 << 28;
/// Bytes of answers that are kept back at most.
const FULL: usize = 1 << 16;
/// Characters of a bad line that are shown.
const EXCERPT: usize = 200;

/// A wrapper's program: it answers until stdin ends.
pub fn run(wrapper: &Wrapper) -> ExitCode {
    if std::env::args_os().len() > 1 {
        eprintln!("usage: wrapper (it takes no arguments)");
        return ExitCode::from(2);
    }
    panic::set_hook(Box::new(|panicked| eprintln!("{}", text_of(panicked))));
    match converse(wrapper, io::stdin(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// As Rust has it, without the number of the thread, and without the folder of the user's where the sources are.
fn text_of(panicked: &PanicHookInfo) -> String {
    let message = panicked.payload_as_str().unwrap_or("(no text)");
    match panicked.location() {
        Some(place) => {
            let file = place.file();
            let shown =
                file.split_once("registry/src/").and_then(|(_, rest)| rest.split_once('/')).map_or(file, |(_, rest)| rest);
            format!("panicked at {shown}:{}:\n{message}", place.line())
        }
        None => format!("panicked:\n{message}"),
    }
}

/// Answers until the questions end. An error is a line that is no question, or an end of the output.
pub(crate) fn converse(wrapper: &Wrapper, input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(FULL, output);
    let (sender, lines) = mpsc::sync_channel(WAITING);
    thread::spawn(move || read(BufReader::with_capacity(FULL, input), &sender));
    let mut number = 0;
    while let Some(line) = next(&lines, &mut out)? {
        number += 1;
        let line = line?;
        match wrapper.answer(&line) {
            Ok(answer) => writeln!(out, "{answer}")?,
            Err(why) => {
                out.flush()?;
                let shown: String = line.chars().take(EXCERPT).collect();
                return Err(io::Error::other(format!("the conversation broke off: line {number}: {why}: {shown:?}")));
            }
        }
    }
    out.flush()
}

/// The next line, None at the end. Where none is waiting, what was answered is written first.
fn next(lines: &Receiver<io::Result<String>>, out: &mut impl Write) -> io::Result<Option<io::Result<String>>> {
    match lines.try_recv() {
        Ok(line) => Ok(Some(line)),
        Err(TryRecvError::Disconnected) => Ok(None),
        Err(TryRecvError::Empty) => {
            out.flush()?;
            Ok(lines.recv().ok())
        }
    }
}

/// Sends lines, without their ends, until the input ends or fails, or nobody listens.
fn read(mut input: impl BufRead, lines: &SyncSender<io::Result<String>>) {
    loop {
        let mut line = String::new();
        let whole = match input.by_ref().take(LONGEST).read_line(&mut line) {
            Ok(0) => return,
            Ok(_) if line.ends_with('\n') || (line.len() as u64) < LONGEST => {
                line.truncate(line.trim_end_matches('\n').len());
                Ok(line)
            }
            Ok(_) => Err(io::Error::other(format!("a line has more than {LONGEST} bytes"))),
            Err(error) => Err(error),
        };
        let ends = whole.is_err();
        if lines.send(whole).is_err() || ends {
            return;
        }
    }
}
