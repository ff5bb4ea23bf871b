//! What a program declares, and what is wrong with it, as data. Imports `systems` and the folders below it.
//!
//! [`listing`] has the constants of `schedule!`, [`declarations`] the data of a builder. [`problem`] and [`failure`] are the errors of
//! building and of runs, and [`messages`] has their texts. [`graph`] is a schedule as data.

pub(crate) mod choices;
pub(crate) mod declarations;
pub(crate) mod failure;
pub mod graph;
pub(crate) mod listing;
pub(crate) mod messages;
pub(crate) mod problem;
