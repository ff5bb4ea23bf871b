//! Explanations of declarations and of their plan: `why`, `advise`, `graph`, lints, and the graph of a rejected schedule.

mod advise;
mod graph_data;
mod lints;
mod rejected;
mod sweeps;
mod why;

pub(crate) use self::advise::advice;
pub(crate) use self::graph_data::graph_data;
pub(crate) use self::lints::lints;
pub(crate) use self::rejected::build_error;
pub(crate) use self::sweeps::apart as apart_systems;
pub(crate) use self::why::why;
