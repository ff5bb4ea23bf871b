//! Graphs of systems from a file, for the example `verify` and the benches.

pub mod declaration;
pub mod graph;
pub mod reader;
