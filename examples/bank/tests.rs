//! The bank over HTTP, in this process and in processes that are killed.

mod crashes;
mod history;
mod recovered;
mod requests;
mod running;
