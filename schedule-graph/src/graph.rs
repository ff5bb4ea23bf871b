//! Graph algorithms as `const fn`s over slices. The same code runs at run time and in const evaluation.
//!
//! Nodes are the numbers `0..n_nodes`. An edge is identified by its index in the caller's edge slice, so the caller can find
//! the declaration of each edge of a result.
//!
//! Const evaluation has no heap, so the caller passes all memory. Each result has its own slice. Everything else is in one
//! `scratch` slice, of which [`SCRATCH_PER_NODE`] elements per node are enough for every function. Its initial content is
//! arbitrary. [`Lists`](lists::Lists) owns its memory, for callers that have a heap.
//!
//! All functions panic if a slice is shorter than documented. In const evaluation that is a compile error.

pub(crate) mod cycle;
pub(crate) mod edge;
mod heap;
pub(crate) mod levels;
pub(crate) mod links;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod path;
pub(crate) mod reach;
pub(crate) mod reduce;
mod search;
#[cfg(test)]
mod tests;
pub(crate) mod window;

/// The number of scratch elements per node that is enough for every function of the module.
pub const SCRATCH_PER_NODE: usize = 5;

/// The value of an element without a node, link, edge or component.
///
/// [`Links`](links::Links) rejects graphs in which an index could have this value or the one below it.
const UNSET: u32 = u32::MAX;
