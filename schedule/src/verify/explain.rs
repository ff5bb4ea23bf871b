//! Explains a built schedule, or the rejection of its declarations.
//!
//! Enter at the function of an explanation. Of a built schedule: [`why`], [`advice`], [`graph_data`], [`redundant_orders`], [`only_read`], [`separate_systems`]. Of
//! rejected declarations: [`build_error`]. A built schedule keeps no numbers, so its declarations are numbered again (`built.rs`).
//!
//! Imports `compile`, for numbers and their names. `compile` does not import this folder.

mod advise;
mod built;
mod graph_data;
mod lints;
mod rejected;
mod sweeps;
mod why;

pub(crate) use self::advise::advice;
pub(crate) use self::graph_data::graph_data;
pub(crate) use self::lints::{only_read, redundant_orders};
pub(crate) use self::rejected::build_error;
pub(crate) use self::sweeps::separate_systems;
pub(crate) use self::why::why;
