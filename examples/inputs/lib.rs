//! What examples read from files, and the benches with them.

pub mod graphs;
pub mod mistake;
pub mod transfers;
