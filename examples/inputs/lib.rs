//! Input files and options of the examples and benches.

pub mod graphs;
pub mod mistake;
pub mod options;
pub mod transfers;
