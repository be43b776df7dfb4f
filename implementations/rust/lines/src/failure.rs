//! What is no answer: a refusal, a question that cannot be put to the library, a line that is no question.

use std::error::Error;

/// Characters of an error's text that are shown.
const SHOWN: usize = 1_000;

/// Why there is no answer.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// A word of the library's, or of Rust's types before it, against these bytes or this value.
    Refused {
        /// One of the contract's reasons, or "" where it is not certain.
        reason: &'static str,
        /// That of the fault, where it is known.
        offset: Option<usize>,
        /// For a person.
        detail: String,
        /// The second half of a recode: the bytes were read, but not written again.
        writing: bool,
    },
    /// The library cannot be asked this.
    NotOffered(String),
    /// A line that is no question. It ends the conversation.
    NoQuestion(String),
}

impl Failure {
    /// A refusal in the second half of a recode.
    pub fn in_writing(self) -> Self {
        match self {
            Self::Refused { reason, offset, detail, .. } => Self::Refused { reason, offset, detail, writing: true },
            other => other,
        }
    }
}

impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        refused_by(&error)
    }
}

/// An error of the library's, with those that caused it.
pub fn refused_by(error: &dyn Error) -> Failure {
    let mut detail = error.to_string().trim_end().to_owned();
    let mut cause = error.source();
    while let Some(error) = cause {
        detail = format!("{detail}: {}", error.to_string().trim_end());
        cause = error.source();
    }
    refused("", &detail.chars().take(SHOWN).collect::<String>())
}

/// A refusal, without an offset.
pub fn refused(reason: &'static str, detail: &str) -> Failure {
    Failure::Refused { reason, offset: None, detail: detail.to_owned(), writing: false }
}

/// The reason why the library cannot be asked.
pub fn not_offered(why: impl Into<String>) -> Failure {
    Failure::NotOffered(why.into())
}

/// A refusal of the bytes that the library's reader has not read, where it tells how many there are; `size` is that of all.
pub fn left_over(size: usize, left: usize) -> Result<(), Failure> {
    if left == 0 {
        return Ok(());
    }
    let detail = format!("{left} bytes left over");
    Err(Failure::Refused { reason: "trailing-bytes", offset: Some(size - left), detail, writing: false })
}
