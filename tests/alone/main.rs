//! Tests that measure memory, allocations or threads. Each case runs in its own process.
//!
//! All tests are in one executable, so that they run at the same time.

// Miri cannot start processes.
#![cfg(not(miri))]

mod allocations;
mod driver;
mod growth;
mod processors;
mod recorder;
mod serial;
mod similar_names;
mod steady_state;
mod thousands;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;
