//! The line protocol (docs/reference/contract.md): questions on stdin, answers on stdout, a JSON object per line. A program
//! gives [`run`] a [`Wrapper`].
//!
//! A thread reads lines while others are answered. Questions are answered in their order; answers are written as soon as no
//! whole question is waiting. A panic of the library ends the process, as it would end its user's: the kit sees that, and asks
//! a new process.

mod failure;
mod reading;
mod value;
mod wrapper;

pub use failure::{Failure, left_over, not_offered, refused, refused_by};
pub use reading::run;
pub use value::{Value, fields, pair};
pub use wrapper::{Asked, Codec, Decode, Encode, Produce, Recode, Sent, Wrapper, element_of};

#[cfg(test)]
mod tests;
