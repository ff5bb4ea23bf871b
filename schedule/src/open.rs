//! Open schedules: what they collect, and the test of all of them.
//!
//! A system says in its attribute which schedule it is for. The linker brings together what is said so all over a program,
//! and the schedule finds itself in it by its number; neither has to be named by the other.

use crate::builder::Builder;
use crate::identity::Identity;
use crate::listing::Listing;
use crate::problem::BuildError;
use crate::schedule::Schedule;
use crate::system::Declaration;

/// A schedule that collects systems.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not open",
    label = "collects no systems",
    note = "declare it as `open {Self} {{ … }}` in `schedule!`; a visibility is before `open`, as in `pub open {Self}`"
)]
pub trait Open: Identity + 'static {}

/// That a system is for an open schedule.
#[derive(Clone, Copy, Debug)]
pub struct Collected {
    schedule: u128,
    system: &'static Declaration,
}

impl Collected {
    /// This system is for `F`.
    pub const fn by<F: Open>(system: &'static Declaration) -> Self {
        Self {
            schedule: F::ID,
            system,
        }
    }
}

inventory::collect!(Collected);

/// That there is an open schedule.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    name: &'static str,
    build: fn() -> Result<Schedule, BuildError>,
}

impl Opened {
    /// One of this name.
    pub const fn new(name: &'static str, build: fn() -> Result<Schedule, BuildError>) -> Self {
        Self { name, build }
    }
}

inventory::collect!(Opened);

impl Builder {
    /// What is listed, and then what the program collects for `F`.
    ///
    /// The linker brings that in no order that anybody knows; it is added in the order of the source.
    #[doc(hidden)]
    pub fn collected<F: Open>(listing: &Listing) -> Self {
        let mut builder = Self::listed(listing);
        let collected = inventory::iter::<Collected>().filter(|one| one.schedule == F::ID);
        let mut systems: Vec<_> = collected.map(|one| one.system).collect();
        systems.sort_by_cached_key(|system| {
            let place = system.function.location();
            let name = system.reference.to_string();
            (place.file(), place.line(), place.column(), name)
        });
        for system in systems {
            builder.add_declared(system);
        }
        builder
    }
}

/// Makes a test that builds every open schedule of the program, and fails with all that is wrong with them.
///
/// Write it once, into a test target that uses the crates with the schedules. What is in an open schedule is known when
/// a program is linked; so this is to open schedules what the compiler is to others.
///
/// ```
/// schedule::test_schedules!();
/// ```
#[macro_export]
macro_rules! test_schedules {
    () => {
        #[test]
        fn every_open_schedule_can_be_built() {
            $crate::__private::test_schedules();
        }
    };
}

/// Builds every open schedule.
///
/// # Panics
///
/// If something is wrong with one; with the errors of all.
pub fn test_schedules() {
    let mut opened: Vec<_> = inventory::iter::<Opened>().collect();
    opened.sort_by_key(|one| one.name);
    let errors = opened.iter().filter_map(|one| (one.build)().err());
    let errors: Vec<_> = errors.map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
