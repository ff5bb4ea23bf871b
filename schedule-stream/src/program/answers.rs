//! Answers of handlers: the traits of the types that a handler can return.

pub use crate::program::reaction::{Answer, Reaction, Success};
