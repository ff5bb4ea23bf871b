//! The builder of schedules, and open schedules. Imports `run` and the folders below it.
//!
//! Enter at [`builder`]: its calls record declarations, and `build` compiles them.

pub(crate) mod builder;
pub(crate) mod open;
