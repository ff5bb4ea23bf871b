//! From declarations to a verified plan, and explanations of it. Imports `declare` and the folders below it.
//!
//! Two front ends number the declarations: [`compile`] at run time, [`checked`] in const evaluation. The crate `schedule-graph`
//! verifies the numbers. [`plan`] is the result. [`explain`] computes explanations of it: the values and texts are in [`why`],
//! [`advice`] and [`lock`].

pub(crate) mod advice;
pub(crate) mod checked;
pub(crate) mod compile;
pub(crate) mod explain;
pub(crate) mod folds;
pub(crate) mod lock;
pub(crate) mod plan;
pub(crate) mod profile;
pub(crate) mod rehearsal;
pub(crate) mod sweeps;
pub(crate) mod why;
