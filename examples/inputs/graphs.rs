//! Graphs of systems in a file, as the example `verify` reads them.

pub mod declaration;
pub mod graph;
pub mod reader;
