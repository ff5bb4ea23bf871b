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
mod type_names;
mod ui;
mod unordered;
mod words;
