//! The bank over HTTP, in this process and in processes that are killed.

mod requests;
mod running;
