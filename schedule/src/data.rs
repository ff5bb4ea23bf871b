//! What systems use: resources, parameters, entities, and properties of systems as constants. Imports `base`.
//!
//! Enter at [`resource`] for the storage, [`param`] for parameters, [`access`] for what a parameter accesses, and [`entity`] for
//! components. [`fold`] has the partial results that threads share out. [`order`], [`marks`] and [`settings`] are clauses, as constants.

pub mod access;
pub mod entity;
pub(crate) mod executor_choice;
pub(crate) mod failure_policy;
pub mod fold;
pub(crate) mod limits;
pub(crate) mod marks;
pub mod message;
pub(crate) mod missed;
pub mod order;
pub(crate) mod output;
pub mod param;
#[cfg(feature = "snapshot")]
pub(crate) mod participant;
pub(crate) mod record;
pub(crate) mod reported;
pub(crate) mod resource;
#[cfg(feature = "snapshot")]
pub(crate) mod saved_resources;
pub(crate) mod settings;
pub(crate) mod slow_systems;
pub(crate) mod stopwatch;
pub(crate) mod target;
