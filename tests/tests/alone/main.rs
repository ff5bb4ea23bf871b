//! Tests that measure memory, allocations or threads. Each case runs in a process of its own.
//!
//! They are one executable, so that they run at the same time.

// Miri starts no process.
#![cfg(not(miri))]

mod allocations;
mod growth;
mod similar_names;
mod steady_state;
mod thousands;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;
