//! What the benches share: the graphs that are built and run, and what can be known of a graph without running it.

pub mod best;
pub mod engine;
pub mod free;
pub mod orders;
pub mod quantile;
pub mod random_graph;
pub mod spread;
