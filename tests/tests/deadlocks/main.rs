//! Situations that must not hang. Each case runs in its own process, with a time limit.
#![cfg(not(miri))]

mod broadcast;
mod callers;
mod dead_letters;
mod harness;
mod locks;
mod nested;
mod senders;
mod services;
