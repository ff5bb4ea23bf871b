//! What must not hang: each case runs in a process of its own, with a time limit.
#![cfg(not(miri))]

#[path = "deadlocks/broadcast.rs"]
mod broadcast;
#[path = "deadlocks/callers.rs"]
mod callers;
#[path = "deadlocks/harness.rs"]
mod harness;
#[path = "deadlocks/locks.rs"]
mod locks;
#[path = "deadlocks/nested.rs"]
mod nested;
#[path = "behaviour/on.rs"]
#[allow(dead_code, reason = "the tests of behaviour use the rest")]
mod on;
#[path = "deadlocks/senders.rs"]
mod senders;
