//! Tests that run cargo and the compiler.
//!
//! All tests are in one executable, so that they run at the same time. Most of them use one processor most of the time.

// Miri cannot start processes.
#![cfg(not(miri))]

mod documents;
mod imports;
mod messages;
mod orders;
mod sample;
mod scratch;
mod type_names;
mod ui;
mod unordered;
mod words;

/// The compiler of this executable, and the arguments that name the compiled crates that it links. Each is on a line of its own.
const COMPILER: &str = schedule_tests_externs::compiler_with_externs!();
