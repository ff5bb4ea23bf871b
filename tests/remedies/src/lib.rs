//! Compiles each compile-fail case of `tests/ui` after the remedy that its error names.
//!
//! `remedy` describes how a case states its remedy. The build script writes the remedied cases into the target directory; all are
//! modules of this crate's tests, so one that does not compile is an error of this crate.

#![cfg(test)]

mod remedy;
mod tests;

#[allow(
    dead_code,
    unused_imports,
    reason = "cases are as short as they can be, and so are remedies"
)]
mod twins {
    include!(concat!(env!("OUT_DIR"), "/twins.rs"));
}
