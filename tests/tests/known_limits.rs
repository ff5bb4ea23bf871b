//! Known limits: what does not work yet, as cases that can be run.
//!
//! Each case states the right behaviour as an ordinary assertion, and runs in a process of its own. Its test passes as long as
//! the case fails in the way that is known. When a case works, its test fails and says so: then the case moves to the
//! regression tests, without [`harness::still_fails`].

#![cfg(not(miri))]

#[path = "known_limits/counting.rs"]
mod counting;
#[path = "known_limits/growth.rs"]
mod growth;
#[path = "known_limits/harness.rs"]
mod harness;
