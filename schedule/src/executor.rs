//! How the nodes of a schedule come to run.

pub(crate) mod serial;
mod step;
