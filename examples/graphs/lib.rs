//! Graphs of systems in a file: those that the example `verify` reads, and the benches with it.

pub mod declaration;
pub mod graph;
pub mod reader;
