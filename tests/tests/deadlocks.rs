//! What must not hang: each case runs in a process of its own, with a time limit.

#[cfg(not(miri))]
#[path = "deadlocks/harness.rs"]
mod harness;
