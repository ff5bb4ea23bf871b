//! Systems, and the ones that the library provides. Imports `data` and `base`.
//!
//! Enter at [`system`]: what `#[system]` implements, and instances that run. [`condition`], [`state`] and [`rate`] build on it. [`columns`]
//! store the components of entities of one kind.

pub mod columns;
pub mod condition;
pub mod rate;
pub mod state;
pub mod system;
