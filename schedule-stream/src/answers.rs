//! Answers of handlers: the traits of the types that a handler can return.

pub use crate::reaction::{Answer, Reaction, Success};
