//! What the benches share: the graphs that are built and run, what their systems do, under which conditions that is
//! measured and in which turns, and what can be known of a graph without running it.

pub mod best;
pub mod effort;
pub mod engine;
pub mod free;
pub mod ledger;
pub mod neighbours;
pub mod options;
pub mod orders;
pub mod pinning;
pub mod quantile;
pub mod random_graph;
pub mod rounds;
pub mod scene;
pub mod spread;
pub mod temperature;
pub mod weight;
pub mod work;
pub mod workload;
pub mod zipf;
