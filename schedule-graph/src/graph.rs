//! Graph algorithms as `const fn` over slices: the same code runs in the builder at run time and
//! in rustc when a schedule is a constant.
//!
//! The module knows nodes and edges only, nothing of what they stand for. Nodes are `0..n_nodes`
//! and edges are named by their index in the caller's edge slice, so that every answer (a cycle, a
//! path, a redundant edge) leads back to the place where the edge was declared.
//!
//! Const evaluation has neither allocation nor iterators. All memory is therefore handed in by the
//! caller: results in slices of their own, everything else in one `scratch` slice, of which
//! [`SCRATCH_PER_NODE`] elements per node are enough for every function. Its content on entry does
//! not matter, and one slice serves call after call. [`Lists`](lists::Lists) are for callers that have a heap.
//!
//! All functions panic if a slice is shorter than their documentation asks for; in const
//! evaluation that is a compile error.

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

/// How many elements of scratch space per node suffice for every function of the module.
pub const SCRATCH_PER_NODE: usize = 5;

/// Marks a slot that names no node, link, edge or component yet.
///
/// [`Links`](links::Links) refuses graphs so large that an index could take this value or the one
/// below it.
const UNSET: u32 = u32::MAX;
