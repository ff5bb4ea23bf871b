//! What the benches share: the graphs that are built and run, what can be known of a graph without running it, and how
//! contenders take turns.

pub mod arithmetic;
pub mod best;
pub mod effort;
pub mod engine;
pub mod free;
pub mod ledger;
pub mod neighbours;
pub mod orders;
pub mod pinning;
pub mod quantile;
pub mod random_graph;
pub mod rounds;
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
// These examples read the same files as well.
#[path = "../../examples/blocks/transfer.rs"]
#[allow(dead_code, reason = "the example needs it")]
mod transfer;
#[path = "../../examples/blocks/reader.rs"]
mod transfers;
