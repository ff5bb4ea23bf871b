//! Code that the benches share: graphs, the work of their systems, the conditions and the order of measurements, and
//! bounds for graphs that are computed without running them.

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
