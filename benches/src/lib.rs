//! What the benches share: the graphs that are built and run, and what can be known of a graph without running it.

pub mod best;
pub mod engine;
pub mod free;
pub mod orders;
pub mod quantile;
pub mod random_graph;
pub mod spread;

// The example reads the same files and declares the same systems; it does more with them.
#[path = "../../examples/verify/declaration.rs"]
#[allow(dead_code, reason = "the example needs it")]
mod declaration;
#[path = "../../examples/verify/graph.rs"]
#[allow(dead_code, reason = "the example needs it")]
mod graph;
#[path = "../../examples/verify/reader.rs"]
#[allow(dead_code, reason = "its tests run with the example")]
mod reader;
