//! Input files of the examples and benches.

pub mod graphs;
pub mod mistake;
pub mod transfers;
