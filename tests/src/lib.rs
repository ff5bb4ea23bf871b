//! Systems in a different crate than the tests that schedule them.
//!
//! A link to a system is a link to its function: [`poison`], [`combat::poison`], [`rot()`].

pub mod bomb;
pub mod child;
pub mod combat;
pub mod controller;
pub mod listener;
pub mod meeting;
pub mod on;
pub mod recorder;
mod rot;
pub mod same_number;
pub mod village;

use schedule::{Builder, Schedule};

pub use self::combat::poison;
// The module has the name of the function, so the hidden type has a different name.
pub use self::rot::{Rot, rot};

/// Returns the schedule of the declarations of `add`.
///
/// # Panics
/// Panics if the schedule has a problem.
pub fn schedule_of(add: impl FnOnce(&mut Builder) -> &mut Builder) -> Schedule {
    add(&mut Schedule::builder())
        .build()
        .expect("the schedule has no problem")
}

/// Returns whether random tests and compile-fail tests run all their cases. `ci/all_tests.sh` sets the environment variable
/// `SCHEDULE_TESTS` to `all`. Without it, `cargo test` runs a part of them, so that it ends within minutes.
pub fn has_full_counts() -> bool {
    std::env::var_os("SCHEDULE_TESTS").is_some_and(|value| value == "all")
}

/// Returns the number of cases of a random test: `n_all` under `ci/all_tests.sh`, a quarter of it under `cargo test`, and one under Miri.
/// The environment variable `RANDOM_CASES` sets the number for all random tests, for long runs in release builds.
///
/// # Panics
/// Panics if `RANDOM_CASES` is not a number.
pub fn n_cases(n_all: u32) -> u32 {
    if let Ok(n_cases) = std::env::var("RANDOM_CASES") {
        n_cases.parse().expect("`RANDOM_CASES` is a number")
    } else if cfg!(miri) {
        1
    } else if has_full_counts() {
        n_all
    } else {
        n_all.div_ceil(4)
    }
}

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
    #[doc = include_str!("../../docs/book/src/rollback.md")]
    mod rollback {}
    #[doc = include_str!("../../docs/book/src/cost.md")]
    mod cost {}
    #[doc = include_str!("../../docs/book/src/entities.md")]
    mod entities {}
    #[doc = include_str!("../../docs/book/src/messages.md")]
    mod messages {}
    #[doc = include_str!("../../docs/book/src/changes.md")]
    mod changes {}
    #[doc = include_str!("../../docs/book/src/folds-and-sweeps.md")]
    mod folds_and_sweeps {}
    #[doc = include_str!("../../docs/book/src/entities-in-systems.md")]
    mod entities_in_systems {}
    #[doc = include_str!("../../docs/book/src/columns.md")]
    mod columns {}
    #[doc = include_str!("../../docs/book/src/agent-based-simulation.md")]
    mod agent_based_simulation {}
    #[doc = include_str!("../../docs/book/src/streams.md")]
    mod streams {}
    #[doc = include_str!("../../docs/book/src/batches.md")]
    mod batches {}
    #[doc = include_str!("../../docs/book/src/streams-in-schedules.md")]
    mod streams_in_schedules {}
    #[doc = include_str!("../../docs/book/src/services.md")]
    mod services {}
    #[doc = include_str!("../../docs/book/src/running-a-service.md")]
    mod running_a_service {}
    #[doc = include_str!("../../docs/book/src/clusters.md")]
    mod clusters {}
    #[doc = include_str!("../../docs/book/src/explaining-and-testing.md")]
    mod explaining_and_testing {}
    #[doc = include_str!("../../docs/book/src/recipes.md")]
    mod recipes {}
    #[doc = include_str!("../../docs/book/src/porting-a-game.md")]
    mod porting_a_game {}
    #[doc = include_str!("../../docs/book/src/coming-from.md")]
    mod coming_from {}
    #[doc = include_str!("../../docs/book/src/coming-from-legion-specs.md")]
    mod coming_from_legion_specs {}
    #[doc = include_str!("../../docs/book/src/coming-from-robotics.md")]
    mod coming_from_robotics {}
    #[doc = include_str!("../../docs/book/src/faq.md")]
    mod faq {}
}

/// Makes the examples of the macros doc tests.
#[cfg(doctest)]
mod macros {
    #[doc = include_str!("../../schedule-macros/README.md")]
    mod readme {}
    #[doc = include_str!("../../schedule-macros/docs/system.md")]
    mod system {}
    #[doc = include_str!("../../schedule-macros/docs/schedule.md")]
    mod schedule {}
    #[doc = include_str!("../../schedule-macros/docs/handler.md")]
    mod handler {}
    #[doc = include_str!("../../schedule-macros/docs/columns.md")]
    mod columns {}
    #[doc = include_str!("../../schedule-macros/docs/event.md")]
    mod event {}
}
