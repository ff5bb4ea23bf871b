//! Systems in a different crate than the tests that schedule them.
//!
//! A link to a system is a link to its function: [`poison`], [`combat::poison`], [`rot()`].

pub mod child;
pub mod cluster;
pub mod combat;
pub mod controller;
mod rot;
pub mod scratch;
pub mod village;

pub use self::combat::poison;
// The module has the name of the function, so the hidden type has a different name.
pub use self::rot::{Rot, rot};

/// Makes the code blocks of the README and of the user guide doc tests. They use all crates of the workspace, which `schedule`
/// does not depend on.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../README.md")]
    mod readme {}
    #[doc = include_str!("../../docs/book/src/getting-started.md")]
    mod getting_started {}
    #[doc = include_str!("../../docs/book/src/systems-and-resources.md")]
    mod systems_and_resources {}
    #[doc = include_str!("../../docs/book/src/orders-and-policies.md")]
    mod orders_and_policies {}
    #[doc = include_str!("../../docs/book/src/plugins-and-changes.md")]
    mod plugins_and_changes {}
    #[doc = include_str!("../../docs/book/src/conditions.md")]
    mod conditions {}
    #[doc = include_str!("../../docs/book/src/states.md")]
    mod states {}
    #[doc = include_str!("../../docs/book/src/loops-and-rates.md")]
    mod loops_and_rates {}
    #[doc = include_str!("../../docs/book/src/drivers.md")]
    mod drivers {}
    #[doc = include_str!("../../docs/book/src/slow-work.md")]
    mod slow_work {}
    #[doc = include_str!("../../docs/book/src/replay.md")]
    mod replay {}
    #[doc = include_str!("../../docs/book/src/running.md")]
    mod running {}
    #[doc = include_str!("../../docs/book/src/real-time.md")]
    mod real_time {}
    #[doc = include_str!("../../docs/book/src/failures.md")]
    mod failures {}
    #[doc = include_str!("../../docs/book/src/saving.md")]
    mod saving {}
    #[doc = include_str!("../../docs/book/src/cost.md")]
    mod cost {}
    #[doc = include_str!("../../docs/book/src/entities.md")]
    mod entities {}
    #[doc = include_str!("../../docs/book/src/folds-and-sweeps.md")]
    mod folds_and_sweeps {}
    #[doc = include_str!("../../docs/book/src/entities-in-systems.md")]
    mod entities_in_systems {}
    #[doc = include_str!("../../docs/book/src/streams.md")]
    mod streams {}
    #[doc = include_str!("../../docs/book/src/batches.md")]
    mod batches {}
    #[doc = include_str!("../../docs/book/src/streams-in-schedules.md")]
    mod streams_in_schedules {}
    #[doc = include_str!("../../docs/book/src/services.md")]
    mod services {}
    #[doc = include_str!("../../docs/book/src/clusters.md")]
    mod clusters {}
    #[doc = include_str!("../../docs/book/src/explaining-and-testing.md")]
    mod explaining_and_testing {}
    #[doc = include_str!("../../docs/book/src/recipes.md")]
    mod recipes {}
    #[doc = include_str!("../../docs/book/src/coming-from.md")]
    mod coming_from {}
    #[doc = include_str!("../../docs/book/src/faq.md")]
    mod faq {}
}
