//! Situations that must not hang. Each case runs in its own process, with a time limit.
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
#[path = "deadlocks/services.rs"]
mod services;
