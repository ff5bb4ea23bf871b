//! Tests that run cargo and the compiler.
//!
//! They are one executable, so that they run at the same time: most of them use one processor for much of their time.

// Miri starts no process.
#![cfg(not(miri))]

mod documents;
mod imports;
mod messages;
mod orders;
mod sample;
mod ui;
mod unordered;
mod words;
