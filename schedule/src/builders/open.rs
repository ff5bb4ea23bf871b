//! Open schedules: the systems that they collect, and a test that builds all of them.
//!
//! The attribute of a system names the open schedule that it belongs to. The linker collects these declarations from
//! the whole program, and a schedule finds its systems by its type. Neither needs to name the other.

use core::any::TypeId;

use crate::base::identity::Identity;
use crate::builders::builder::Builder;
use crate::declare::listing::Listing;
use crate::declare::problem::BuildError;
use crate::run::schedule::Schedule;
use crate::systems::system::Declaration;

/// A schedule that collects systems.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an open schedule",
    label = "systems cannot add themselves to this schedule",
    note = "declare it as `open {Self} {{ … }}` in `schedule!`; write the visibility before `open`, as in `pub open {Self}`"
)]
pub trait Open: Identity + 'static {}

/// Declares that a system belongs to an open schedule.
#[derive(Clone, Copy, Debug)]
pub struct Collected {
    /// The type of the schedule. Its identity is not enough, because two types can have the same.
    schedule: TypeId,
    system: &'static Declaration,
}

impl Collected {
    /// This system belongs to `F`.
    pub const fn by<F: Open>(system: &'static Declaration) -> Self {
        Self {
            schedule: TypeId::of::<F>(),
            system,
        }
    }
}

inventory::collect!(Collected);

/// Registers an open schedule.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    name: &'static str,
    build: fn() -> Result<Schedule, BuildError>,
}

impl Opened {
    /// Registers a schedule with this name.
    pub const fn new(name: &'static str, build: fn() -> Result<Schedule, BuildError>) -> Self {
        Self { name, build }
    }
}

inventory::collect!(Opened);

impl Builder {
    /// Returns a builder with the listing, followed by the systems that the program collects for `F`.
    ///
    /// The order in which the linker collects them is not defined, so they are added in source order.
    #[doc(hidden)]
    pub fn collected<F: Open>(listing: &Listing) -> Self {
        let mut builder = Self::listed(listing);
        let collected =
            inventory::iter::<Collected>().filter(|one| one.schedule == TypeId::of::<F>());
        let mut systems: Vec<_> = collected.map(|one| one.system).collect();
        systems.sort_by_cached_key(|system| {
            let place = system.definition.location();
            let name = system.reference.to_string();
            (place.file(), place.line(), place.column(), name)
        });
        for system in systems {
            builder.add_declared(system);
        }
        builder
    }
}

/// Defines a test that builds every open schedule of the program, and fails with all of their problems.
///
/// Write it once, in a test target that uses the crates with the schedules. The content of an open schedule is known
/// only when the program is linked. So this test replaces the verification by the compiler.
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
/// Panics if a schedule has a problem. The message contains the errors of all schedules.
pub fn test_schedules() {
    let mut opened: Vec<_> = inventory::iter::<Opened>().collect();
    opened.sort_by_key(|one| one.name);
    let errors: Vec<_> = opened
        .iter()
        .filter_map(|one| (one.build)().err())
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
